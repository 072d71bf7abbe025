# shellcheck shell=bash
# Lustre targets and parameters. What the tools print and return is recorded in test/host/recordings.

# check_version: the tools are of the release that the settings pin, when they pin one.
check_version() {
  local wanted found
  wanted=$(setting LUSTRE_VERSION '')
  found=$(lctl --version)
  [[ -z $wanted || $found == "lctl $wanted"* ]] || die "$EXIT_ERROR" "Lustre $wanted is wanted, but '$found' is installed"
}

mgs_answers() {
  timeout 15 lctl ping "$1" >/dev/null 2>&1
}

# bind_lnet ADDRESS DEVICE: LNet speaks on the slot's address and on no other.
bind_lnet() {
  modprobe lnet
  lnetctl lnet configure
  [[ $(lctl list_nids) != "$1@tcp" ]] || return 0
  lnetctl net del --net tcp >/dev/null 2>&1 || true
  lnetctl net add --net tcp --if "$2"
  [[ $(lctl list_nids) == "$1@tcp" ]] || die "$EXIT_ERROR" "LNet has the NIDs $(lctl list_nids), not $1@tcp alone"
}

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

# import_pool POOL: a pool that another server had last needs -f. Multihost, which mkfs.lustre turns on, still
# refuses while that server is alive; it takes some 40 seconds to be sure.
import_pool() {
  local command=(zpool import -d "$ROOT/dev/disk/by-id" -o cachefile=none)
  zpool list "$1" >/dev/null 2>&1 || "${command[@]}" "$1" >&2 || "${command[@]}" -f "$1" >&2 ||
    die "$EXIT_NOT_YET" "the pool $1 cannot be imported yet"
  [[ $(zpool get -H -o value multihost "$1") == on ]] ||
    die "$EXIT_REFUSED" "refused: the pool $1 lacks protection against a second import (multihost)"
}

# format_target DEVICE NAME INDEX ADDRESS [OPTION]...: --servicenode also turns multiple-mount protection on (ldiskfs).
format_target() {
  local service backend fsname nid options
  service=$(setting SERVICE) backend=$(setting BACKEND ldiskfs)
  options=("--servicenode=$4@tcp" "--backfstype=$backend" "${@:5}")
  if [[ $service == mgs ]]; then
    options+=(--mgs)
  else
    fsname=$(setting FSNAME) nid=$(setting MGS_NID)
    options+=("--fsname=$fsname" "--index=$3" "--mgsnode=$nid")
    [[ $service == oss ]] && options+=(--ost) || options+=(--mdt)
  fi
  log "formatting $2 on $1"
  # shellcheck disable=SC2086 # for ZFS these are two words, the dataset and the device
  mkfs.lustre "${options[@]}" $1 >&2
}

# mount_target DEVICE DIRECTORY. Never with abort_recov: it throws away what the clients have not written yet.
mount_target() {
  local status=0
  mkdir -p "$2"
  mount -t lustre "$1" "$2" >&2 || status=$?
  case $status in
    0) ;;
    5 | 11 | 107 | 108 | 110 | 113) die "$EXIT_NOT_YET" "$1 cannot be mounted yet: the MGS does not answer ($status)" ;;
    16) die "$EXIT_NOT_YET" "$1 is mounted elsewhere ($status): it has to be unmounted there first" ;;
    *) die "$EXIT_ERROR" "mounting $1 failed ($status)" ;;
  esac
}

# set_tunables [-P]: the settings TUNABLES in their order, which counts: max_rpcs_in_flight before max_dirty_mb. One that
# this release does not know is reported and does not stop the service. -P makes it permanent, on the MGS only.
set_tunables() {
  local tunables tunable log=''
  tunables=$(setting TUNABLES '')
  read -ra tunables <<<"$tunables"
  [[ $# -eq 0 ]] || log=$(lctl --device MGS llog_print params 2>/dev/null || true)
  for tunable in "${tunables[@]}"; do
    [[ $log != *"parameter: ${tunable%%=*}, value: ${tunable#*=} }"* ]] || continue
    lctl set_param "$@" "$tunable" >&2 || log "warning: the parameter $tunable is not accepted here"
  done
}
