#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# The health probe while somebody repairs or changes a file system, and of Lustre targets that have met errors.

load helpers

setup() {
  make_host
  address_on_eth1
  printf 'SLOT=oss-00\nEPOCH=2\nADDRESS=172.16.4.21\nVOLUMES=vol-0a,vol-0b\n' >"$ROOT/etc/sas-grid/slot.env"
  printf 'BACKEND=ldiskfs\nVOLUMES_PER_SLOT=2\n' | settings lustre-oss
  echo '4000.00 1.00' >"$ROOT/proc/uptime"
  sed "s, /srv, $ROOT/srv," "$RECORDINGS/proc_mounts_oss_ldiskfs.out" >"$ROOT/proc/mounts"
  for number in 0 1; do
    mkdir -p "$ROOT/sys/fs/ldiskfs/nvme${number}n1"
    echo 0 >"$ROOT/sys/fs/ldiskfs/nvme${number}n1/errors_count"
    : >"$ROOT/dev/nvme${number}n1"
  done
  ln -sf ../../nvme0n1 "$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a"
  ln -sf ../../nvme1n1 "$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0b"
  stub lctl 'case $* in list_nids) echo 172.16.4.21@tcp ;; *health_check) echo healthy ;; esac'
  stub zpool
}

# runs NAME: a process of that name does.
runs() {
  mkdir -p "$ROOT/proc/77"
  echo "$1" >"$ROOT/proc/77/comm"
}

# said CODE TEXT: the probe answers so.
said() {
  run bash "$REPOSITORY/constructs/host/documents/probe.sh"
  exited "$1"
  same "$2" "${output% }"
}

@test "what fails while a file system is repaired or changed is in doubt, and fails when that has ended" {
  sed -i 1d "$ROOT/proc/mounts"
  for tool in e2fsck fsck.ext4 fsck.ldiskfs resize2fs tune2fs tunefs.lustre xfs_repair; do
    runs "$tool"
    said 75 "oss-00 2 unsure $tool runs: 1 of 2 targets are mounted"
  done
  # Others, and what happened to be there before.
  for other in systemd my-e2fsck e2fsckd fsckxext4; do
    runs "$other"
    said 20 'oss-00 2 fails 1 of 2 targets are mounted'
  done
}

@test "a host that starts again and again fails, though it serves at this moment and has just started" {
  now=$(date +%s)
  echo '40.00 1.00' >"$ROOT/proc/uptime"
  printf '%s\n' $((now - 3700)) $((now - 3000)) $((now - 2000)) $((now - 1000)) \
    $((now - 40)) >"$ROOT/etc/sas-grid/boots"
  said 0 'oss-00 2 serves'
  echo "$now" >>"$ROOT/etc/sas-grid/boots"
  said 20 'oss-00 2 fails its operating system has started 5 times within an hour'
  runs e2fsck
  said 75 'oss-00 2 unsure e2fsck runs: its operating system has started 5 times within an hour'
}

@test "what serves serves, whatever runs" {
  runs e2fsck
  said 0 'oss-00 2 serves'
}

@test "a target that counts errors fails, though Lustre calls it healthy" {
  said 0 'oss-00 2 serves'
  echo 3 >"$ROOT/sys/fs/ldiskfs/nvme1n1/errors_count"
  said 20 'oss-00 2 fails sasfs-OST0001 has met errors, and may have stopped writing'
}

@test "a target whose disk was taken away fails, also when the disk is back as another device" {
  link=$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0b
  rm "$link" "$ROOT/dev/nvme1n1"
  said 20 'oss-00 2 fails the disk of vol-0b is gone'
  : >"$ROOT/dev/nvme1n2"
  ln -s ../../nvme1n2 "$link"
  said 20 'oss-00 2 fails sasfs-OST0001 is on a disk that was taken away'
}

@test "targets of ZFS, and a kernel that tells no count, are asked no more than before" {
  rm -r "$ROOT/sys/fs/ldiskfs"
  said 0 'oss-00 2 serves'
  printf 'BACKEND=zfs\nVOLUMES_PER_SLOT=2\n' | settings lustre-oss
  printf 'pool%s/target %s/srv/lustre/sasfs-OST000%s lustre rw 0 0\n' 0 "$ROOT" 0 1 "$ROOT" 1 >"$ROOT/proc/mounts"
  said 0 'oss-00 2 serves'
}

