# shellcheck shell=bash
# Work that can take longer than a call: the repair and the mount of a file system.

# What is at work, a file for each: whether it is repaired or mounted, since when, and the device.
WORK=$ROOT/run/sas-grid/work
# Each as "PROCESS NAME".
WORKERS=()

# over PROCESS
over() {
  ! kill -0 "$1" 2>/dev/null
}

# doing WHAT NAME DEVICE
doing() {
  mkdir -p "$WORK"
  printf '%s %(%s)T %s\n' "$1" -1 "$3" >"$WORK/$2"
}

# begin NAME DEVICE COMMAND...: runs the command beside all others. It has a process group of its own, so that it goes
# on when the call ends, or is ended, and it holds the call's lock.
begin() {
  doing mounted "$1" "$2"
  set -m
  (
    # shellcheck disable=SC2064 # the name is known now
    trap "rm -f '$WORK/$1'" EXIT
    "${@:3}"
  ) &>"$ROOT/run/sas-grid/said-$1" </dev/null &
  set +m
  WORKERS+=("$! $1")
}

# attend: waits for what was begun, tells what it said, and fails as it did. It ends soon, with what goes on, so that
# the caller knows what it waits for before its patience ends.
attend() {
  local worker said status code=0 whys='' end=$((SECONDS + ${SAS_GRID_SERVE_SECONDS:-60}))
  for worker in "${WORKERS[@]}"; do
    wait_until $((end - SECONDS)) over "${worker%% *}" || continue
    status=0 said=$ROOT/run/sas-grid/said-${worker#* }
    wait "${worker%% *}" || status=$?
    cat "$said" >&2
    ((status != 0)) || continue
    # An error is not hidden by what only has to be waited for.
    ((code != 0 && code != EXIT_NOT_YET)) || code=$status
    said=$(tail -n 1 "$said")
    whys+="${said#"$TAG: "}; "
  done
  whys+=$(still_at_work)
  [[ -z $whys ]] || die "$((code ? code : EXIT_NOT_YET))" "${whys%; }"
}

# still_at_work: prints what is, also what a call has left that has ended; nothing when nothing is. Multiple-mount
# protection keeps a mount waiting twice (ext4_multi_mount_protect() in the kernel's fs/ext4/mmp.c); the interval grows
# with the last writes of the server before.
still_at_work() {
  local file what since device interval bound found=''
  for file in "$WORK"/*; do
    { read -r what since device <"$file"; } 2>/dev/null || continue
    printf '%s is still being %s' "${file##*/}" "$what"
    interval=$(e2mmpstatus -i "$device" 2>/dev/null | awk '/check_interval/ {print $2}' || true)
    bound=$((since + 2 * (interval < 60 ? 2 * interval + 1 : interval + 60) - $(printf '%(%s)T' -1)))
    [[ $what != mounted || -z $interval ]] || printf ', for %s s at most' "$bound"
    printf '; '
    found=yes
  done
  [[ -z $found ]] || echo 'call again'
}
