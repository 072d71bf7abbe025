# shellcheck shell=bash
# Lustre targets: what a volume carries, how one is formatted, imported and mounted.

# target_name SERVICE FSNAME INDEX: prints MGS, or for instance sasfs-OST000a.
target_name() {
  case $1 in
    mgs) echo MGS ;;
    mds) printf '%s-MDT%04x\n' "$2" "$3" ;;
    oss) printf '%s-OST%04x\n' "$2" "$3" ;;
  esac
}

# check_target DEVICE NAME: 0 when the device carries this target, 1 when it carries no Lustre target. Anything else is
# refused: another target, or an answer that cannot be read.
check_target() {
  local output status=0 found
  output=$(tunefs.lustre --dryrun "$1" 2>&1) || status=$?
  [[ $output != *'checking for existing Lustre data: not found'* ]] || return 1
  # Before it first met the MGS a target is called fsname:OST0000, afterwards fsname-OST0000.
  found=$(sed -n '/Permanent disk data/q;s/^Target: *//p' <<<"$output" | tr ':=!' '-')
  ((status == 0)) && [[ -n $found ]] || die "$EXIT_REFUSED" "refused: cannot tell what $1 carries: $output"
  [[ $found == "$2" ]] || die "$EXIT_REFUSED" "refused: $1 carries the target $found, not $2"
}

# format_target VOLUME NAME INDEX [OPTION]...: formats TARGET, which is on the volume, for this slot. The caller takes
# the mark away. --servicenode also turns multiple-mount protection on (ldiskfs).
format_target() {
  local fsname nid options
  options=("--servicenode=$ADDRESS@tcp" "--backfstype=$BACKEND" "${FORMAT_OPTIONS[@]}" "${@:4}")
  mark_formatting "$1" "$EPOCH"
  if [[ $SERVICE == mgs ]]; then
    options+=(--mgs)
  else
    fsname=$(setting FSNAME) nid=$(setting MGS_NID)
    options+=("--fsname=$fsname" "--index=$3" "--mgsnode=$nid")
    [[ $SERVICE == oss ]] && options+=(--ost) || options+=(--mdt)
  fi
  log "formatting $2 on $TARGET"
  # shellcheck disable=SC2086 # for ZFS these are two words, the dataset and the device
  mkfs.lustre "${options[@]}" $TARGET >&2
}

# mount_target DEVICE DIRECTORY. Never with abort_recov: it throws away what the clients have not written yet. The
# kernel prefers the type lustre_tgt to lustre, but a build without mount.lustre_tgt, as the recorded one, fails with it
# (32).
mount_target() {
  local status=0
  mkdir -p "$2"
  mount -t lustre "$1" "$2" >&2 || status=$?
  case $status in
    0) return 0 ;;
    5 | 11 | 107 | 108 | 110 | 113) die "$EXIT_NOT_YET" "$1 cannot be mounted yet: the MGS does not answer ($status)" ;;
  esac
  judge "$1" "mounting $1 failed ($status)" "$status"
  die "$CODE" "$WHY"
}

# judge DEVICE WHY [STATUS]: sets CODE and WHY. Before Linux 6.5 the refusal of multiple-mount protection is an invalid
# argument, not 16.
judge() {
  local user
  user=$(in_use_by "$1")
  CODE=$EXIT_NOT_YET WHY="$1 is mounted elsewhere: it has to be unmounted there first"
  if [[ $user == e2fsck ]]; then
    WHY="an e2fsck of $1 runs, or was cut off. If none runs: tune2fs -f -E clear_mmp $1 && e2fsck -f $1"
  elif [[ -z $user && ${3:-} != 16 ]]; then
    CODE=$EXIT_ERROR WHY=$2
  fi
}
