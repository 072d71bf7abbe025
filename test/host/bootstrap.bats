#!/usr/bin/env bats
# shellcheck disable=SC2013,SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-bootstrap: agent, packages and units, on both families of distributions.

load helpers

setup() {
  make_host
  mkdir -p "$ROOT/opt"
  cp -r "$REPOSITORY/constructs/host" "$ROOT/opt/cdk-sas-grid"
  export TOOLS='lctl 2.16.1' KERNEL=2.16.1
  for tool in lctl mkfs.lustre tunefs.lustre zpool; do stub "$tool"; done
  stub rpm '[[ $1 != -q ]]'
  stub dpkg-query 'exit 1'
  stub uname 'case $1 in -m) echo x86_64 ;; *) echo 5.14.0 ;; esac'
  settings lustre-oss <<'END'
SERVICE=oss
LUSTRE_SOFTWARE=repository
LUSTRE_REPOSITORY=https://example.com/lustre
LUSTRE_VERSION=2.16.1
END
}

bootstrap() {
  run "$ROOT/opt/cdk-sas-grid/bin/sas-grid-bootstrap" "$@"
}

debian() {
  printf 'ID=ubuntu\nID_LIKE=debian\n' >"$ROOT/etc/os-release"
}

@test "a Lustre server of the RHEL family gets pinned packages from a signed repository" {
  bootstrap lustre-oss
  exited 0
  packages='kmod-lustre-2.16.1* kmod-lustre-osd-ldiskfs-2.16.1* lustre-osd-ldiskfs-mount-2.16.1* lustre-2.16.1*'
  [[ $(calls 'dnf') == "dnf -y -q install $packages" ]]
  grep -qx 'gpgcheck=1' "$ROOT/etc/yum.repos.d/sas-grid-lustre.repo"
  grep -qx 'baseurl=https://example.com/lustre' "$ROOT/etc/yum.repos.d/sas-grid-lustre.repo"
  grep -qx 'gpgkey=https://example.com/lustre/RPM-GPG-KEY' "$ROOT/etc/yum.repos.d/sas-grid-lustre.repo"
  same '' "$(calls apt-get)"
}

@test "a Lustre server of the Debian family gets its packages with apt-get" {
  debian
  bootstrap lustre-oss
  exited 0
  packages='lustre-server-modules-5.14.0=2.16.1* lustre-server-utils=2.16.1*'
  [[ $(calls 'apt-get -y') == "apt-get -y -q --no-install-recommends install $packages" ]]
  grep -q 'signed-by=/etc/apt/keyrings/sas-grid-lustre.asc. https://example.com/lustre ./$' \
    "$ROOT/etc/apt/sources.list.d/sas-grid-lustre.list"
  same '' "$(calls dnf)"
}

@test "a repository can have its key elsewhere, and a suite" {
  rm "$ROOT/etc/sas-grid/lustre-oss.env"
  settings lustre-client <<'END'
LUSTRE_SOFTWARE=repository
LUSTRE_REPOSITORY=https://example.com/el/9.4/x86_64
LUSTRE_VERSION=2.16.1
LUSTRE_KEY=https://keys.example.com/public-key.asc
LUSTRE_SUITE=jammy main
END
  bootstrap lustre-client
  exited 0
  grep -qx 'gpgkey=https://keys.example.com/public-key.asc' "$ROOT/etc/yum.repos.d/sas-grid-lustre.repo"
  [[ $(calls 'dnf') == 'dnf -y -q install kmod-lustre-client-2.16.1* lustre-client-2.16.1*' ]]
  debian
  bootstrap lustre-client
  exited 0
  [[ $(calls curl) == *"-o $ROOT/etc/apt/keyrings/sas-grid-lustre.asc https://keys.example.com/public-key.asc" ]]
  grep -qx 'deb \[signed-by=/etc/apt/keyrings/sas-grid-lustre.asc\] https://example.com/el/9.4/x86_64 jammy main' \
    "$ROOT/etc/apt/sources.list.d/sas-grid-lustre.list"
}

