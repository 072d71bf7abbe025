# shellcheck shell=bash
# The repair of an ext4, which ldiskfs is, too, before it is mounted again: errors that the server before met are not to be written over.

# over PROCESS
over() {
  ! kill -0 "$1" 2>/dev/null
}

# recorded_errors DEVICE: prints what dumpe2fs tells of errors, nothing when there are none. Where it cannot read, the mount is the judge.
# The journal has an errno when the server died before ext4 could note it; a count is left when somebody cleared the rest.
recorded_errors() {
  dumpe2fs -h "$1" 2>/dev/null | grep -E 'with errors|^(Journal errno|FS Error count):' || true
}

# repaired DEVICE NAME SAID: SAID is a file of its own for each NAME, with e2fsck's words. e2fsck keeps to multiple-mount protection, and one
# that is killed leaves it on for good. It can take hours: it goes on when the call ends, or is ended, and holds its lock; the call ends soon, so that
# the caller knows what it waits for before its patience ends. One that left errors (4, see e2fsck(8)) is told by each call until a reboot, and no
# other is begun, which would take as long and end alike. Without -f it would leave a mere count.
repaired() {
  local status=0 process said=$3
  if [[ -z $(recorded_errors "$1") ]]; then
    rm -f "$said.failed"
    return 0
  fi
  if [[ -e $said.failed ]]; then
    cat "$said" >&2
    return 1
  fi
  # shellcheck disable=SC2016 # expanded by the inner shell
  setsid bash -c 'e2fsck -fp "$0" || { status=$?; ((status < 4 || status > 7)) || touch "$1"; exit $status; }' \
    "$1" "$said.failed" >"$said" 2>&1 </dev/null &
  process=$!
  wait_until $((${SAS_GRID_SERVE_SECONDS:-60} - SECONDS)) over "$process" || die "$EXIT_NOT_YET" "$2 is still being repaired; call again"
  wait "$process" || status=$?
  cat "$said" >&2
  ((status < 4))
}

# damaged COMMAND SAID: prints what a person has to do.
damaged() {
  local more=''
  [[ ! -e $2.failed ]] || more="; to try e2fsck -p once more: rm $2.failed"
  echo "damaged beyond automatic repair. By hand: $1$more"
}

# in_use_by DEVICE: prints "e2fsck", of which protection cannot tell whether it runs or was cut off, or "mount", of another host; or nothing.
in_use_by() {
  local status=0 said
  said=$(e2mmpstatus "$1" 2>&1) || status=$?
  log "$said"
  ((status == 1)) || return 0
  [[ $said == *'e2fsck being run'* ]] && echo e2fsck || echo mount
}
