#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# What the programs that build an image of Debian accept, refuse, record and hold.

bats_require_minimum_version 1.5.0

REPOSITORY=${BATS_TEST_DIRNAME%/test/host}
K=6.1.0-56-amd64

# The programs as they lie on a machine, with the host software beside them.
setup() {
  export SAS_GRID_ROOT=$BATS_TEST_TMPDIR/root CALLS=$BATS_TEST_TMPDIR/calls STUBS=$BATS_TEST_TMPDIR/stubs
  export VERMAGIC="$K SMP" RUNS=$K
  ROOT=$SAS_GRID_ROOT BASE=$BATS_TEST_TMPDIR/base
  mkdir -p "$ROOT/lib/modules/$K" "$ROOT/boot/grub" "$ROOT/var/lib/sas-grid-image" "$BASE" "$STUBS"
  cp -r "$REPOSITORY"/constructs/machine-image/scripts/{debian,lib} "$BASE/"
  ln -s "$REPOSITORY/constructs/host" "$BASE/host"
  # No test asks the metadata service of the machine that it runs on.
  export AWS_EC2_METADATA_SERVICE_ENDPOINT=http://127.0.0.1:9
  : >"$CALLS"
  printf '%s\n' SYSTEM=debian KIND=lustre-server BACKEND=zfs "KERNEL=$K" LUSTRE_VERSION=2.17.0-1 \
    HOST_SOFTWARE=abc >"$BASE/image.env"
  printf '%s\t%s\t%s\n' kernel "linux-image-$K" - lustre lustre-server-utils=2.17.0-1 lustre >"$BASE/packages.tsv"
  PATH=$STUBS:$PATH
  for tool in apt-get apt-mark depmod modprobe lnetctl lfs mount.lustre mkfs.lustre tunefs.lustre zpool zfs \
    update-grub systemctl; do
    stub "$tool"
  done
  stub uname 'echo "$RUNS"'
  stub modinfo 'echo "$VERMAGIC"'
  stub lctl 'case $* in --version) echo lctl 2.17.0 ;; *version) echo "lustre: ${LOADED-2.17.0}" ;; esac'
  stub dpkg-query 'printf "%s\n" "ii  linux-image-6.1.0-56-amd64" "hi  zfsutils-linux" "un  lustre-client-utils"'
}

stub() {
  printf '#!/bin/bash\nprintf "%%s\\n" "%s $*" >>"$CALLS"\n%s\n' "$1" "${2:-}" >"$STUBS/$1"
  chmod +x "$STUBS/$1"
}

program() {
  run -"${2:-0}" "$BASE/debian/$1"
}

says() {
  [[ $output == *"$1"* ]] || { printf 'not said: %s\nbut: %s\n' "$1" "$output" && false; }
}

called() {
  grep -q -- "$1" "$CALLS" || { printf 'not called: %s\n' "$1" && cat "$CALLS" && false; }
}

not_called() {
  run ! grep -- "$1" "$CALLS"
}

set_to() {
  sed -i "s/^$1=.*/$1=$2/" "$BASE/image.env"
}

@test "Lustre is installed from the local repository alone, loaded, and held with kernel and ZFS" {
  program image-lustre
  called 'apt-get .*SourceList=.*sas-grid-mirror.list .*SourceParts=/dev/null .*install lustre-server-utils=2.17.0-1'
  called "depmod $K"
  called 'modprobe osd_zfs'
  called 'apt-mark hold linux-image-6.1.0-56-amd64 zfsutils-linux$'
}

@test "another running kernel is refused before anything is installed" {
  RUNS=6.1.0-9-amd64 program image-lustre 1
  says "the kernel 6.1.0-9-amd64 runs, not $K"
  not_called 'install'
}

@test "modules of another kernel are refused, and nothing is held" {
  VERMAGIC='6.1.0-9-amd64 SMP' program image-lustre 1
  says "is built for 6.1.0-9-amd64, not for $K"
  not_called 'apt-mark'
}

@test "a backend that is missing is named" {
  stub modinfo '[[ $* != *osd_zfs ]] || exit 1; echo "$VERMAGIC"'
  program image-lustre 1
  says "the kernel $K has no module osd_zfs"
}

@test "tools of another release, and modules of another than the tools', are refused" {
  set_to LUSTRE_VERSION 2.16.1-1
  program image-lustre 1
  says 'Lustre 2.16.1-1 is wanted, but its tools are of 2.17.0'
  set_to LUSTRE_VERSION 2.17.0-1
  LOADED=2.15.6 program image-lustre 1
  says 'the modules are of Lustre 2.15.6, but the tools of 2.17.0'
}