@test "a Lustre client of Amazon Linux comes from the distribution; others have none to offer" {
  printf 'LUSTRE_SOFTWARE=distribution\n' | settings lustre-client
  printf 'ID=amzn\nVERSION_ID=2023\nID_LIKE=fedora\n' >"$ROOT/etc/os-release"
  bootstrap lustre-client
  exited 0
  [[ $(calls 'dnf') == 'dnf -y -q install lustre-client'* ]]
  [[ ! -e $ROOT/etc/yum.repos.d/sas-grid-lustre.repo ]]
  debian
  bootstrap lustre-client
  exited 1
  [[ $output == *"'ubuntu' brings no Lustre"* ]]
}

@test "packages that are there are left alone, and so is preinstalled software" {
  stub rpm
  bootstrap lustre-oss
  exited 0
  sed -i s/=repository/=preinstalled/ "$ROOT/etc/sas-grid/lustre-oss.env"
  stub rpm '[[ $1 != -q ]]'
  bootstrap lustre-oss
  exited 0
  same '' "$(calls dnf)"
}

@test "units are installed, then the roles are started in order" {
  settings scratch </dev/null
  bootstrap lustre-oss scratch
  exited 0
  [[ -e $ROOT/etc/sysctl.d/90-sas-grid-slot.conf && -n $(calls 'sysctl -q -p') ]]
  [[ -e $ROOT/etc/systemd/system/sas-grid-slot.service && -e $ROOT/etc/systemd/system/sas-grid-scratch.service ]]
  same 'systemctl enable sas-grid-lustre-oss.target sas-grid-scratch.target' "$(calls 'systemctl enable .*target')"
  same 'systemctl start --no-block sas-grid-lustre-oss.target sas-grid-scratch.target' "$(calls 'systemctl start')"
  grep -qx 'ROLES=lustre-oss scratch' "$ROOT/etc/sas-grid/installed"
}

@test "every role is enabled before any is started, and a grid node needs the others" {
  settings scratch </dev/null
  settings grid-node </dev/null
  bootstrap scratch grid-node
  exited 0
  same 'systemctl enable sas-grid-scratch.target sas-grid-grid-node.target
systemctl start --no-block sas-grid-scratch.target sas-grid-grid-node.target' "$(calls 'systemctl [es].*target')"
  grep -qx Requires=sas-grid-scratch.target "$ROOT/etc/systemd/system/sas-grid-grid-node.target.d/roles.conf"
}

@test "a first boot that was interrupted goes on at the next boot with the same roles" {
  settings scratch </dev/null
  settings grid-node </dev/null
  # The power fails while the packages are installed.
  stub dnf 'kill -9 "$PPID"'
  bootstrap scratch grid-node
  [[ $status -ne 0 && ! -e $ROOT/etc/sas-grid/installed ]]
  [[ -n $(calls 'systemctl enable sas-grid-bootstrap.service') ]]
  grep -qx 'ConditionPathExists=!/etc/sas-grid/installed' "$ROOT/etc/systemd/system/sas-grid-bootstrap.service"
  stub dnf
  unit=$ROOT/etc/systemd/system/sas-grid-bootstrap.service
  grep -qx EnvironmentFile=/etc/sas-grid/roles "$unit"
  grep -qx 'ExecStart=/opt/cdk-sas-grid/bin/sas-grid-bootstrap $ROLES' "$unit"
  # shellcheck disable=SC2046 # systemd makes words of it, too
  bootstrap $(sed -n 's/^ROLES=//p' "$ROOT/etc/sas-grid/roles")
  exited 0
  grep -qx 'ROLES=scratch grid-node' "$ROOT/etc/sas-grid/installed"
  [[ -n $(calls 'systemctl start --no-block .*sas-grid-grid-node.target') ]]
}

@test "a first boot that is ended, as after its half an hour, is no reason to wait" {
  settings scratch </dev/null
  stub dnf 'kill -TERM "$PPID"'
  bootstrap scratch
  [[ $status -ne 0 && ! -e $ROOT/etc/sas-grid/installed ]]
  grep -q 'was ended' "$ROOT/etc/sas-grid/install-failed"
}

# Asks the host to serve, and notes what it says.
ASK='"$SAS_GRID_ROOT/opt/cdk-sas-grid/bin/sas-grid-serve" --slot oss-00 --epoch 1 --address 172.16.4.21 \
  --volumes vol-0a 2>>"$CALLS" || echo "served $?" >>"$CALLS"'

