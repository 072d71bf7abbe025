# shellcheck shell=bash disable=SC2153
# A file system for this host alone on the volumes of a slot: one pool, striped, with XFS. XFS has no multiple-mount
# protection; the volumes are no Multi-Attach ones, so EC2 gives them to one host at a time.

# shellcheck source=constructs/host/lib/pool.sh
source "$LIB/pool.sh"

load_service() {
  load_settings "$ROOT/etc/sas-grid/local-volumes.env"
  POINT=$(setting MOUNT_POINT) STRIPE_KIB=$(setting STRIPE_KIB 1024)
  SETTINGS[READ_AHEAD_KIB]=${SETTINGS[READ_AHEAD_KIB]:-256}
}

# What is wrong is told before anything is formatted.
prepare_service() {
  ! mounted "$POINT" || mounted "$POINT" xfs || die "$EXIT_REFUSED" "refused: something else is mounted on $POINT"
}

# -K: there is nothing to discard on blank disks.
make_volumes() {
  add_volume data "$STRIPE_KIB" -l "$(free_extents)"
  mkfs.xfs -q -K "$ROOT/dev/$POOL/data" >&2
}

mount_data() {
  local data=$ROOT/dev/$POOL/data
  mkdir -p "$ROOT$POINT"
  ! mount -t xfs -o noatime "$data" "$ROOT$POINT" >&2 || return 0
  pool vgchange -q -a n "$POOL" >&2 || true
  die "$EXIT_ERROR" "data of $POOL is not mounted: see the kernel's log, and xfs_repair(8)"
}

# write_unit: what requires the mount waits for the slot, not for a device that LVM does not activate by itself.
write_unit() {
  local unit text link=/run/sas-grid/local
  unit=$ROOT/etc/systemd/system/$(systemd-escape --path --suffix=mount "$POINT")
  ln -sfn "$ROOT/dev/$POOL/data" "$ROOT$link"
  text="[Unit]
Description=SAS Grid: $POINT
DefaultDependencies=no
Wants=sas-grid-slot.service
After=sas-grid-slot.service
Conflicts=umount.target
Before=umount.target

[Mount]
What=$link
Where=$POINT
Type=xfs
Options=noatime"
  [[ ! -e $unit || $(<"$unit") != "$text" ]] || return 0
  write_file "$unit" <<<"$text"
  systemctl daemon-reload
}

# grow: when the disks are bigger now.
grow() {
  local disk extents
  for disk in $(pool pvs --noheadings --units m --nosuffix -o pv_name,dev_size,pv_size | awk '$2 - $3 > 64 {print $1}'); do
    pool pvresize -q "$disk" >&2
  done
  extents=$(free_extents)
  ((extents == 0)) || pool lvextend -q -i "${#DISKS[@]}" -I "$STRIPE_KIB" -l "+$extents" "$POOL/data" >&2
  xfs_growfs "$ROOT$POINT" >&2
}

serve_volumes() {
  local volume links=()
  for volume in "$@"; do links+=("$(volume_device "$volume")"); done
  use_pool "sas-grid-$SLOT" "${links[@]}"
  if mounted "$POINT"; then
    require_pool
    # After an error XFS shuts down: it stays mounted, and answers everything with an error.
    stat "$ROOT$POINT" >/dev/null || die "$EXIT_ERROR" "$POINT has shut down after an error: this server has to be replaced, terminate it"
  else
    open_pool "$EPOCH" "$@"
    mount_data
    # A file system that nobody has used yet, and whose mode nobody has changed, is for everybody.
    [[ -n $(find "$ROOT$POINT" -mindepth 1 -print -quit) || $(stat -c %a "$ROOT$POINT") != 755 ]] || { chmod 1777 "$ROOT$POINT" && relabel "$ROOT$POINT"; }
  fi
  write_unit
  grow || log "warning: $POOL could not grow"
  set_read_ahead
}

# A grid node whose shared file system this is waits for it.
start_service() {
  [[ ! -e $ROOT/etc/sas-grid/grid-node.env ]] || systemctl start --no-block sas-grid-grid-node.target
}
