#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # commands are written as text; bats sets status and output
# What services read from disks that outlive a server, when it is zeroed, torn or short, by the real tools on files and
# loop devices: docs/operations/what-outlives-a-server.md has the list.

load helpers

GROUP=sas-grid-test-00

setup() {
  make_host
  PATH=$PATH:/usr/sbin:/sbin
  mkdir -p "$ROOT/run/sas-grid"
  cd "$BATS_TEST_TMPDIR" || return
  rm -f "$STUBS"/{wipefs,blkid,mount}
  LOOPS=()
}

teardown() {
  local device
  for device in "${LOOPS[@]}"; do losetup -d "$device"; done
}

# ours COMMAND...: functions of the host software, as a program calls them.
ours() {
  run bash -c 'set -euo pipefail
    LIB=$0/constructs/host/lib STATE=/state MAY_FORMAT=${MAY_FORMAT-}
    for part in log wait settings disks background slot pool repair serve-nfs; do source "$LIB/$part.sh"; done
    if [[ -n ${LOOPS-} ]]; then use_pool "$GROUP" $LOOPS; else POOL=$GROUP; fi
    "$@"' "$REPOSITORY" "$@"
}

# zero FILE BLOCK-SIZE BLOCK [COUNT]
zero() {
  dd if=/dev/zero of="$1" bs="$2" seek="$3" count="${4:-1}" conv=notrunc status=none
}

# mounts FILE: whether the kernel mounts it.
mounts() {
  unshare --mount true 2>/dev/null || skip 'no namespaces here'
  mkdir -p point
  unshare --mount mount -o loop -t ext4 "$1" point 2>/dev/null
}

# of FILE KEY: what dumpe2fs tells of it.
of() {
  dumpe2fs -h "$1" 2>/dev/null | sed -n "s/^$2: *//p"
}

state() {
  export GROUP
  truncate -s 16M state
  mkfs.ext4 -q -F state
}

@test "state without its superblock, or with a torn one, is repaired with another superblock of it, and mounted" {
  state
  cp state whole
  for damage in 'zero state 1024 1' 'zero state 512 3'; do
    cp whole state
    $damage
    ! mounts state || false
    ours mend_state state
    exited 0
    [[ $output == *"state of $GROUP is repaired with e2fsck -y"* && $output != *'made anew'* ]]
    mounts state
  done
}

@test "state without any superblock is made anew; one that is too new for e2fsck is left to the kernel" {
  state
  debugfs -w -R 'feature FEATURE_C14' state 2>/dev/null
  before=$(sha256sum <state)
  ours mend_state state
  exited 0
  same "$before" "$(sha256sum <state)"
  zero state 1M 0 16
  ours mend_state state
  exited 0
  [[ $output == *"state of $GROUP is made anew"* ]]
  mounts state
}

@test "state whose journal has no superblock gets another journal" {
  state
  zero state "$(of state 'Block size')" "$(debugfs -R 'blocks <8>' state 2>/dev/null | awk '{print $1}')"
  ! mounts state || false
  ours mend_state state
  exited 0
  mounts state
  e2fsck -fn state
}

