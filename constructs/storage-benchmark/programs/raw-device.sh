#!/bin/bash
# shellcheck disable=SC2034,SC2153,SC2154 # variables of the document and of common/*.sh
# What the data disks of this host give without a file system: EBS volumes and instance store, found by their NVMe
# identity, all at once. It only reads, past the page cache. Stands after common/*.sh in its document.
#
# Exit codes: 0 done; 75 refused; anything else failed.
set -u

# data_disks: prints the disks that carry data: EBS volumes and instance store that have no partitions, as the system's disk has, and are no file
# system of the system.
data_disks() {
  local link name
  for link in "$ROOT"/dev/disk/by-id/nvme-Amazon_E*; do
    # Each disk has several links; those of partitions and namespaces are other names for it.
    [[ $link == *Amazon_Elastic_Block_Store_vol* || $link == *Amazon_EC2_NVMe_Instance_Storage_* ]] || continue
    [[ -e $link && $link != *-part* && $link != *-ns-* && ! $link =~ _[0-9]$ ]] || continue
    name=$(readlink -f "$link")
    ! compgen -G "$ROOT/sys/class/block/${name##*/}/${name##*/}p*" >/dev/null || continue
    ! awk -v device="${name#"$ROOT"}" '$1 == device && ($2 == "/" || $2 ~ /^\/(boot|usr|var|home)/) {found = 1} END {exit !found}' \
      "$ROOT/proc/mounts" 2>/dev/null || continue
    printf '%s\n' "$link"
  done
}

size_mib() {
  local bytes
  bytes=$(blockdev --getsize64 "$1" 2>/dev/null) && [[ -n $bytes ]] || bytes=$(stat -Lc %s "$1")
  printf '%s' $((bytes / 1048576))
}

all_moved() {
  local disk bytes sum=0
  for disk in "${DISKS[@]}"; do
    bytes=$(disk_moved "${disk#"$ROOT"}")
    [[ -n $bytes ]] || return
    sum=$((sum + bytes))
  done
  printf '%s' "$sum"
}

# read_part N: one of the readers of a disk, each of which has a part of its own.
read_part() {
  local disk=${DISKS[$1 / SG_Readers]} part=$(($1 % SG_Readers)) size mib
  size=$(size_mib "$disk")
  mib=$((size < SG_MaxMiB ? size : SG_MaxMiB))
  dd if="$disk" of=/dev/null bs=1M iflag=direct skip=$((size * part / SG_Readers)) count=$((mib / SG_Readers > 0 ? mib / SG_Readers : 1))
}

begin
number MaxMiB 1 67108864
number Readers 1 64
mapfile -t DISKS < <(data_disks)
((${#DISKS[@]} > 0)) || refuse unsupported 'this host has no EBS volume and no instance store besides the disk of its system'
PROCESSES=$((${#DISKS[@]} * SG_Readers))
not_busy all_moved
start_guard
for n in "${!DISKS[@]}"; do
  note "processes $((n * SG_Readers)) to $((n * SG_Readers + SG_Readers - 1)) read ${DISKS[n]##*/}, $(size_mib "${DISKS[n]}") MiB"
done
record setup test=raw-device "processes:=$PROCESSES" "fileMiB:=$((SG_MaxMiB / SG_Readers))" blockKiB:=1024 reduced:=false data=random cachesDropped:=true
wait_for_start
phase read "$PROCESSES" read_part
record 'done'
