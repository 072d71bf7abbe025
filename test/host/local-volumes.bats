#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-serve with a file system of this host alone, on volumes that outlive it.

load helpers
load server
load nfs

setup() {
  make_nfs_server
  rm "$ROOT/etc/sas-grid/nfs-server.env"
  settings local-volumes <<'END'
VOLUMES_PER_SLOT=2
MOUNT_POINT=/sasdata
STRIPE_KIB=1024
READ_AHEAD_KIB=256
END
  interface
  stub xfs_growfs
  stub systemd-escape 'echo sasdata.mount'
  stub restorecon
  DATA=$ROOT/dev/sas-grid-io2-00/data
}

serve_local() {
  run "$BIN/sas-grid-serve" --slot io2-00 --epoch 3 --address 172.16.4.21 --volumes vol-0a,vol-0b "$@"
}

complete() {
  pool_of sas-grid-io2-00 sas-grid-complete "$DISK_A" "$DISK_B"
}

untouched() {
  same '' "$(calls 'vgcreate|lvcreate|mkfs|wipefs -q|pvresize')"
}

@test "blank volumes become a stripe of 1 MiB with XFS, mounted, with read-ahead on the device that it sits on" {
  serve_local --may-format
  exited 0
  [[ $(calls lvcreate) == *'-K -k y -i 2 -I 1024 -l '*'-n data sas-grid-io2-00' ]]
  same "mkfs.xfs -q -K $DATA" "$(calls mkfs)"
  same "mount -t xfs -o noatime $DATA $ROOT/sasdata" "$(calls mount)"
  same "blockdev --setra 512 $DISK_A $DISK_B $DATA" "$(calls blockdev)"
  same 1777 "$(stat -c %a "$ROOT/sasdata")"
  # Somebody makes it a group's, and the host starts again.
  chmod 770 "$ROOT/sasdata"
  : >"$ROOT/proc/mounts"
  serve_local
  same 770 "$(stat -c %a "$ROOT/sasdata")"
}

@test "volumes are not formatted without permission, and never when they carry anything else" {
  serve_local
  exited 4
  untouched
  ebs vol0b 'somebody was here'
  serve_local --may-format
  exited 4
  untouched
  same '' "$(calls mount)"
}

@test "the volumes of a host that was replaced are mounted with their data, whatever the permission" {
  complete
  mkdir -p "$ROOT/sasdata"
  stub find 'echo library'
  for permission in '' --may-format; do
    : >"$ROOT/proc/mounts"
    serve_local $permission
    exited 0
    untouched
    [[ $(calls mount) == *"$DATA $ROOT/sasdata" ]]
  done
  same 755 "$(stat -c %a "$ROOT/sasdata")"
}

@test "the pool of another slot, or a part of it, is refused" {
  pool_of sas-grid-io2-01 sas-grid-complete "$DISK_A" "$DISK_B"
  serve_local --may-format
  exited 4
  : >"$ROOT/lvm"
  pool_of sas-grid-io2-00 sas-grid-complete "$DISK_A"
  ebs vol0b
  serve_local --may-format
  exited 4
  untouched
}

@test "instance store is no place for it: only the volumes of the slot are looked at" {
  disk nvme-Amazon_EC2_NVMe_Instance_Storage_AWS1
  serve_local --may-format
  exited 0
  same '' "$(grep Instance_Storage "$CALLS" || true)"
}

@test "served again: nothing is mounted, formatted or reloaded" {
  serve_local --may-format
  : >"$CALLS"
  serve_local --may-format
  exited 0
  untouched
  same '' "$(calls 'mount|vgchange|lvextend|systemctl')"
}

@test "larger volumes: pool and file system grow, with it mounted" {
  complete
  PV_MIB=256.00 USED=63 serve_local
  exited 0
  same 2 "$(calls pvresize | wc -l)"
  [[ $(calls lvextend) == *'-i 2 -I 1024 -l +128 sas-grid-io2-00/data' ]]
  [[ $(calls 'mount|lvextend|xfs_growfs') == mount*lvextend*"xfs_growfs $ROOT/sasdata" ]]
}

@test "a growth that fails does not keep the file system away" {
  complete
  stub xfs_growfs 'exit 1'
  serve_local
  exited 0
  [[ $output == *'could not grow'* ]]
}

@test "a file system that does not mount is let go of, and never formatted" {
  complete
  stub mount 'exit 32'
  serve_local --may-format
  exited 1
  [[ $output == *xfs_repair* && $(calls vgchange) == *'-a n sas-grid-io2-00' ]]
  untouched
}

@test "a file system that has shut down, or lost a volume, says that the host has to be replaced" {
  serve_local --may-format
  rm "$ROOT/sys/block/data/slaves/${DISK_B##*/}"
  serve_local
  exited 1
  [[ $output == *'has to be replaced, terminate it'* ]]
  touch "$ROOT/sys/block/data/slaves/${DISK_B##*/}"
  stub stat 'exit 1'
  serve_local
  exited 1
  [[ $output == *'shut down'*'terminate it'* ]]
}

@test "something else on the mount point is refused before anything is formatted" {
  echo "tmpfs $ROOT/sasdata tmpfs rw 0 0" >"$ROOT/proc/mounts"
  serve_local --may-format
  exited 4
  untouched
}

@test "who requires the mount waits for the slot; a grid node is started when it is there" {
  serve_local --may-format
  unit=$ROOT/etc/systemd/system/sasdata.mount
  grep -qx 'After=sas-grid-slot.service' "$unit"
  grep -qx 'What=/run/sas-grid/local' "$unit"
  same "$DATA" "$(readlink "$ROOT/run/sas-grid/local")"
  same 'systemctl daemon-reload' "$(calls systemctl)"
  settings grid-node <<<'HOST_NAME=sas'
  serve_local
  [[ $(calls systemctl) == *'start --no-block sas-grid-grid-node.target' ]]
}

@test "half-made by this host, it is made again; by another one, refused" {
  pool_of sas-grid-io2-00 '' "$DISK_A" "$DISK_B"
  serve_local --may-format
  exited 4
  mkdir -p "$ROOT/etc/sas-grid/formatting"
  for volume in vol-0a vol-0b; do echo 3 >"$ROOT/etc/sas-grid/formatting/$volume"; done
  serve_local --may-format
  exited 0
  [[ $(calls 'wipefs -q|mkfs') == "wipefs -q -a $DISK_A $DISK_B"*mkfs.xfs* ]]
}
