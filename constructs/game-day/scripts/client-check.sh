#!/bin/bash
# Usage: client-check.sh prepare|verify MOUNT_POINT DIRECTORY USER RUN SECONDS
#
# What a client of the file system does on a game day. Before the failure it writes a file (prepare); after it, it looks whether the mount is
# there, reads that file, not from its own memory, and writes another one (verify). It waits up to SECONDS for the file system to answer.
# What a game day that did not end well left of this host, the next prepare removes, when it is older than any game day can last.
#
# Exit codes: 0 all is well; 1 the file system does not answer or cannot be written; 2 it is not mounted; 3 a file is not what was written.
set -uo pipefail

ACTION=$1 ROOT=${SAS_GRID_ROOT:-} MOUNT=${SAS_GRID_ROOT:-}$2 DIRECTORY=${SAS_GRID_ROOT:-}$3 RUN=$5 DEADLINE=$((SECONDS + $6))
[[ $4 == root ]] && AS=() || AS=(runuser -u "$4" --)
NAME=$(cat "$ROOT/etc/hostname" 2>/dev/null || uname -n)
# What was written is kept beside the file system as well, to compare with.
REFERENCE=$ROOT/var/tmp/sas-grid-game-day-$RUN
OLD=$DIRECTORY/.sas-grid-game-day-$RUN-$NAME NEW=$OLD-new

# What earlier runs left here: older than any game day can last, and of no other host. A character of the name that is none of a host name's matches any.
LEFT=(-maxdepth 1 -type f -mmin +1440 -regextype posix-extended) ANY_RUN='sas-grid-game-day-[0-9a-f-]{36}' SELF=${NAME//[^A-Za-z0-9_-]/.}

# A server that is gone makes whoever touches the mount wait.
run() {
  timeout --kill-after=10 60 "${AS[@]}" "$@"
}

fail() {
  printf '%s: %s\n' "$NAME" "$2" >&2
  exit "$1"
}

# Tries until it works or the time is up.
within_time() {
  until "$@"; do
    ((SECONDS < DEADLINE)) || return 1
    sleep 5
  done
}

mounted() {
  grep -q " $MOUNT " "$ROOT/proc/mounts"
}

answers() {
  run stat "$DIRECTORY" >/dev/null 2>&1
}

write() {
  run tee "$1" <"$REFERENCE" >/dev/null 2>&1 && run sync "$1" 2>/dev/null
}

# Past the memory of this host, where the file system can do that.
contents() {
  run dd if="$1" iflag=direct bs=1M status=none 2>/dev/null || run cat "$1"
}

same() {
  contents "$1" 2>/dev/null | cmp -s - "$REFERENCE"
}

mounted || fail 2 "$2 is not mounted"
case $ACTION in
  prepare)
    mkdir -p "${REFERENCE%/*}"
    find "${REFERENCE%/*}/" "${LEFT[@]}" -regex ".*/$ANY_RUN" -delete 2>/dev/null
    head -c 4194304 /dev/urandom >"$REFERENCE" || fail 1 "$REFERENCE cannot be written"
    within_time answers || fail 1 "$3 does not answer"
    run find "$DIRECTORY/" "${LEFT[@]}" -regex ".*/[.]$ANY_RUN-$SELF(-new)?" -delete 2>/dev/null
    write "$OLD" || fail 1 "$4 cannot write to $3"
    same "$OLD" || fail 3 "$3 gives back something else than was written"
    printf '%s: wrote a file to %s\n' "$NAME" "$3"
    ;;
  verify)
    [[ -s $REFERENCE ]] || fail 1 "$REFERENCE is missing: the host has been replaced since"
    within_time answers || fail 1 "$3 does not answer"
    within_time run test -e "$OLD" || fail 3 "the file that was written before is gone"
    same "$OLD" || fail 3 "the file that was written before has changed"
    within_time write "$NEW" || fail 1 "$4 cannot write to $3"
    same "$NEW" || fail 3 "$3 gives back something else than was written now"
    run rm -f "$OLD" "$NEW"
    rm -f "$REFERENCE"
    printf '%s: %s is mounted, the file from before is right, a new one was written\n' "$NAME" "$2"
    ;;
esac
