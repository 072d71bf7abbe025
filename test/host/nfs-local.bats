#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-nfs-local: the export on instance store.

load helpers
load nfs

STORE=nvme-Amazon_EC2_NVMe_Instance_Storage_AWS0

setup() {
  make_nfs_server
  settings nfs-server <<'XEND'
SERVICE=nfs
KIND=instance-store
EXPORT_NAME=sasdata
CLIENTS=172.16.0.0/20
INSTANCE_STORE_DISKS=2
XEND
  DISK_A=$ROOT/dev/disk/by-id/${STORE}1
  DISK_B=$ROOT/dev/disk/by-id/${STORE}2
  disk "${STORE}1"
  disk "${STORE}2"
  stub curl 'case ${*: -1} in */local-ipv4) echo 172.16.4.9 ;; esac'
}

@test "blank disks, as after a stop, become a striped XFS, exported on the host's address; volumes are left alone" {
  run "$BIN/sas-grid-nfs-local"
  exited 0
  [[ $(calls vgcreate) == *"sas-grid-local $DISK_A $DISK_B" ]]
  same "mount -t xfs -o noatime $ROOT/dev/sas-grid-local/data $ROOT/export/sasdata" "$(calls mount)"
  grep -q 'rpc.nfsd -H 172.16.4.9 ' "$ROOT/etc/systemd/system/nfs-server.service.d/sas-grid.conf"
  same AssertPathIsMountPoint=/export/sasdata \
    "$(grep Assert "$ROOT/etc/systemd/system/nfs-server.service.d/sas-grid.conf")"
  [[ $(calls '.*') != *vol0* ]]
}

@test "after a reboot the pool comes back with its data" {
  pool_of sas-grid-local sas-grid-complete "$DISK_A" "$DISK_B"
  run "$BIN/sas-grid-nfs-local"
  exited 0
  same '' "$(calls 'vgcreate|lvcreate|mkfs|wipefs -q')"
  [[ -n $(calls 'mount -t xfs') ]]
  : >"$CALLS"
  run "$BIN/sas-grid-nfs-local"
  exited 0
  same '' "$(calls 'mount|vgchange|mkfs')"
}

@test "foreign data on a disk, or only some disks blank, is refused" {
  disk "${STORE}2" 'somebody was here'
  run "$BIN/sas-grid-nfs-local"
  exited 4
  disk "${STORE}2"
  pool_of sas-grid-local sas-grid-complete "$DISK_A"
  run "$BIN/sas-grid-nfs-local"
  exited 4
  same '' "$(calls 'vgcreate|lvcreate|mkfs|mount|wipefs -q')"
}

@test "too few disks are an error that says how many; nothing is exported" {
  rm "$DISK_B"
  run "$BIN/sas-grid-nfs-local"
  exited 1
  [[ $output == *'1 instance-store disks, but 2 are wanted'* ]]
  same '' "$(calls 'vgcreate|mount|systemctl')"
}

@test "a server of a slot exports no instance store" {
  sed -i s/KIND=instance-store/KIND=ebs/ "$ROOT/etc/sas-grid/nfs-server.env"
  run "$BIN/sas-grid-nfs-local"
  exited 0
  same '' "$(calls '.*')"
}
