#!/bin/bash
# Whether this host serves what it was told to. It travels in a document of Systems Manager, not in the host bundle, and only reads.
#
# Prints one line: the slot and the epoch that this host knows, "serves", "fails" or "unsure", and why. Exit codes: 0 serves; 20 fails;
# 75 and anything else: it cannot tell.
set -u

root=${SAS_GRID_ROOT:-}
seconds=${SAS_GRID_PROBE_SECONDS:-20}
slot_file=$root/etc/sas-grid/slot.env

known() {
  sed -n "s/^$1=//p" "$slot_file" 2>/dev/null
}
slot=$(known SLOT) epoch=$(known EPOCH) address=$(known ADDRESS)

# answer CODE WORD [REASON]...
answer() {
  local code=$1
  shift
  printf '%s %s %s\n' "${slot:--}" "${epoch:-0}" "$*" | tr -s '[:space:]' ' '
  exit "$code"
}

# at_work: prints the name of a tool that repairs or changes a file system of this host, one that runs.
at_work() {
  grep -hsxE 'e2fsck|fsck\.(ext4|ldiskfs)|resize2fs|tune2fs|tunefs\.lustre|xfs_repair' "$root"/proc/[0-9]*/comm | head -n 1
}

# starts: prints how often the operating system has started within an hour while this host had its slot. One that panics again and again serves in
# between, so that no single look finds it.
many=5
starts() {
  cat "$root/etc/sas-grid/boots" 2>/dev/null | awk -v since=$(($(date +%s) - 3600)) '$1 > since {count++} END {print count + 0}'
}

# fails REASON...: nobody ends a repair, or a growth by hand, in the middle, for which file systems are unmounted. A host that has just
# started is still getting ready: sas-grid-slot.service serves the slot again.
fails() {
  local up='' tool
  tool=$(at_work)
  [[ -z $tool ]] || answer 75 unsure "$tool runs: $*"
  read -r up _ 2>/dev/null <"$root/proc/uptime"
  up=${up%%.*}
  ((${up:-99999} >= 900 || $(starts) >= many)) || answer 75 unsure "it started $up s ago: $*"
  answer 20 fails "$@"
}

# setting KEY: of the role whose service this host serves.
setting() {
  sed -n "s/^$1=//p" "$role" | tail -n 1
}

# mounted DIRECTORY TYPE: prints its options.
mounted() {
  awk -v dir="$root$1" -v type="$2" '$2 == dir && $3 == type {print $4}' "$root/proc/mounts"
}

# errors_of DIRECTORY KIND: prints how many errors the kernel counts of the file system that is mounted there. e2fsck sets it back.
errors_of() {
  local device errors=0
  device=$(awk -v dir="$root$1" '$2 == dir {device = $1} END {print device}' "$root/proc/mounts")
  device=$(readlink -f "$root${device#"$root"}")
  read -r errors <"$root/sys/fs/$2/${device##*/}/errors_count"
  echo "$errors"
}

# failed_writes POOL: prints how many writes to its disks ZFS counts as failed. An import or `zpool clear` sets it back.
failed_writes() {
  zpool status -p "$1" 2>/dev/null | awk 'NF >= 5 && $3 $4 $5 ~ /^[0-9]+$/ {failed += $4} END {print failed + 0}'
}

# zfs: a pool whose writes all fail is ONLINE all the same where zed does not run: OpenZFS 2.1.11 tried again for ever, and
# who wrote waited. Such a pool counts failed writes, and ends no transaction. What waits longer than the whole check is
# told by what stands in $found.asks.
zfs() {
  local pools pool
  pools=$(zpool list -H -o name,health 2>/dev/null | awk '$2 ~ /SUSPENDED|FAULTED|UNAVAIL/')
  [[ -z $pools ]] || fails "ZFS: $pools"
  while read -r pool; do
    (($(failed_writes "$pool") > 0)) || continue
    echo "the pool $pool, which has met errors, does not write" >"$found.asks"
    zpool sync "$pool" || fails "the pool $pool, which has met errors, refuses to write"
    rm -f "$found.asks"
  done < <(zpool list -H -o name 2>/dev/null)
}

