# shellcheck shell=bash disable=SC2153,SC2034
# The shared volume group and its GFS2. Locks of LVM see to it that only one node makes them; a tag on the group says until when it was
# never mounted, so that any node can end what another one began. A tag of EC2's on the volumes says that they were formatted: what was on them
# may be gone from LVM's sight, and they look blank, but they are not formatted a second time.

# LVM complains of the lock of this program, which it inherits.
export LVM_SUPPRESS_FD_WARNINGS=1

volumes_there() {
  local volume
  DEVICES=()
  for volume in "${VOLUMES[@]}"; do
    [[ -e $(volume_device "$volume") ]] || return 1
    DEVICES+=("$(volume_device "$volume")")
  done
}

# inspect_volumes: sets STATE to blank or ours. Anything else is refused, and so are blank volumes without permission.
inspect_volumes() {
  local device state blanks=0 group
  for device in "${DEVICES[@]}"; do
    state=0
    is_blank "$device" || state=$?
    case $state in
      0) blanks=$((blanks + 1)) ;;
      1)
        # Of metadata that is damaged on one disk LVM takes the other's, and says so among its answers.
        group=$(pvs --shared --noheadings -o vg_name "$(readlink -f "$device")" 2>/dev/null | awk 'NF == 1 {print $1}') || group=''
        [[ $group == "$CLUSTER" ]] || die "$EXIT_REFUSED" "refused: $device carries data, and not the volume group $CLUSTER"
        ;;
      *) die "$EXIT_REFUSED" "refused: cannot tell whether $device is blank" ;;
    esac
  done
  STATE=ours
  if ((blanks == ${#DEVICES[@]})); then
    [[ $(setting MAY_FORMAT no) == yes ]] || die "$EXIT_REFUSED" "refused: ${VOLUMES[*]} must not be formatted, but is blank"
    STATE=blank
  elif ((blanks > 0)); then
    die "$EXIT_REFUSED" "refused: only $blanks of ${VOLUMES[*]} are blank"
  else
    group=$(vgs --shared --noheadings -o vg_lock_type,pv_count "$CLUSTER" 2>/dev/null | awk 'NF == 2' | xargs) || group=''
    [[ $group == "dlm ${#DEVICES[@]}" ]] || die "$EXIT_REFUSED" "refused: $CLUSTER is not a group of ${VOLUMES[*]} that is locked by dlm ($group)"
  fi
}

# use_devices: where LVM has a list of the devices it may look at, these belong to it.
use_devices() {
  local device
  # Some releases of the resource agent set this themselves, some do not.
  [[ $(lvmconfig global/use_lvmlockd 2>/dev/null) == *=1 ]] ||
    printf 'global {\n\tuse_lvmlockd = 1\n}\n' >>"$ROOT/etc/lvm/lvm.conf"
  [[ -e $ROOT/etc/lvm/devices/system.devices ]] || return 0
  for device in "${DEVICES[@]}"; do lvmdevices --adddev "$(readlink -f "$device")" >&2 || true; done
}

# never_formatted: EC2 has no tag on any of the volumes that says otherwise. Fails when EC2 does not answer.
never_formatted() {
  local tag found
  tag=$(setting FORMATTED_TAG '')
  [[ -n $tag ]] || return 0
  found=$(aws tagged "$REGION" "$tag" "${VOLUMES[@]}" | xargs) || return 1
  [[ -z $found ]] || die "$EXIT_REFUSED" "refused: ${VOLUMES[*]} look blank, but $found has the tag $tag: it was formatted. Restore it, or take the tag off if nothing is lost"
}

# unformatted: sets UNFORMATTED, to yes while the file system was never mounted.
unformatted() {
  local tags
  tags=$(vgs --shared --noheadings -o vg_tags "$CLUSTER") || return 1
  UNFORMATTED=''
  [[ $tags != *unformatted* ]] || UNFORMATTED=yes
  [[ -z $UNFORMATTED || $(setting MAY_FORMAT no) == yes ]] || die "$EXIT_REFUSED" "refused: $CLUSTER was never formatted, and must not be"
}

# make_file_system: fails when another node is at it or the locks are not there yet. The logical volume is active on this node
# alone meanwhile.
make_file_system() {
  local volume=$CLUSTER/sasdata stripes=() volumes=() device table=$CLUSTER:sasdata found tag
  pgrep -x lvmlockd >/dev/null || return 1
  inspect_volumes
  if [[ $STATE == blank ]]; then
    never_formatted || return 1
    for device in "${DEVICES[@]}"; do volumes+=("$(readlink -f "$device")"); done
    vgcreate --shared --addtag unformatted "$CLUSTER" "${volumes[@]}" </dev/null >&2 || return 1
  fi
  vgchange --lock-start "$CLUSTER" >&2 || return 1
  found=$(lvs --noheadings -o lv_name "$CLUSTER") || return 1
  if [[ -z $found ]]; then
    unformatted || return 1
    # Removed by somebody: vgcfgrestore(8) may bring it back, a new one would not.
    [[ -n $UNFORMATTED ]] || die "$EXIT_REFUSED" "refused: $CLUSTER has no logical volume any more, and it was formatted before"
    ((${#DEVICES[@]} == 1)) || stripes=(-i "${#DEVICES[@]}" -I "$(setting STRIPE_KIB 1024)k")
    lvcreate --yes --activate ey -n sasdata -l 100%FREE "${stripes[@]}" "$CLUSTER" >&2 || return 1
  fi
  lvchange --activate ey "$volume" >&2 || return 1
  # Only now: what another node did is known once it has let go.
  unformatted || return 1
  if [[ -n $UNFORMATTED ]]; then
    mkfs.gfs2 -O -q -p lock_dlm -t "$table" -j $((${#NODES[@]} + $(setting SPARE_JOURNALS 1))) -J "$(setting JOURNAL_MIB 128)" \
      "$ROOT/dev/$volume" >&2 || die "$EXIT_ERROR" "GFS2 cannot be made on $volume"
    tag=$(setting FORMATTED_TAG '')
    [[ -z $tag ]] || aws tag "$REGION" "$tag" "${VOLUMES[@]}" || return 1
    vgchange --deltag unformatted "$CLUSTER" >&2 || return 1
  fi
  [[ $(blkid -p -s LABEL -o value "$ROOT/dev/$volume") == "$table" ]] || die "$EXIT_REFUSED" "refused: $volume carries no GFS2 with the lock table $table"
  lvchange --activate n "$volume" >&2
}
