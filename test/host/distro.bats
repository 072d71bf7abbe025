#!/usr/bin/env bats
# shellcheck disable=SC2013,SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# Both families of distributions: how they are told apart, and what each role installs.

load helpers

setup() {
  make_host
  mkdir -p "$ROOT/opt"
  cp -r "$REPOSITORY/constructs/host" "$ROOT/opt/cdk-sas-grid"
  stub rpm '[[ $1 != -q ]]'
  stub dpkg-query 'exit 1'
  stub uname 'case $1 in -m) echo x86_64 ;; *) echo 6.8.0-1021-aws ;; esac'
}

release() {
  cp "$RECORDINGS/os-release/$1" "$ROOT/etc/os-release"
}

# installed ROLE RELEASE: prints the packages that the role installs.
installed() {
  release "$2"
  : >"$CALLS"
  run "$ROOT/opt/cdk-sas-grid/bin/sas-grid-bootstrap" "$1"
  exited 0
  calls '(dnf -y -q|apt-get .*) install' | sed 's/.* install //'
}

@test "every supported release is of its family" {
  for name in rhel-8 rhel-9 rocky-9 alma-9 centos-9 amzn-2023 rocky-10; do
    release "$name"
    run bash -c "source $ROOT/opt/cdk-sas-grid/lib/log.sh; source $ROOT/opt/cdk-sas-grid/lib/distro.sh; echo \$FAMILY"
    same rhel "$output"
  done
  for name in debian-12 ubuntu-22 ubuntu-24; do
    release "$name"
    run bash -c "source $ROOT/opt/cdk-sas-grid/lib/log.sh; source $ROOT/opt/cdk-sas-grid/lib/distro.sh; echo \$FAMILY"
    same debian "$output"
  done
}

@test "a release that is too old is refused before anything is installed" {
  release amzn-2
  settings scratch </dev/null
  run "$ROOT/opt/cdk-sas-grid/bin/sas-grid-bootstrap" scratch
  exited 1
  [[ $output == *"'amzn' 2 is not supported"* ]]
  same '' "$(calls '(dnf|systemctl)')"
}

@test "the packages of each role, in both families" {
  for role in scratch grid-node nfs-server nfs-client; do settings "$role" </dev/null; done
  for name in rhel-8 rocky-9 amzn-2023 debian-12 ubuntu-22; do
    same 'mdadm xfsprogs' "$(installed scratch "$name")"
    [[ $name == amzn-2023 ]] || same tuned "$(installed grid-node "$name")"
  done
  # Amazon Linux 2023 has no tuned.
  same '' "$(installed grid-node amzn-2023)"
  same 'nfs-utils lvm2 e2fsprogs xfsprogs' "$(installed nfs-server rhel-9)"
  same 'nfs-kernel-server lvm2 e2fsprogs xfsprogs' "$(installed nfs-server ubuntu-24)"
  same nfs-utils "$(installed nfs-client rhel-8)"
  same nfs-common "$(installed nfs-client debian-12)"
  settings scratch <<<'FILE_SYSTEM=ext4'
  same mdadm "$(installed scratch debian-12)"
}

@test "a GFS2 node of the RHEL family gets the repositories of clustering, whatever they are called" {
  settings gfs2-node <<<'FENCE=ec2'
  stub dnf 'case $* in *repolist*) cat <<END ;; esac
repo id                                    repo name                     status
appstream                                  AppStream                     enabled
highavailability                           High Availability             disabled
highavailability-source                    High Availability - Source    disabled
ha                                         Rocky 8 - HighAvailability    disabled
resilient-storage                          Rocky 8 - ResilientStorage    disabled
resilientstorage-debuginfo                 Debug                         disabled
rhel-9-for-x86_64-resilientstorage-rpms    Resilient Storage             disabled
END'
  [[ $(installed gfs2-node rocky-9) == *dnf-plugins-core*corosync*gfs2-utils* ]]
  same "$(printf 'dnf -q config-manager --set-enabled %s\n' highavailability ha resilient-storage \
    rhel-9-for-x86_64-resilientstorage-rpms)" \
    "$(calls 'dnf -q config-manager')"
}

@test "a GFS2 node of the Debian family; reservations need nvme-cli; Ubuntu keeps the modules in another package" {
  settings gfs2-node <<<'FENCE=ec2+nvme'
  [[ $(installed gfs2-node debian-12) == corosync*gfs2-utils*dlm-controld*nvme-cli ]]
  stub modprobe 'exit 1'
  [[ $(installed gfs2-node ubuntu-22 | head -1) == linux-modules-extra-6.8.0-1021-aws ]]
}

@test "where there is no GFS2 the role is refused with the reason" {
  settings gfs2-node </dev/null
  for name in rhel-10 rocky-10 amzn-2023; do
    release "$name"
    run "$ROOT/opt/cdk-sas-grid/bin/sas-grid-bootstrap" gfs2-node
    exited 1
    [[ $output == *'has no GFS2'* ]]
  done
  same '' "$(calls '(dnf .*install|systemctl (start|enable) .*gfs2)')"
  [[ -e $ROOT/etc/sas-grid/install-failed ]]
}

@test "Debian's packages come without what they recommend, after an interrupted installation was ended" {
  settings scratch </dev/null
  installed scratch debian-12
  same 'dpkg --configure -a
apt-get -q update
apt-get -y -q --no-install-recommends install mdadm xfsprogs' "$(calls '(dpkg --|apt-get)')"
}

@test "a mirror that is late is waited for, and one that never answers is an error with the packages' names" {
  settings scratch </dev/null
  release rhel-9
  stub dnf '[[ $(grep -c "^dnf -y" "$CALLS") -ge 3 ]]'
  SAS_GRID_WAIT=30 run "$ROOT/opt/cdk-sas-grid/bin/sas-grid-bootstrap" scratch
  exited 0
  stub dnf 'exit 1'
  SAS_GRID_WAIT=0 run "$ROOT/opt/cdk-sas-grid/bin/sas-grid-bootstrap" scratch
  exited 1
  [[ $output == *'cannot install mdadm xfsprogs'* ]]
}