# pools ERRORS SYNC: two pools, of which the first counts errors, and what it does when it is asked to write.
pools() {
  printf 'BACKEND=zfs\nVOLUMES_PER_SLOT=2\n' | settings lustre-oss
  printf 'pool%s/target %s/srv/lustre/sasfs-OST000%s lustre rw 0 0\n' 0 "$ROOT" 0 1 "$ROOT" 1 >"$ROOT/proc/mounts"
  sed "s/ 97 / $1 /" "$RECORDINGS/zpool_status_write_errors.out" >"$ROOT/status"
  stub zpool "case \$* in
    'list -H -o name,health') printf 'sasfs-ost%s\\tONLINE\\n' 0000 0001 ;;
    'list -H -o name') printf 'sasfs-ost%s\\n' 0000 0001 ;;
    'status -p sasfs-ost0000') cat '$ROOT/status' ;;
    'sync sasfs-ost0000') $2 ;;
  esac"
}

@test "a pool that ZFS calls ONLINE fails when it has met errors, and a write never ends" {
  pools '   97' 'exec sleep 30'
  SAS_GRID_PROBE_SECONDS=2 said 20 \
    'oss-00 2 fails its check hangs for 2 s: the pool sasfs-ost0000, which has met errors, does not write'
}

@test "a pool that has met errors, and refuses a write, fails" {
  pools '   97' 'exit 1'
  said 20 'oss-00 2 fails the pool sasfs-ost0000, which has met errors, refuses to write'
}

@test "a pool that has only met errors of reads is not asked to write" {
  pools '   97' 'exec sleep 30'
  sed -i 's/   97     0$/0     3/; s/ONLINE       0 /ONLINE       5 /' "$ROOT/status"
  said 0 'oss-00 2 serves'
  same '' "$(calls 'zpool sync')"
}

@test "a pool that has met errors and writes again serves, and one without errors is not asked to write" {
  pools '   97' true
  said 0 'oss-00 2 serves'
  [[ -n $(calls 'zpool sync') ]]
  : >"$CALLS"
  pools '    0' 'exec sleep 30'
  said 0 'oss-00 2 serves'
  same '' "$(calls 'zpool sync')"
}

# A server whose file system is a logical volume on both disks of its slot.
logical_volume() {
  rm -f "$ROOT/etc/sas-grid/lustre-oss.env"
  echo 'MOUNT_POINT=/sas' | settings local-volumes
  mkdir -p "$ROOT/dev/mapper" "$ROOT/sas" "$ROOT/sys/class/block/dm-0/slaves"
  : >"$ROOT/dev/dm-0"
  ln -s ../dm-0 "$ROOT/dev/mapper/$1"
  touch "$ROOT/sys/class/block/dm-0/slaves/nvme"{0,1}n1
  echo "/dev/mapper/$1 $ROOT/sas xfs rw 0 0" >"$ROOT/proc/mounts"
}

@test "a logical volume fails when one of its disks was taken away, also when that is back as another device" {
  logical_volume sas--grid--oss--00-data
  said 0 'oss-00 2 serves'
  link=$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0b
  rm "$link" "$ROOT/dev/nvme1n1"
  : >"$ROOT/dev/nvme1n2"
  ln -s ../../nvme1n2 "$link"
  said 20 'oss-00 2 fails /sas is on a disk that was taken away'
  # A kernel that no longer names the disk that it has dropped.
  rm "$ROOT/sys/class/block/dm-0/slaves/"*
  said 20 'oss-00 2 fails /sas is on a disk that was taken away'
}

@test "a logical volume of the image, and one whose disks nobody tells, are not asked for them" {
  logical_volume vg0-root
  rm "$ROOT/sys/class/block/dm-0/slaves/"*
  said 0 'oss-00 2 serves'
  rm "$ROOT/dev/mapper/vg0-root"
  rm -r "$ROOT/sys/class/block/dm-0"
  logical_volume sas--grid--oss--00-data
  rm -r "$ROOT/sys/class/block/dm-0"
  said 0 'oss-00 2 serves'
}

@test "a logical volume with a snapshot, or that is being moved, serves while its disks are there" {
  logical_volume sas--grid--oss--00-data
  mkdir -p "$ROOT/sys/class/block/dm-1/slaves"
  mv "$ROOT/sys/class/block/dm-0/slaves/nvme1n1" "$ROOT/sys/class/block/dm-1/slaves/nvme7n1"
  touch "$ROOT/sys/class/block/dm-0/slaves/dm-1" "$ROOT/dev/nvme7n1"
  said 0 'oss-00 2 serves'
  rm "$ROOT/dev/nvme7n1"
  said 20 'oss-00 2 fails /sas is on a disk that was taken away'
}