lustre() {
  local wanted targets nids health target
  wanted=$(setting VOLUMES_PER_SLOT)
  targets=$(awk -v dir="$root/srv/lustre/" 'index($2, dir) == 1 && $3 ~ /^lustre/' "$root/proc/mounts" | wc -l)
  ((targets >= wanted)) || fails "$targets of $wanted targets are mounted"
  nids=$(lctl list_nids 2>/dev/null) || answer 75 unsure 'lctl does not run'
  [[ $'\n'$nids$'\n' == *$'\n'$address@tcp$'\n'* ]] || fails "LNet has the NIDs '$nids', not $address@tcp"
  [[ $(setting BACKEND) != zfs ]] || zfs
  health=$(lctl get_param -n health_check 2>/dev/null) || answer 75 unsure 'lctl has no health_check'
  [[ $health == healthy ]] || fails "Lustre is not healthy: $health"
  # A real Lustre 2.17 on Linux 6.1 stayed healthy with recorded errors, after its journal was aborted and after the
  # device was removed. An ldiskfs target is mounted without errors.
  while read -r target; do
    (($(errors_of "/srv/lustre/$target" ldiskfs) == 0)) || fails "$target has met errors, and may have stopped writing"
  done < <(awk -v dir="$root/srv/lustre/" 'index($2, dir) == 1 {print substr($2, length(dir) + 1)}' "$root/proc/mounts")
}

