# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# A host with four instance-store disks and an EBS volume, and with a kernel that knows arrays.

STORE=nvme-Amazon_EC2_NVMe_Instance_Storage_AWS0

scratch_host() {
  make_host
  settings scratch <<'END'
SASWORK_DISKS=2
UTILLOC_DISKS=2
CHUNK_KIB=256
READ_AHEAD_KIB=8192
FILE_SYSTEM=xfs
SASWORK_PATH=/saswork
UTILLOC_PATH=/utilloc
END
  ebs vol0root data
  for number in 1 2 3 4; do disk "$STORE$number"; done
  disk "${STORE}1_1"
  mkdir -p "$ROOT"/{dev/md,saswork,utilloc}
  export BY_ID=$ROOT/dev/disk/by-id
  with_stubs scratch_stubs
}

scratch_stubs() {
  # A disk is blank when its first MiB is; an array is what its members make it.
  stub wipefs 'grep -q . <(tr -d "\0" <"${*: -1}") && cat "$RECORDINGS/wipefs_parsable_member.out" || true'
  stub blkid 'grep -q . <(tr -d "\0" <"${*: -1}") || exit 2; tr -d "\0" <"${*: -1}"'
  # The kernel: which array holds which disk, and whether it runs.
  stub mdadm 'run() {
  local number=127 device=$1 disk
  while [[ -e $SAS_GRID_ROOT/sys/block/md$number ]]; do number=$((number - 1)); done
  mkdir -p "$SAS_GRID_ROOT/sys/block/md$number/md"
  echo clean >"$SAS_GRID_ROOT/sys/block/md$number/md/array_state"
  echo $(($# - 1)) >"$SAS_GRID_ROOT/sys/block/md$number/md/raid_disks"
  shift
  for disk in "$@"; do hold "$(basename "$disk")" "md$number"; done
  ln -sfn "$device" "$SAS_GRID_ROOT/dev/md$number"
}
hold() { mkdir -p "$SAS_GRID_ROOT/sys/block/$1/holders" && touch "$SAS_GRID_ROOT/sys/block/$1/holders/$2"; }
array=$2
case $1 in
  --create)
    : >"$2" && truncate -s 1M "$2"
    while [[ $1 != --raid* ]]; do shift; done
    run "$array" "${@:2}"
    for disk in "${@:2}"; do echo "md:any:${array##*/}" | dd of="$disk" conv=notrunc status=none; done
    ;;
  --assemble) file_system "${2##*/}" >"$2" && shift && run "$@" ;;
  --examine)
    name=$(tr -d "\0" <"${*: -1}" | sed -n "s/^md://p")
    [[ -n $name ]] && sed "s/^MD_NAME=.*/MD_NAME=$name/" "$RECORDINGS/mdadm_examine_export_member.out" || exit 1
    ;;
  --stop) rm "$SAS_GRID_ROOT"/sys/block/*/holders/"${2##*/}" && rm -r "$SAS_GRID_ROOT/sys/block/${2##*/}" ;;
esac'
  stub mkfs.xfs 'file_system "$(while [[ $1 != -L ]]; do shift; done; echo "$2")" >"${*: -1}"'
  stub mkfs.ext4 'file_system "$(while [[ $1 != -L ]]; do shift; done; echo "$2")" ext4 >"${*: -1}"'
  stub mount 'echo "${*: -2:2} $2 $4 0 0" >>"$SAS_GRID_ROOT/proc/mounts"'
  stub umount 'sed -i "\\, ${*: -1} ,d" "$SAS_GRID_ROOT/proc/mounts"'
  stub systemd-escape 'echo "${*: -1}" | sed "s,^/,,;s,$,.mount,"'
}

# file_system LABEL [TYPE]: what blkid exports about it; it stands for the file system.
file_system() {
  sed "s/^LABEL=.*/LABEL=$1/;s/^TYPE=.*/TYPE=${2:-xfs}/" "$RECORDINGS/blkid_export_xfs.out"
}
export -f file_system

# A new boot: the kernel has no arrays and no mounts; what lies on the disks is as it was.
boot() {
  rm -rf "$ROOT/sys/block" "$ROOT"/dev/md[0-9]* "$ROOT/run"
  : >"$ROOT/proc/mounts"
  : >"$CALLS"
}

# held ARRAY STATE DISK...: the kernel has put the disks into an array of its own name.
held() {
  local array=$1 number
  mkdir -p "$ROOT/sys/block/$array/md"
  echo "$2" >"$ROOT/sys/block/$array/md/array_state"
  echo 2 >"$ROOT/sys/block/$array/md/raid_disks"
  for number in "${@:3}"; do
    mkdir -p "$ROOT/sys/block/$STORE$number/holders" && touch "$ROOT/sys/block/$STORE$number/holders/$array"
  done
  file_system "${label:-saswork}" >"$ROOT/dev/$array"
}

member() {
  disk "$STORE$1" "md:any:$2
"
}
