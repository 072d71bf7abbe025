# shellcheck shell=bash disable=SC2153
# Lustre targets on a slot: each volume is one target of the file system.

# shellcheck source=constructs/host/lib/lustre.sh
source "$LIB/lustre.sh"
# shellcheck source=constructs/host/lib/lustre-targets.sh
source "$LIB/lustre-targets.sh"

HEALTH=''

load_service() {
  local file
  for file in "$ROOT"/etc/sas-grid/lustre-{mgs,mds,oss}.env; do load_settings "$file"; done
  SERVICE=$(setting SERVICE)
  BACKEND=$(setting BACKEND ldiskfs)
  FSNAME=$(setting FSNAME)
  # It brings: FORMAT_OPTIONS, locate, open_target, require_no_target, bring_up, in_use_by, still_right.
  # shellcheck disable=SC1090
  source "$LIB/lustre-$BACKEND.sh"
}

prepare_service() {
  local nid
  check_lustre server
  bind_lnet "$ADDRESS" "$1"
  [[ $SERVICE != mgs ]] || return 0
  nid=$(setting MGS_NID)
  mgs_answers "$nid" || die "$EXIT_NOT_YET" "the MGS $nid does not answer"
}

# bind_lnet ADDRESS DEVICE: LNet speaks on the slot's address and on no other, also where lnet.service or the module's
# own default has started it on the first interface. LNet itself keeps nothing: this runs again after a reboot.
bind_lnet() {
  local found
  found=$(ask_lctl list_nids || true)
  [[ $found != "$1@tcp" ]] || return 0
  unbind_lnet
  lnetctl net add --net tcp --if "$2"
  found=$(ask_lctl list_nids || true)
  [[ $found == "$1@tcp" ]] || die "$EXIT_ERROR" "LNet has the NIDs ${found//$'\n'/ }, not $1@tcp alone"
}

# Also when the interface was detached and came back: LNet lists the NID then, but newer versions look for the device
# that is gone.
unbind_lnet() { lnetctl net del --net tcp >/dev/null 2>&1 || true; }

# An import can take a minute, and a call must end before its caller gives it up: what is left is for the next call.
# Pools are imported one after the other, also by the kernel; the protection of ldiskfs lets mounts wait side by side.
serve_volumes() {
  local volume name index=$((10#${SLOT##*-} * $#)) ready=0 left=0
  for volume in "$@"; do
    name=$(target_name "$SERVICE" "$FSNAME" "$index")
    if mounted "/srv/lustre/$name" lustre; then
      require_health "$name" "$volume"
    elif ((ready == 0 || SECONDS < ${SAS_GRID_SERVE_SECONDS:-400})); then
      serve_target "$volume" "$index" "$name"
      # Each call gets further.
      ((++ready))
    else
      ((++left))
    fi
    ((++index))
  done
  attend
  ((left == 0)) || die "$EXIT_NOT_YET" "$(($# - left)) of $# targets are mounted so far; call again"
}

# serve_target VOLUME INDEX NAME
serve_target() {
  local device blank=0 marked='' name=$3
  device=$(volume_device "$1")
  locate "$device" "$name"
  is_blank "$device" || blank=$?
  case $blank in
    0)
      [[ -n $MAY_FORMAT ]] || die "$EXIT_REFUSED" "refused: $device ($1) is blank, and $name was formatted before"
      format_target "$1" "$name" "$2"
      ;;
    1)
      ! half_formatted "$1" "$EPOCH" || marked=yes
      # A whole target wins over a mark, and tunefs.lustre sees none in a pool that is not imported.
      open_target "$marked"
      if ! check_target "$SOURCE" "$name"; then
        [[ -n $MAY_FORMAT && -n $marked ]] ||
          die "$EXIT_REFUSED" "refused: $device ($1) carries data that is no Lustre target"
        require_no_target
        log "$device was half formatted by this host; formatting it again"
        format_target "$1" "$name" "$2" --reformat
      fi
      ;;
    *) die "$EXIT_REFUSED" "refused: cannot tell whether $device ($1) is blank" ;;
  esac
  # Whoever ended the formatting: from here on clients can write, and nothing that was ever mounted is formatted again.
  unmark_formatting "$1"
  begin "$name" "$SOURCE" bring_up "$name" "$SOURCE"
}

# require_health NAME VOLUME: the mount of a volume that was detached meanwhile is dead, also when the volume is back,
# and unmounting it may hang (Lustre manual, "Monitoring": health_check). Lustre is healthy until it writes there.
require_health() {
  local source why
  HEALTH=${HEALTH:-$(ask_lctl get_param -n health_check 2>&1 || true)}
  source=$(awk -v dir="$ROOT/srv/lustre/$1" '$2 == dir {print $1}' "$ROOT/proc/mounts")
  why=$(still_right "$source" "$2")
  [[ $HEALTH == healthy ]] || why="Lustre is not healthy (${HEALTH//$'\n'/; })"
  [[ -z $why ]] || die "$EXIT_ERROR" "$1 is mounted, but $why: this server has to be replaced, terminate it"
}

start_service() {
  local count size
  if [[ $SERVICE == mgs ]]; then
    count=$(setting STRIPE_COUNT '') size=$(setting STRIPE_SIZE_BYTES '')
    SETTINGS[TUNABLES]="${count:+lod.*.stripecount=$count} ${size:+lod.*.stripesize=$size} ${SETTINGS[TUNABLES]:-}"
    set_tunables -P
  else
    set_tunables
  fi
}