@test "an installation that fails is begun again by systemd, and counts as failed until an attempt succeeds" {
  settings lustre-oss <<END
SERVICE=oss
LUSTRE_SOFTWARE=repository
LUSTRE_REPOSITORY=https://example.com
LUSTRE_VERSION=2.16.1
FSNAME=sasfs
MGS_NID=172.16.4.10@tcp
BACKEND=ldiskfs
VOLUMES_PER_SLOT=1
END
  stub dnf 'exit 1'
  bootstrap lustre-oss
  exited 1
  # Enabling it reloads systemd, which may have loaded it as the image had it.
  same 'systemctl enable sas-grid-bootstrap.service
systemctl start --no-block sas-grid-bootstrap.service' "$(calls 'systemctl (start|enable) ')"
  # Once installed, the condition keeps systemd from another attempt.
  for line in 'ConditionPathExists=!/etc/sas-grid/installed' Restart=on-failure RestartSec=5min \
    Environment=SAS_GRID_AGAIN=yes; do
    grep -qx "$line" "$ROOT/etc/systemd/system/sas-grid-bootstrap.service"
  done
  : >"$CALLS"
  stub dnf "$ASK; exit 1"
  SAS_GRID_AGAIN=yes bootstrap lustre-oss
  exited 1
  same 'served 1' "$(calls served)"
  # That one is systemd's, which starts it again without being told.
  same '' "$(calls 'systemctl start')"
  [[ -e $ROOT/etc/sas-grid/install-failed && ! -e $ROOT/etc/sas-grid/installed ]]
  : >"$CALLS"
  stub dnf "$ASK"
  SAS_GRID_AGAIN=yes bootstrap lustre-oss
  exited 0
  same 'served 1' "$(calls served)"
  [[ ! -e $ROOT/etc/sas-grid/install-failed && -e $ROOT/etc/sas-grid/installed ]]
  same 'systemctl start --no-block sas-grid-lustre-oss.target' "$(calls 'systemctl start')"
  # It only misses its volume now.
  bash -c "$ASK"
  grep -q 'a volume of vol-0a .*is not there yet' "$CALLS"
}

@test "a failure that an image brings is not this host's" {
  settings scratch </dev/null
  echo 'of the image' >"$ROOT/etc/sas-grid/install-failed"
  stub dnf '[[ ! -e $SAS_GRID_ROOT/etc/sas-grid/install-failed ]]'
  bootstrap scratch
  exited 0
}

@test "two installations are never at work at once, and the second one says nothing of the first" {
  settings scratch </dev/null
  stub dnf '[[ -z ${FIRST-} ]] || { unset FIRST; "$SAS_GRID_ROOT/opt/cdk-sas-grid/bin/sas-grid-bootstrap" scratch ||
    echo "second $?" >>"$CALLS"; ls "$SAS_GRID_ROOT/etc/sas-grid" >>"$CALLS"; }'
  FIRST=yes bootstrap scratch
  exited 0
  same 'second 75' "$(calls second)"
  same '' "$(calls 'install')"
  [[ $(calls 'dnf' | wc -l) -eq 1 && -e $ROOT/etc/sas-grid/installed ]]
}

@test "a server made from the image of another starts its roles anew when its settings differ" {
  settings grid-node <<<'HOST_NAME=grid-01'
  bootstrap grid-node
  bootstrap grid-node
  same '' "$(calls 'systemctl restart')"
  settings grid-node <<<'HOST_NAME=grid-02'
  bootstrap grid-node
  exited 0
  same 'systemctl restart --no-block sas-grid-grid-node.target' "$(calls 'systemctl restart')"
  for unit in scratch node; do
    grep -q "^PartOf=sas-grid-.*$unit.target" "$ROOT/etc/systemd/system/sas-grid-$unit.service"
  done
}

@test "what is installed names its instance, so that an image that is made of the server says nothing of the next one" {
  boots_as i-0a
  bootstrap lustre-oss
  exited 0
  same 'ROLES=lustre-oss
INSTANCE=i-0a' "$(<"$ROOT/etc/sas-grid/installed")"
  boots_as i-0b
  bootstrap lustre-oss
  exited 0
  grep -qx INSTANCE=i-0b "$ROOT/etc/sas-grid/installed"
}

