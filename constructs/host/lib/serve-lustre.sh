# shellcheck shell=bash disable=SC2153
# Lustre targets on a slot: each volume is one target of the file system.

# shellcheck source=constructs/host/lib/lustre.sh
source "$LIB/lustre.sh"
# shellcheck source=constructs/host/lib/lustre-targets.sh
source "$LIB/lustre-targets.sh"
# shellcheck source=constructs/host/lib/repair.sh
source "$LIB/repair.sh"

HEALTH=''
# Targets with recorded errors, each as "NAME DEVICE".
ASIDE=()

load_service() {
  local file
  for file in "$ROOT"/etc/sas-grid/lustre-{mgs,mds,oss}.env; do load_settings "$file"; done
  SERVICE=$(setting SERVICE)
  BACKEND=$(setting BACKEND ldiskfs)
  FSNAME=$(setting FSNAME)
}

prepare_service() {
  local nid
  check_lustre server
  bind_lnet "$ADDRESS" "$1"
  [[ $SERVICE != mgs ]] || return 0
  nid=$(setting MGS_NID)
  mgs_answers "$nid" || die "$EXIT_NOT_YET" "the MGS $nid does not answer"
}

# bind_lnet ADDRESS DEVICE: LNet speaks on the slot's address and on no other, also where lnet.service or the module's own default has
# started it on the first interface. LNet itself keeps nothing: this runs again after a reboot.
bind_lnet() {
  local found
  found=$(ask_lctl list_nids || true)
  [[ $found != "$1@tcp" ]] || return 0
  unbind_lnet
  lnetctl net add --net tcp --if "$2"
  found=$(ask_lctl list_nids || true)
  [[ $found == "$1@tcp" ]] || die "$EXIT_ERROR" "LNet has the NIDs ${found//$'\n'/ }, not $1@tcp alone"
}

# Also when the interface was detached and came back: LNet lists the NID then, but newer versions look for the device that is gone.
unbind_lnet() { lnetctl net del --net tcp >/dev/null 2>&1 || true; }

# An import can take a minute, and a call must end before its caller gives it up: what is left is for the next call. A repair can take hours:
# it waits until all that is sound is mounted.
serve_volumes() {
  local volume name index=$((10#${SLOT##*-} * $#)) seen=0 aside end=''
  for volume in "$@"; do
    name=$(target_name "$SERVICE" "$FSNAME" "$index")
    aside=${#ASIDE[@]}
    if mounted "/srv/lustre/$name" lustre; then
      require_health "$name" "$volume"
    else
      [[ -z $end ]] || ((SECONDS < end)) ||
        die "$EXIT_NOT_YET" "$((seen - aside)) of $# targets are mounted so far; call again"
      serve_target "$volume" "$index" "$name"
      # Each call gets further: it ends after one that was mounted, not after one that was put aside.
      ((${#ASIDE[@]} > aside)) || end=${SAS_GRID_SERVE_SECONDS:-400}
    fi
    ((++index, ++seen))
  done
  ((${#ASIDE[@]} == 0)) || mend_targets
}

# mend_targets: mounts what was put aside, one after the other, since e2fsck takes much memory. One that stays damaged is not mounted, and
# keeps no other from its turn.
mend_targets() {
  local name device said whys='' code=$EXIT_NOT_YET
  for name in "${ASIDE[@]}"; do
    device=${name#* } name=${name% *}
    said=$ROOT/run/sas-grid/e2fsck-$name
    if repaired "$device" "$name" "$said"; then
      mount_target "$device" "$ROOT/srv/lustre/$name"
    else
      judge "$device" "$name is $(damaged "e2fsck -f $device" "$said")"
      # Also when the next repair outlasts this call.
      log "$WHY"
      [[ $CODE == "$EXIT_NOT_YET" ]] || code=$CODE
      whys+="${whys:+; }$WHY"
    fi
  done
  [[ -z $whys ]] || die "$code" "$whys"
}

# serve_target VOLUME INDEX NAME
serve_target() {
  local device source target name=$3 pool=${3,,} blank=0 marked='' errors=''
  device=$(volume_device "$1")
  source=$device target=$device
  if [[ $BACKEND == zfs ]]; then
    # A pool for each target, named after it, and a dataset in the pool.
    source=$pool/target target="$pool/target $device"
    own_host_id
  fi
  is_blank "$device" || blank=$?
  case $blank in
    0)
      [[ -n $MAY_FORMAT ]] || die "$EXIT_REFUSED" "refused: $device ($1) is blank, and $name was formatted before"
      format "$1" "$target" "$name" "$2"
      ;;
    1)
      ! half_formatted "$1" "$EPOCH" || marked=yes
      # A whole target wins over a mark, and tunefs.lustre sees none in a pool that is not imported.
      [[ $BACKEND != zfs ]] || import_pool "$pool" "$marked"
      if check_target "$source" "$name"; then
        [[ $BACKEND != zfs || $(zpool get -H -o value multihost "$pool") == on ]] ||
          die "$EXIT_REFUSED" "refused: the pool $pool lacks protection against a second import (multihost)"
        [[ $BACKEND == zfs ]] || errors=$(recorded_errors "$source")
      else
        [[ -n $MAY_FORMAT && -n $marked ]] ||
          die "$EXIT_REFUSED" "refused: $device ($1) carries data that is no Lustre target"
        [[ $BACKEND != zfs ]] || require_no_target "$pool"
        log "$device was half formatted by this host; formatting it again"
        format "$1" "$target" "$name" "$2" --reformat
      fi
      ;;
    *) die "$EXIT_REFUSED" "refused: cannot tell whether $device ($1) is blank" ;;
  esac
  # Whoever ended the formatting: from here on clients can write, and nothing that was ever mounted is formatted again.
  unmark_formatting "$1"
  if [[ -n $errors ]]; then
    ASIDE+=("$name $source")
  else
    rm -f "$ROOT/run/sas-grid/e2fsck-$name.failed"
    mount_target "$source" "$ROOT/srv/lustre/$name"
  fi
}

# require_health NAME VOLUME: the mount of a volume that was detached meanwhile is dead, also when the volume is back, and unmounting it may
# hang (Lustre manual, "Monitoring": health_check). Lustre is healthy until it writes there. But mount.lustre follows the link, so that the
# kernel tells which device is mounted; of a pool it tells the dataset. It also counts the errors of an ldiskfs, which starts without: since
# Linux 6.12, and before where a distribution took it over, one that has stopped writing stays "healthy" (see probe.sh, stopped_writing).
require_health() {
  local source errors why
  HEALTH=${HEALTH:-$(ask_lctl get_param -n health_check 2>&1 || true)}
  source=$(awk -v dir="$ROOT/srv/lustre/$1" '$2 == dir {print $1}' "$ROOT/proc/mounts")
  errors=$(cat "$ROOT/sys/fs/ldiskfs/$(basename "$(readlink -f "$source")")/errors_count" 2>/dev/null || true)
  if [[ $HEALTH != healthy ]]; then
    why="Lustre is not healthy (${HEALTH//$'\n'/; })"
  elif ((errors > 0)); then
    why='it has met errors, and may have stopped writing'
  elif [[ $BACKEND == zfs || $source -ef $(volume_device "$2") ]]; then
    return 0
  else
    why="$2 is not $source any more"
  fi
  die "$EXIT_ERROR" "$1 is mounted, but $why: this server has to be replaced, terminate it"
}

# format VOLUME TARGET NAME INDEX [OPTION]...: the caller takes the mark away.
format() {
  mark_formatting "$1" "$EPOCH"
  format_target "$2" "$3" "$4" "$ADDRESS" "${@:5}"
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
