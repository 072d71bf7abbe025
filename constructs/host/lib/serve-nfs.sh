# shellcheck shell=bash disable=SC2153
# An NFS export on a slot: all its volumes are one pool, with the file system and, beside it, what nfsd knows of its
# clients. That is a file system of its own, which full data cannot fill.

# shellcheck source=constructs/host/lib/pool.sh
source "$LIB/pool.sh"
# shellcheck source=constructs/host/lib/repair.sh
source "$LIB/repair.sh"

load_service() {
  load_settings "$ROOT/etc/sas-grid/nfs-server.env"
  [[ $(setting KIND ebs) == ebs ]] || die "$EXIT_USAGE" 'this host exports its instance store, and serves no slot'
  STRIPE_KIB=$(setting STRIPE_KIB 256)
  # shellcheck source=constructs/host/lib/nfs.sh
  source "$LIB/nfs.sh"
}

# What is wrong in the settings is told before anything is formatted.
prepare_service() {
  require_nfs
  exports >/dev/null
}

# ext4, since XFS has no multiple-mount protection.
make_volumes() {
  add_volume state "$STRIPE_KIB" -L 128m
  add_volume data "$STRIPE_KIB" -l "$(free_extents)"
  mkfs.ext4 -q "$ROOT/dev/$POOL/state" >&2
  mkfs.ext4 -q -m 0 -O mmp "$ROOT/dev/$POOL/data" >&2
}

# mount_data: kernels before 6.5 do not say that protection was the reason.
mount_data() {
  local data=$ROOT/dev/$POOL/data activate="vgchange --config devices/use_devicesfile=0 -a y -K $POOL" problem user said=$ROOT/run/sas-grid/e2fsck
  mkdir -p "$ROOT$EXPORT"
  if repaired "$data" "data of $POOL" "$said"; then
    ! mount -t ext4 -o noatime,errors=remount-ro "$data" "$ROOT$EXPORT" >&2 || return 0
    problem="not mounted: see the kernel's log. After a snapshot of the volumes: $activate && e2fsck -fn $data"
  else
    problem=$(unrepaired "$activate && e2fsck -f $data" "$said")
  fi
  user=$(in_use_by "$data")
  pool vgchange -q -a n "$POOL" >&2 || true
  [[ $user != e2fsck ]] ||
    die "$EXIT_NOT_YET" "an e2fsck of data of $POOL runs, or was cut off. If none runs: $activate && tune2fs -f -E clear_mmp $data"
  [[ -z $user ]] || die "$EXIT_NOT_YET" "$POOL is mounted elsewhere: it has to be unmounted there first"
  die "$EXIT_ERROR" "data of $POOL is $problem"
}

# gone DEVICE: whether no file system is found on it any more. blkid also ends with 2 where it cannot read.
gone() {
  local found=0
  blkid -p "$1" >/dev/null 2>&1 || found=$?
  ((found == 2)) && head -c 1048576 "$1" >/dev/null
}

# mend_state DEVICE: no user's data is in it, so that e2fsck may drop what it cannot keep, and one that it cannot mend
# is made anew: that keeps an export of sound data up. Codes of 8 and above say that e2fsck could not work. It says so
# of a superblock that is gone, too: -y goes on with another one, -p does not. Of any other the kernel is the judge.
mend_state() {
  local status=0
  e2fsck -p "$1" >&2 || status=$?
  ((status >= 4)) || return 0
  log "warning: state of $POOL is repaired with e2fsck -y, since e2fsck -p cannot: clients keep their data, and may lose locks"
  status=0
  e2fsck -y "$1" >&2 || status=$?
  { ((status >= 4)) && { ((status < 8)) || gone "$1"; }; } || return 0
  log "warning: state of $POOL is made anew, since e2fsck -y cannot repair it: clients keep their data, and lose their locks"
  mkfs.ext4 -q -F "$1" >&2
}

# mend_clients: nfsdcld opens its list of clients before it looks for nfsd, which is not to be found here. One that it
# cannot open would keep every server of the slot from starting: an error of SQL (1) when a table is damaged or missing,
# malformed (11), no database (26), a table that is empty (101), or the list of a newer nfsdcld (-22). It is set aside,
# after what belongs to it, so that a call that is cut off in between leaves nothing to the new one. Any other code
# tells of memory or the disk. The exit code is no witness: nfsd that is not there is a 1, too. While nfsdcld runs it is
# sound.
mend_clients() {
  local said list=$ROOT$STATE/main.sqlite
  ! grep -qsx nfsdcld "$ROOT"/proc/[0-9]*/comm || return 0
  said=$(timeout 20 nfsdcld --foreground --storagedir="${list%/*}" --pipefsdir=/dev/null 2>&1 || :)
  [[ $said$'\n' =~ 'Failed to open main database: '(1|11|26|101|-22)$'\n' ]] || return 0
  log "warning: the list of clients of $POOL cannot be opened (${BASH_REMATCH[1]}) and is begun anew: they keep their data, and lose their locks"
  rm -f "$list"-* && mv -f "$list" "$list.damaged"
}

serve_volumes() {
  local volume links=()
  for volume in "$@"; do links+=("$(volume_device "$volume")"); done
  use_pool "sas-grid-$SLOT" "${links[@]}"
  if mounted "$EXPORT" ext4; then
    require_pool
  else
    open_pool "$EPOCH" "$@"
    begin "data of $POOL" "$ROOT/dev/$POOL/data" mount_data
    attend
  fi
  # Since Linux 6.12 the options say "rw" all the same, and only what has to write hears of the error.
  { awk -v dir="$ROOT$EXPORT" '$2 == dir && $4 !~ /^rw/ {exit 1}' "$ROOT/proc/mounts" && sync "$ROOT$EXPORT"; } ||
    die "$EXIT_ERROR" "$EXPORT has become read-only after an error: this server has to be replaced, terminate it"
  # After data, whose protection is for both. It is small, so that it is mended at once.
  if ! mounted "$STATE" ext4; then
    stop_nfs
    mkdir -p "$ROOT$STATE"
    mend_state "$ROOT/dev/$POOL/state"
    mount -t ext4 -o noatime "$ROOT/dev/$POOL/state" "$ROOT$STATE" >&2 ||
      die "$EXIT_ERROR" "state of $POOL is not mounted: see the kernel's log, and the version of e2fsprogs"
  fi
  mend_clients
  grow_pool "$STRIPE_KIB" || log "warning: $POOL could not grow"
  set_read_ahead
}

start_service() {
  start_nfs "$ADDRESS" "sas-grid-$SLOT" "$EXPORT" "$STATE"
}
