# shellcheck shell=bash disable=SC2016,SC2154
# What the tests of sas-grid-serve share.

# An object storage server with one blank volume.
make_server() {
  make_host
  settings lustre-oss <<'END'
FSNAME=sasfs
MGS_NID=172.16.4.10@tcp
BACKEND=ldiskfs
SERVICE=oss
VOLUMES_PER_SLOT=1
END
  software_installed
  ebs vol0a
  interface
  with_stubs server_stubs
}

server_stubs() {
  blank_disks
  stub mkfs.lustre
  stub tunefs.lustre
  # mkfs.lustre has turned multihost on.
  stub zpool 'case $* in get*) echo on ;; esac'
  stub mount
  stub dumpe2fs 'echo "Filesystem state:         clean"'
  stub e2fsck
  stub e2mmpstatus
  stub lctl 'case $1 in list_nids) echo 172.16.4.21@tcp ;; ping) cat "$RECORDINGS/lctl_ping_ok.out" ;;
    get_param) echo healthy ;; esac'
}

interface() {
  mkdir -p "$ROOT/sys/class/net/eth1"
  echo 02:00:00:00:00:01 >"$ROOT/sys/class/net/eth1/address"
  echo 3 >"$ROOT/sys/class/net/eth1/ifindex"
  stub curl 'case ${*: -1} in */local-ipv4s) echo 172.16.4.21 ;; */subnet-ipv4-cidr-block) echo 172.16.4.0/24 ;; esac'
}

blank_disks() {
  stub wipefs
  stub blkid 'exit 2'
}

# existing RECORDING: the disk carries what tunefs.lustre recorded there.
existing() {
  ebs vol0a data
  stub wipefs 'echo 0x438,uuid,,ext4'
  stub blkid 'echo TYPE=ext4'
  stub tunefs.lustre "cat $RECORDINGS/$1; exit ${2:-0}"
}

serve() {
  run "$BIN/sas-grid-serve" --slot oss-00 --epoch 3 --address 172.16.4.21 --volumes vol-0a "$@"
}
