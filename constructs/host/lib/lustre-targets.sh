# shellcheck shell=bash
# Lustre targets: what a volume carries, how one is formatted, imported and mounted.

# target_name SERVICE FSNAME INDEX: prints MGS, or for instance sasfs-OST000a.
target_name() {
  case $1 in
    mgs) printf 'MGS\n' ;;
    mds) printf '%s-MDT%04x\n' "$2" "$3" ;;
    oss) printf '%s-OST%04x\n' "$2" "$3" ;;
    *) die "$EXIT_ERROR" "SERVICE is '$1'; allowed: mgs, mds, oss" ;;
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

# own_host_id: multihost tells servers apart by /etc/hostid. One that came with the image is the same on all of them: the successor of a
# server that still runs would import its pool without a check. While a pool is imported it must not change. One that is right is not
# written again, since the disk may be full.
own_host_id() {
  local id
  id=$(metadata instance-id | sha256sum)
  id="\\x${id:6:2}\\x${id:4:2}\\x${id:2:2}\\x${id:0:2}"
  [[ -n $(zpool list -H -o name 2>/dev/null) ]] || printf '%b' "$id" | cmp -s - "$ROOT/etc/hostid" ||
    printf '%b' "$id" | write_file "$ROOT/etc/hostid" || die "$EXIT_ERROR" "cannot write $ROOT/etc/hostid"
}

# import_pool POOL MARKED: a pool that another server had last needs -f. Multihost, which mkfs.lustre turns on, still
# refuses while that server is alive; it takes some 40 seconds to be sure. When this host began to format it (MARKED is
# not empty), there may be no pool yet. Any other failure says nothing of what the disks carry.
import_pool() {
  local command=(zpool import -d "$ROOT/dev/disk/by-id" -o cachefile=none) message
  if ! zpool list "$1" >/dev/null 2>&1 && ! message=$("${command[@]}" "$1" 2>&1); then
    log "$message"
    [[ -z $2 || $message != *'no such pool available'* ]] || return 0
    if [[ $message != *'previously in use from another system'* ]] || ! "${command[@]}" -f "$1" >&2; then
      die "$EXIT_NOT_YET" "the pool $1 cannot be imported yet"
    fi
  fi
}

# require_no_target POOL: a second witness before a pool is formatted again, since tunefs.lustre says "not found" of whatever it cannot
# read. Of a target's properties mkfs.lustre writes the name last but for three that are not used here.
require_no_target() {
  local found
  zpool list "$1" >/dev/null 2>&1 || return 0
  found=$(zfs list -H -r -o lustre:svname "$1" | tr -d '\n-') || found='?'
  [[ -z $found ]] || die "$EXIT_REFUSED" "refused: cannot tell what the pool $1 carries: $found"
}

# format_target DEVICE NAME INDEX ADDRESS [OPTION]...: --servicenode also turns multiple-mount protection on (ldiskfs).
format_target() {
  local fsname nid options
  options=("--servicenode=$4@tcp" "--backfstype=$BACKEND" "${@:5}")
  if [[ $SERVICE == mgs ]]; then
    options+=(--mgs)
  else
    fsname=$(setting FSNAME) nid=$(setting MGS_NID)
    options+=("--fsname=$fsname" "--index=$3" "--mgsnode=$nid")
    [[ $SERVICE == oss ]] && options+=(--ost) || options+=(--mdt)
  fi
  log "formatting $2 on $1"
  # shellcheck disable=SC2086 # for ZFS these are two words, the dataset and the device
  mkfs.lustre "${options[@]}" $1 >&2
  # A pool in the cache file is imported at boot, whoever serves its slot by then.
  [[ $BACKEND != zfs ]] || zpool set cachefile=none "${1%%/*}" >&2 || log "warning: $2 stays in the cache file"
}

# mount_target DEVICE DIRECTORY. Never with abort_recov: it throws away what the clients have not written yet. The kernel prefers the type
# lustre_tgt to lustre, but a build without mount.lustre_tgt, as the recorded one, fails with it (32).
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

# judge DEVICE WHY [STATUS]: sets CODE and WHY. Before Linux 6.5 the refusal of multiple-mount protection is an invalid argument, not 16.
judge() {
  local user=''
  [[ $BACKEND == zfs ]] || user=$(in_use_by "$1")
  CODE=$EXIT_NOT_YET WHY="$1 is mounted elsewhere: it has to be unmounted there first"
  if [[ $user == e2fsck ]]; then
    WHY="an e2fsck of $1 runs, or was cut off. If none runs: tune2fs -f -E clear_mmp $1 && e2fsck -f $1"
  elif [[ -z $user && ${3:-} != 16 ]]; then
    CODE=$EXIT_ERROR WHY=$2
  fi
}