@test "in a chroot nothing is loaded, and the rest is checked all the same" {
  SAS_IMAGE_CHROOT=yes RUNS=other program image-lustre
  not_called 'modprobe'
  called 'apt-mark hold'
  SAS_IMAGE_CHROOT=yes VERMAGIC='other SMP' program image-lustre 1
}

@test "a node of the grid needs no server" {
  set_to KIND grid-node
  rm "$STUBS"/{mkfs.lustre,zpool}
  program image-lustre
  not_called 'osd_zfs'
}

@test "the exact kernel becomes GRUB's default, by the ids of the menu, and is held" {
  printf '%s\n' "submenu 'Advanced' \$menuentry_id_option 'gnulinux-advanced-1f2e' {" \
    "menuentry 'x' \$menuentry_id_option 'gnulinux-6.1.0-99-amd64-advanced-1f2e' {" \
    "menuentry 'y' \$menuentry_id_option 'gnulinux-$K-advanced-1f2e' {" >"$ROOT/boot/grub/grub.cfg"
  program image-kernel
  grep -qx "GRUB_DEFAULT=\"gnulinux-advanced-1f2e>gnulinux-$K-advanced-1f2e\"" \
    "$ROOT/etc/default/grub.d/99-sas-grid.cfg"
  called "apt-mark hold linux-image-$K"
}

@test "a host with Secure Boot or FIPS mode is refused before a kernel is installed" {
  local variable=$ROOT/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
  mkdir -p "${variable%/*}" "$ROOT/proc/sys/crypto"
  printf '\6\0\0\0\1' >"$variable"
  program image-kernel 4
  says 'Secure Boot is on'
  printf '\6\0\0\0\0' >"$variable"
  echo 1 >"$ROOT/proc/sys/crypto/fips_enabled"
  program image-kernel 4
  says 'FIPS mode is on'
  not_called install
}

@test "a kernel that is not in GRUB's menu, or not installed, is an error" {
  : >"$ROOT/boot/grub/grub.cfg"
  program image-kernel 1
  says 'has no entry of the kernel'
  rmdir "$ROOT/lib/modules/$K"
  program image-kernel 1
  says 'is not there after the installation'
}

@test "what differs from host to host is removed" {
  mkdir -p "$ROOT"/{etc/ssh,etc/zfs,root/.ssh,var/log,var/lib/dhcp,var/lib/cloud,tmp,var/tmp,var/lib/apt/lists}
  touch "$ROOT"/etc/{hostid,ssh/ssh_host_rsa_key,ssh/sshd_config,zfs/zpool.cache} "$ROOT/root/.ssh/authorized_keys"
  echo 1234 >"$ROOT/etc/machine-id"
  echo line >"$ROOT/var/log/syslog"
  program image-clean
  [[ ! -e $ROOT/etc/hostid && ! -e $ROOT/etc/ssh/ssh_host_rsa_key && ! -e $ROOT/etc/zfs/zpool.cache ]]
  [[ ! -e $ROOT/root/.ssh/authorized_keys && ! -s $ROOT/etc/machine-id && ! -s $ROOT/var/log/syslog ]]
  [[ -e $ROOT/etc/ssh/sshd_config && -e $ROOT/etc/machine-id && ! -e $ROOT/var/lib/sas-grid-image ]]
}

# software: the hash of the host software, by the program's own rule.
software() {
  # shellcheck source=constructs/machine-image/scripts/lib/host-software.sh
  source "$BASE/lib/host-software.sh"
  software_sum "$BASE/host/"
}

@test "the host software lies below its hash, and its programs can be run; the agent starts with the host" {
  local sum
  sum=$(software)
  set_to HOST_SOFTWARE "$sum"
  program image-host
  [[ -x $ROOT/usr/share/cdk-sas-grid/$sum/bin/sas-grid-bootstrap && ! -x $ROOT/usr/share/cdk-sas-grid/$sum/lib/log.sh ]]
  called 'install amazon-ssm-agent'
  called 'systemctl --no-reload enable amazon-ssm-agent.service'
}

@test "host software of another synthesis is refused" {
  program image-host 4
  says 'but image.env names abc'
}

@test "an agent that is new enough stays, and an old one is replaced" {
  set_to HOST_SOFTWARE "$(software)"
  echo AGENT_MINIMUM=3.2.1 >>"$BASE/image.env"
  stub dpkg-query 'echo "installed 3.10.0"'
  program image-host
  not_called 'install amazon-ssm-agent'
  stub dpkg-query 'echo "installed 3.2.0"'
  program image-host
  called 'install amazon-ssm-agent'
}