@test "a boot that goes on with a first one never does so with the roles of the image" {
  echo ROLES=nfs-server >"$ROOT/etc/sas-grid/roles"
  software_installed i-0a
  stub mv 'exit 1'
  bootstrap lustre-oss
  exited 1
  # With the mark there, sas-grid-bootstrap.service does nothing.
  [[ -e $ROOT/etc/sas-grid/installed && -e $ROOT/etc/sas-grid/install-failed ]]
}

@test "an unknown option is an error" {
  bootstrap --rolls
  exited 64
}

@test "what is installed gets its SELinux labels, where SELinux is" {
  stub restorecon
  settings scratch </dev/null
  bootstrap scratch
  exited 0
  [[ $(calls 'restorecon -R .*cdk-sas-grid') == *"$ROOT/etc/systemd/system"* ]]
}

@test "running it again gives the same" {
  bootstrap lustre-oss
  before=$(cd "$ROOT/etc" && find . -type f -exec sha256sum {} + | sort)
  bootstrap lustre-oss
  exited 0
  same "$before" "$(cd "$ROOT/etc" && find . -type f -exec sha256sum {} + | sort)"
}

@test "another Lustre release than the pinned one stops the installation" {
  TOOLS='lctl 2.12.0' KERNEL=2.12.0 bootstrap lustre-oss
  exited 1
  [[ $output == *"Lustre 2.16.1 is wanted, but 2.12.0 is installed"* ]]
  [[ -e $ROOT/etc/sas-grid/install-failed && ! -e $ROOT/etc/sas-grid/installed ]]
  same '' "$(calls 'systemctl (enable|start) .*target')"
}

@test "a kernel without Lustre's modules stops the installation" {
  stub modprobe 'exit 1'
  bootstrap lustre-oss
  exited 1
  [[ $output == *'no modules for the kernel 5.14.0'* ]]
}

@test "an unknown distribution, a role without settings: clear errors" {
  bootstrap scratch
  exited 1
  [[ $output == *'this host has not the role scratch'* ]]
  printf 'ID=plan9\n' >"$ROOT/etc/os-release"
  bootstrap lustre-oss
  exited 1
  [[ $output == *"the distribution 'plan9' is not supported"* ]]
}

no_agent() {
  stub systemctl '[[ $1 != cat ]]'
  stub curl 'case ${*: -1} in */placement/region) echo eu-west-1 ;; */services/domain) echo amazonaws.com ;; esac'
}

@test "the image's SSM agent is enabled and started" {
  bootstrap lustre-oss
  exited 0
  same 'systemctl --no-reload enable --now amazon-ssm-agent.service' "$(calls 'systemctl .*enable --now')"
}

@test "a host without the SSM agent gets it from the bucket of its region" {
  no_agent
  bootstrap lustre-oss
  exited 0
  agent=https://s3.eu-west-1.amazonaws.com/amazon-ssm-eu-west-1/latest/linux_amd64/amazon-ssm-agent.rpm
  [[ $(calls curl) == *"$agent"* ]]
  [[ $(calls 'rpm -U') == *amazon-ssm-agent.rpm ]]
  [[ -n $(calls 'systemctl enable --now amazon-ssm-agent.service') ]]
}

@test "the agent's package for Debian and for Arm" {
  no_agent
  debian
  stub uname 'case $1 in -m) echo aarch64 ;; *) echo 6.1 ;; esac'
  bootstrap lustre-oss
  exited 0
  [[ $(calls curl) == *amazon-ssm-eu-west-1/latest/debian_arm64/amazon-ssm-agent.deb* ]]
  [[ $(calls 'dpkg -i') == *amazon-ssm-agent.deb ]]
}

@test "an agent whose signature does not fit the given key is not installed" {
  no_agent
  touch "$ROOT/etc/sas-grid/ssm-agent.asc"
  stub gpgv 'exit 1'
  bootstrap lustre-oss
  exited 1
  same '' "$(calls 'rpm -U')"
}
