# shellcheck shell=bash
# A pool: one LVM volume group over all the given disks, striped, with the logical volume data and perhaps others.

# The group gets this tag when all in it is made, before anything is mounted for the first time.
COMPLETE=sas-grid-complete
POOL='' DISKS=()

# use_pool NAME DISK...: what follows is about this pool on these disks.
use_pool() {
  local disk
  POOL=$1 DISKS=()
  for disk in "${@:2}"; do DISKS+=("$(readlink -f "$disk")"); done
}

# pool COMMAND ARGUMENT...: LVM that sees these disks and no others. Filters of lvm.conf and RHEL 9's devices file would hide the
# volumes of a replaced server; --devices, made for that, is missing before LVM 2.03.12. No backup: /etc may be full.
pool() {
  local filter
  printf -v filter '"a|^%s$|",' "${DISKS[@]}"
  filter+='"r|.*|"'
  LVM_SUPPRESS_FD_WARNINGS=1 "$1" \
    --config "devices{use_devicesfile=0 filter=[$filter] global_filter=[$filter]} backup{backup=0 archive=0} global{system_id_source=none}" "${@:2}"
}

# pool_state: prints ready (these disks and no others, complete), blank or other. Of metadata that is damaged on one
# disk LVM takes the other's, says so, also among its answers ("Retrying metadata scan."), and ends with 0. Any other
# code says that it could not work, and nothing of the disks.
pool_state() {
  local disk found
  found=$(pool pvs --noheadings --separator , -o pv_name,vg_name,vg_tags | tr -d ' ' |
    sed -E "/,/!d;s/^([^,]*,[^,]*,)(.*,)?$COMPLETE(,.*)?$/\1$COMPLETE/" | sort) || return 1
  if [[ $found == "$(printf "%s,$POOL,$COMPLETE\n" "${DISKS[@]}" | sort)" ]]; then
    echo ready
    return
  fi
  for disk in "${DISKS[@]}"; do
    is_blank "$disk" || { echo other && return; }
  done
  echo blank
}

# carries DISK: prints what, for a person.
carries() {
  local blank=0
  is_blank "$1" || blank=$?
  case $blank in
    0) echo blank ;;
    1) blkid -p -s PTTYPE -s TYPE -o value "$1" || echo unknown data ;;
    *) echo it cannot be read ;;
  esac
}

# free_extents: prints how many extents a volume can get that lies on all disks alike.
free_extents() {
  pool pvs --noheadings -o pv_pe_count,pv_pe_alloc_count |
    awk 'NF == 2 {free = $1 - $2; if (!disks++ || free < least) least = free} END {print least * disks}'
}

# add_volume NAME STRIPE_KIB SIZE...: -k keeps every host from activating it by itself, whatever its lvm.conf says.
add_volume() {
  pool lvcreate -q -y -W y -K -k y -i "${#DISKS[@]}" -I "$2" "${@:3}" -n "$1" "$POOL" >&2
}

# open_pool EPOCH KEY...: activates the pool. Before that, when MAY_FORMAT, makes it on disks that are blank, or that this
# host began to format in this epoch, of which marks by the disks' keys tell. The caller brings make_volumes.
open_pool() {
  local state key disk epoch=$1 marked=yes found=''
  shift
  state=$(pool_state) || die "$EXIT_ERROR" "LVM cannot tell what the disks of $POOL carry, which says nothing of them"
  if [[ $state != ready ]]; then
    for key in "$@"; do half_formatted "$key" "$epoch" || marked=''; done
    if [[ $state == other ]]; then
      if [[ -z $MAY_FORMAT || -z $marked ]]; then
        for disk in "${DISKS[@]}"; do found+="; $disk: $(carries "$disk")"; done
        die "$EXIT_REFUSED" "refused: the disks are neither all blank nor all of $POOL, complete${found//$'\n'/ }"
      fi
      log "$POOL was half formatted by this host; formatting it again"
      pool vgchange -q -a n "$POOL" >&2 || true
      wipefs -q -a "${DISKS[@]}"
    fi
    [[ -n $MAY_FORMAT ]] || die "$EXIT_REFUSED" "refused: the disks of $POOL are blank, and they were formatted before"
    for key in "$@"; do mark_formatting "$key" "$epoch"; done
    log "formatting $POOL on ${DISKS[*]}"
    pool vgcreate -q -y "$POOL" "${DISKS[@]}" >&2
    make_volumes
    pool vgchange -q --addtag "$COMPLETE" "$POOL" >&2
  fi
  # Nothing that was ever mounted is formatted again: its mark is gone before.
  for key in "$@"; do unmark_formatting "$key"; done
  pool vgchange -q -a y -K "$POOL" >&2
  require_pool
}

# require_pool: data lies on the disks as they are now. Of a disk that was taken away a dead device stays, also when the disk is back.
require_pool() {
  local data disk
  data=$(readlink -f "$ROOT/dev/$POOL/data")
  for disk in "${DISKS[@]}"; do
    [[ -e $ROOT/sys/block/${data##*/}/slaves/${disk##*/} ]] ||
      die "$EXIT_ERROR" "$POOL is active, but without $disk, which was taken away: this server has to be replaced, terminate it"
  done
}

# grow_pool STRIPE_KIB: when the disks are bigger now. Only with data mounted: its protection keeps other hosts from this, too.
grow_pool() {
  local disk extents
  for disk in $(pool pvs --noheadings --units m --nosuffix -o pv_name,dev_size,pv_size | awk '$2 - $3 > 64 {print $1}'); do
    pool pvresize -q "$disk" >&2
  done
  extents=$(free_extents)
  ((extents == 0)) || pool lvextend -q -i "${#DISKS[@]}" -I "$1" -l "+$extents" "$POOL/data" >&2
  resize2fs "$ROOT/dev/$POOL/data" >&2
}

# set_read_ahead: on the disks and on data, in sectors of 512 bytes.
set_read_ahead() {
  local kib
  kib=$(setting READ_AHEAD_KIB 8192)
  blockdev --setra $((kib * 2)) "${DISKS[@]}" "$ROOT/dev/$POOL/data"
}