# disks: prints the volumes of the slot, and the links to their disks.
disks() {
  local volumes volume
  volumes=$(known VOLUMES)
  for volume in ${volumes//,/ }; do
    echo "$volume $root/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${volume/-/}"
  done
}

# is_disk DEVICE: whether it is a disk of the slot.
is_disk() {
  local disk
  while read -r _ disk; do [[ ! $root${1#"$root"} -ef $disk ]] || return 0; done < <(disks)
  return 1
}

# lost NAME: whether a device of LVM lies on a disk that the kernel has dropped, also through others (pvmove, a snapshot).
lost() {
  local slaves=$root/sys/class/block/$1/slaves disk
  [[ -d $slaves ]] || return 1
  for disk in "$slaves"/*; do
    disk=${disk##*/}
    if [[ $disk == dm-* ]]; then
      ! lost "$disk" || return 0
    elif [[ ! -e $root/dev/$disk ]]; then
      return 0
    fi
  done
  return 1
}

# mounts_of PATTERN: prints device and mount point of what is mounted and fits.
mounts_of() {
  awk -v root="$root" -v pattern="$1" '$1 " " substr($2, length(root) + 1) ~ pattern {print $1, substr($2, length(root) + 1)}' \
    "$root/proc/mounts"
}

# has_volumes: the disks of the slot are there. What is mounted of one that the kernel has dropped goes on looking mounted,
# and only writes hear of it. One that comes back is another device, and the file system stays on the one that is gone: a
# real Lustre counted no error there, and its clients got errors.
has_volumes() {
  local volume disk device point
  while read -r volume disk; do [[ -e $disk ]] || fails "the disk of $volume is gone"; done < <(disks)
  while read -r device point; do
    is_disk "$device" || fails "${point#/srv/lustre/} is on a disk that was taken away"
  done < <(mounts_of '^/.* /srv/lustre/')
  while read -r device point; do
    device=$(readlink -f "$root${device#"$root"}")
    ! lost "${device##*/}" || fails "$point is on a disk that was taken away"
  done < <(mounts_of '/dev/mapper/sas--grid--')
}

# A null call (RFC 5531) of NFS version 4, which a thread of nfsd has to answer, and the reply's last word, which is 0 for success.
# shellcheck disable=SC2016 # the inner shell's
null_call='exec 3<>/dev/tcp/$0/2049
printf "\200\0\0\50 sas\0\0\0\0\0\0\0\2\0\1\206\243\0\0\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" >&3
[[ $(head -c 28 <&3 | od -An -v -tx1 | tr -d " \n") == 80000018207361730000000100000000????????????????00000000 ]]'

# nfs_calls: prints how many calls nfsd has taken up; nothing when the kernel does not tell.
nfs_calls() {
  awk '$1 == "rpc" {print $2}' "$root/proc/net/rpc/nfsd" 2>/dev/null
}

# ask_nfsd: under load the null call may wait behind thousands of others for longer than 10 s. A server whose threads all hang takes up none,
# so one that took up more than this call only has too much to do. The kernel counts with 32 bits.
ask_nfsd() {
  local before after status=0
  before=$(nfs_calls)
  timeout 10 bash -c "$null_call" "$address" 2>/dev/null || status=$?
  ((status != 0)) || return 0
  # Other codes are those of a host that cannot start a program.
  ((status == 1 || status == 124)) || answer 75 unsure "nfsd cannot be asked ($status)"
  after=$(nfs_calls)
  if ((status == 124)) && [[ -n $before && -n $after ]] && (((after - before & 0xffffffff) > 1)); then
    answer 75 unsure "nfsd is busy: no answer on $address in 10 s, but it took up $((after - before & 0xffffffff)) calls"
  fi
  fails "nfsd does not answer on $address"
}

# stopped_writing DIRECTORY: since Linux 6.12, and before where a distribution took it over, an ext4 that has met an error goes on being called
# "rw" ("ext4: don't set SB_RDONLY after filesystem errors"): only what has to write hears of it. That may wait long for a busy journal, so that
# only a file system that counts errors is asked.
stopped_writing() {
  (($(errors_of "$1" ext4) > 0)) && ! sync "$root$1"
}

nfs() {
  local path options
  path=/export/$(setting EXPORT_NAME)
  options=$(mounted "$path" ext4)
  [[ -n $options ]] || fails "$path is not mounted"
  { [[ ,$options, == *,rw,* ]] && ! stopped_writing "$path"; } || fails "$path has become read-only after an error"
  stat "$root$path" >/dev/null 2>&1 || fails "$path answers with an error"
  ask_nfsd
}

# leaves: the checks above ask over the loopback interface. EC2 drops an answer to a client that leaves by another interface than the one that has
# the address (192.0.2.1 is nobody's, RFC 5737: the kernel only says what it would do).
leaves() {
  local device way
  type -P ip >/dev/null || answer 75 unsure 'there is no ip'
  device=$(ip -o -4 address show to "$address" 2>/dev/null | awk '{print $2; exit}')
  [[ -n $device ]] || fails "no interface has the address $address"
  way=$(ip -o route get 192.0.2.1 from "$address" 2>/dev/null | grep -o 'dev [^ ]*')
  [[ $way == "dev $device" ]] || fails "answers from $address would leave by ${way:-no interface}, not by $device"
}

# After an error XFS shuts down: it stays mounted, and answers everything with an error.
local_volumes() {
  local point
  point=$(setting MOUNT_POINT)
  [[ -n $(mounted "$point" xfs) ]] || fails "$point is not mounted"
  stat "$root$point" >/dev/null 2>&1 || fails "$point answers with an error"
}

check() {
  local name starts
  starts=$(starts)
  ((starts < many)) || fails "its operating system has started $starts times within an hour"
  for name in local-volumes nfs-server lustre-mgs lustre-mds lustre-oss; do
    role=$root/etc/sas-grid/$name.env
    [[ -e $role ]] || continue
    has_volumes
    case $name in
      local-volumes) local_volumes ;;
      nfs-server) nfs ;;
      lustre-*) lustre ;;
    esac
    leaves
    answer 0 serves
  done
  answer 75 unsure 'this host has no role that serves a slot'
}

# Only servers of served slots are asked, and those were told theirs. A new root volume (EC2's CreateReplaceRootVolumeTask) takes that away, and the
# instance keeps its id and all else that it has: nobody else sees it, and nothing serves the slot after the boot.
if [[ -z $slot || -z $epoch ]]; then
  slot='' epoch=''
  fails 'this host knows no slot: its root volume may have been replaced'
fi
mkdir -p "$root/run/sas-grid" || answer 75 unsure 'it cannot write to /run'
found=$root/run/sas-grid/probe

# What waits for a dead disk can be ended by no signal. It is left behind with this lock, so that there is never more than one.
exec 8>"$found.lock" || answer 75 unsure 'it cannot write to /run'
flock -w 15 8 || fails 'an earlier check of it hangs'
rm -f "$found.asks"
check >"$found" 2>/dev/null </dev/null &
checking=$!
for ((step = 0; step < seconds * 5; step++)); do
  if ! kill -0 "$checking" 2>/dev/null; then
    wait "$checking"
    code=$?
    cat "$found"
    exit "$code"
  fi
  sleep 0.2
done
disown "$checking"
kill -9 "$checking" 2>/dev/null
fails "its check hangs for $seconds s$(sed 's/^/: /' "$found.asks" 2>/dev/null)"
