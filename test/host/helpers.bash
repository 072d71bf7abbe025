# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# A host made of files: another root, and stubs before everything else on the search path.

REPOSITORY=${BATS_TEST_DIRNAME%/test/host}
RECORDINGS=$BATS_TEST_DIRNAME/recordings
BIN=$REPOSITORY/constructs/host/bin

make_host() {
  export SAS_GRID_ROOT=$BATS_TEST_TMPDIR/root STUBS=$BATS_TEST_TMPDIR/stubs CALLS=$BATS_TEST_TMPDIR/calls
  export SAS_GRID_WAIT=0 SAS_GRID_POLL=0.05 RECORDINGS
  # A program that ends early leaves its temporary files behind.
  export TMPDIR=$BATS_TEST_TMPDIR
  ROOT=$SAS_GRID_ROOT
  mkdir -p "$ROOT"/{etc/sas-grid,proc,dev/disk/by-id,sys/class/net,tmp}
  : >"$ROOT/proc/mounts"
  : >"$CALLS"
  printf 'ID="rhel"\nID_LIKE="fedora"\n' >"$ROOT/etc/os-release"
  PATH=$STUBS:$PATH
  with_stubs host_stubs
}

# with_stubs FUNCTION: the host gets the stubs that the function makes. It makes them once for a file of tests: most of
# the time of a test is the processes that it starts.
with_stubs() {
  local made=$BATS_FILE_TMPDIR/$1
  [[ -d $made ]] || { mkdir "$made" && STUBS=$made "$1"; }
  cp -r "$made/." "$STUBS"
}

# What every host has.
host_stubs() {
  local tool
  for tool in modprobe networkctl nmcli ip sysctl lnetctl blockdev systemctl curl logger udevadm dnf apt-get dpkg \
    rpm gpg gpgv chown tuned-adm hostnamectl useradd groupadd; do
    stub "$tool"
  done
  stub ip "$ANSWERS_LEAVE"
}

# What the kernel says when all is well, for a stub of ip.
ANSWERS_LEAVE='[[ $* != *"route get"* ]] || { echo 192.0.2.1 from x via y dev eth1 table 1003; exit; }'

# stub TOOL [CODE]: the tool is noted with its arguments, then runs CODE. Lustre's tools and kernel modules are of the
# release of the recordings.
stub() {
  local release=''
  [[ $1 != lctl ]] || release='case $* in --version) echo "${TOOLS-lctl 2.17.0}"; exit ;;
    "get_param -n version") echo "${KERNEL-2.17.0}"; exit ;; esac'
  printf '#!/bin/bash\nprintf "%%s\\n" "%s $*" >>"$CALLS"\n%s\n%s\n' "$1" "$release" "${2:-}" >"$STUBS/$1"
  [[ -x $STUBS/$1 ]] || chmod +x "$STUBS/$1"
}

settings() {
  cat >"$ROOT/etc/sas-grid/$1.env"
}

# address_on_eth1: the slot's address is there, and answers leave by $WAY.
address_on_eth1() {
  stub ip 'case $* in *"route get"*) echo "192.0.2.1 from 172.16.4.21 dev ${WAY-eth1} table 1003" ;;
    *) echo "3: ${DEVICE-eth1} inet 172.16.4.21/24" ;; esac'
}

# boots_as INSTANCE: what the firmware says of the instance.
boots_as() {
  mkdir -p "$ROOT/sys/class/dmi/id"
  echo "$1" >"$ROOT/sys/class/dmi/id/board_asset_tag"
}

# software_installed [INSTANCE]: what sas-grid-bootstrap of that instance leaves in the end.
software_installed() {
  printf 'ROLES=\nINSTANCE=%s\n' "${1:-}" >"$ROOT/etc/sas-grid/installed"
}

# disk LINK [CONTENT]: a disk in /dev/disk/by-id, zero when there is no content.
disk() {
  local device=$ROOT/dev/disk/by-id/$1
  printf '%s' "${2:-}" >"$device"
  truncate -s 1M "$device"
}

ebs() {
  disk "nvme-Amazon_Elastic_Block_Store_$1" "${2:-}"
}

calls() {
  grep -E "^$1" "$CALLS" || true
}

# exited CODE: the last run ended so.
exited() {
  [[ $status -eq $1 ]] || {
    printf 'exit code %s, not %s\n%s\n' "$status" "$1" "$output" >&2
    return 1
  }
}

# same EXPECTED FOUND
same() {
  [[ $1 == "$2" ]] || {
    printf 'expected: %s\nfound:    %s\n' "$1" "$2" >&2
    return 1
  }
}