@test "data without a superblock, its journal's or its protection's is not mounted; what is told puts it right" {
  export GROUP
  mkdir -p "$ROOT/dev/$GROUP" "$ROOT/sas"
  data=$ROOT/dev/$GROUP/data
  # There is no group to activate here.
  stub vgchange
  for lost in 'the first block' 'the journal' 'protection'; do
    rm -f "$data"
    truncate -s 16M "$data"
    mkfs.ext4 -q -F -m 0 -O "$([[ $lost == protection ]] || echo ^)mmp" "$data"
    case $lost in
      *block) block=1 ;;
      *journal) block=$(debugfs -R 'blocks <8>' "$data" 2>/dev/null | awk '{print $1}') ;;
      *) block=$(of "$data" 'MMP block number') ;;
    esac
    zero "$data" "$(of "$data" 'Block size')" "$block"
    ! mounts "$data" || false
    stub mount 'exit 32'
    EXPORT=/sas ours mount_data
    rm "$STUBS/mount"
    exited 1
    told="data of $GROUP is not mounted: see the kernel's log. After a snapshot of the volumes: "
    [[ ${output##*$'\n'} == *"$told"*" && e2fsck -fn $data" ]]
    # e2fsck -fn says nothing of protection, and -f, which puts it right, waits for 11 s.
    [[ $lost != protection ]] || continue
    e2fsck -fn "$data" || (($? == 4 || $? == 12))
    e2fsck -fy "$data" || (($? == 1))
    mounts "$data"
  done
}

# pool: two volumes with a group that is complete, on loop devices.
pool() {
  local file
  for tool in pvs vgcreate vgck vgcfgbackup pvcreate; do
    rm -f "$STUBS/$tool"
    type -P "$tool" >/dev/null || skip "$tool is not installed"
  done
  rm -f "$STUBS/vgchange"
  for file in a b; do
    truncate -s 32M "$file"
    LOOPS+=("$(losetup -f --show "$file" 2>/dev/null)") || skip 'no loop device can be had here'
  done
  export GROUP
  lvm vgcreate -q -y "$GROUP" "${LOOPS[@]}"
  lvm vgchange -q --addtag sas-grid-complete "$GROUP"
  for file in a b; do cp "$file" "$file.whole"; done
}

# lvm COMMAND ARGUMENT...: as pool.sh has it.
lvm() {
  LOOPS=${LOOPS[*]} ours pool "$@"
  exited 0
}

state_of_pool() {
  LOOPS=${LOOPS[*]} ours pool_state
  exited 0
  tail -n 1 <<<"$output"
}

whole_again() {
  local file
  for file in a b; do dd if="$file.whole" of="$file" bs=1M conv=notrunc,fsync status=none; done
}

@test "LVM: metadata that is zeroed or torn on one volume is read from the other; vgck, not a change, mends it" {
  pool
  same ready "$(state_of_pool)"
  for damage in 'zero a 512 9 2039' 'zero a 512 8' 'zero a 512 12'; do
    whole_again
    $damage
    same ready "$(state_of_pool)"
  done
  whole_again
  head -c 1M /dev/urandom | dd of=a bs=512 seek=9 count=2039 conv=notrunc status=none iflag=fullblock
  same ready "$(state_of_pool)"
  lvm vgchange -q --addtag other "$GROUP"
  cp b b.changed
  zero b 512 9 2039
  same other "$(state_of_pool)"
  dd if=b.changed of=b bs=1M conv=notrunc,fsync status=none
  lvm vgck --updatemetadata "$GROUP"
  zero b 512 9 2039
  same ready "$(state_of_pool)"
}

@test "LVM: metadata damaged on both volumes, or a label, is refused; blank and unknown are told apart" {
  pool
  for damage in 'zero a 512 9 2039;zero b 512 9 2039' 'zero a 512 1' 'zero a 512 1;zero b 512 1' 'zero a 1M 0'; do
    whole_again
    eval "$damage"
    before=$(cat a b | sha256sum)
    same other "$(state_of_pool)"
    MAY_FORMAT=yes LOOPS=${LOOPS[*]} ours open_pool 1 vol-0a vol-0b
    exited 4
    case $damage in
      *1M*) [[ $output == *"${LOOPS[0]}: blank; ${LOOPS[1]}: LVM2_member"* ]] ;;
      *'a 512 1') [[ $output == *"${LOOPS[0]}: unknown data; ${LOOPS[1]}: LVM2_member"* ]] ;;
      *'b 512 1') [[ $output == *"${LOOPS[0]}: unknown data; ${LOOPS[1]}: unknown data"* ]] ;;
    esac
    # Nothing is written.
    same "$before" "$(cat a b | sha256sum)"
  done
  # Of both nothing is left in the first MiB: blank, which without permission is refused.
  zero a 1M 0 && zero b 1M 0
  LOOPS=${LOOPS[*]} ours open_pool 1 vol-0a vol-0b
  exited 4
  [[ $output == *"the disks of $GROUP are blank, and they were formatted before"* ]]
}

@test "LVM: a label that is gone comes back from the metadata of the other volume, as LVM's manual has it" {
  pool
  zero a 512 1
  same other "$(state_of_pool)"
  lvm vgcfgbackup -f "$PWD/metadata" "$GROUP"
  uuid=$(sed -n '/pv0 {/,/}/s/.*id = "\(.*\)"/\1/p' metadata)
  lvm pvcreate --uuid "$uuid" --restorefile "$PWD/metadata" "${LOOPS[0]}"
  lvm vgck --updatemetadata "$GROUP"
  same ready "$(state_of_pool)"
  # What is on the volume behind LVM's own MiB is untouched.
  cmp <(tail -c +1048577 a) <(tail -c +1048577 a.whole)
}

# members NAME FILE...: superblocks of a RAID 0, version 1.2 (linux/raid/md_p.h). mdadm makes them with the kernel only.
members() {
  python3 - "$@" <<'END'
import os, struct, sys
name, *files = sys.argv[1:]
for number, file in enumerate(files):
    block = bytearray(256 + 4 * len(files))
    struct.pack_into('<4I16s32s', block, 0, 0xA92B4EFC, 1, 0, 0, bytes(range(16)), name.encode())
    struct.pack_into('<2I', block, 88, 512, len(files))
    struct.pack_into('<4QI', block, 128, 2048, os.path.getsize(file) // 512 - 2048, 8, 0, number)
    struct.pack_into('<Q', block, 208, 2**64 - 1)
    struct.pack_into('<%dH' % len(files), block, 256, *range(len(files)))
    block = block[: 256 + 2 * len(files)]
    struct.pack_into('<I', block, 220, len(files))
    total = sum(struct.unpack('<%dI' % (len(block) // 4), block))
    struct.pack_into('<I', block, 216, ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF)
    with open(file, 'r+b') as disk:
        disk.seek(4096)
        disk.write(block)
END
}

@test "md: a member whose superblock is zeroed or torn is refused, and nothing is made on it" {
  for tool in mdadm python3; do type -P $tool >/dev/null || skip "$tool is not installed"; done
  settings scratch <<<'SASWORK_DISKS=2'
  one=$ROOT/dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_AWS01
  two=${one%1}2
  truncate -s 4M "$one" "$two"
  members any:saswork "$one" "$two"
  mdadm --examine "$one" | grep -q 'Checksum : .* correct'
  export SAS_GRID_ASSEMBLE_WAIT=0
  # Whole: ours, which only the kernel can assemble, and not of files.
  run "$BIN/sas-grid-scratch"
  exited 1
  [[ $output == *'cannot assemble saswork'* ]]
  cp "$one" whole
  zero "$one" 4096 1
  run "$BIN/sas-grid-scratch"
  exited 4
  [[ $output == *'only some disks of saswork are blank ( blank ours)'* ]]
  cp whole "$one"
  zero "$one" 64 66
  run "$BIN/sas-grid-scratch"
  exited 4
  [[ $output == *'carries foreign data ( foreign ours)'* ]]
}

@test "nfsdcld: a list that is short, zeroed, torn anywhere or of a newer nfsdcld keeps nobody from being served" {
  for tool in nfsdcld sqlite3; do type -P $tool >/dev/null || skip "$tool is not installed"; done
  pgrep -x nfsdcld >/dev/null && skip 'an nfsdcld runs here'
  export GROUP
  list=$ROOT/state/main.sqlite
  mkdir -p "$ROOT/state"
  starts() { timeout 20 nfsdcld -F --storagedir="$ROOT/state" --pipefsdir=/dev/null 2>&1 | grep -q inotify; }
  # It makes a list when there is none.
  starts
  cp "$list" whole
  size=$(stat -c %s whole) page=$(sqlite3 whole 'pragma page_size')
  damages=('zero $list $size 0' 'sqlite3 $list "delete from grace"')
  damages+=('sqlite3 $list "update parameters set value = 99 where key = '"'version'"'"')
  for bytes in 0 16 100 $page $((size / 2)); do damages+=("truncate -s $bytes \$list"); done
  for ((number = 0; number < size / page; number++)); do
    damages+=("zero \$list $page $number")
    damages+=("head -c $page /dev/urandom | dd of=\$list bs=$page seek=$number conv=notrunc status=none")
  done
  for damage in "${damages[@]}"; do
    rm -rf "$ROOT/state"/*
    cp whole "$list"
    eval "$damage"
    ours mend_clients
    exited 0
    starts || {
      echo "does not start after: $damage: $output" >&2
      return 1
    }
  done
  # The folder, or what stands in its place, is no matter of the list.
  rm -rf "$list"*
  mkdir "$list"
  ours mend_clients
  exited 0
  [[ -d $list && $output != *'begun anew'* ]]
}
