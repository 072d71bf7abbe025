# shellcheck shell=bash
# The repair of an ext4, which ldiskfs is, too, before it is mounted again: errors that the server before met are not to
# be written over.

# recorded_errors DEVICE: prints what dumpe2fs tells of errors, nothing when there are none. Where it cannot read, the
# mount is the judge. The journal has an errno when the server died before ext4 could note it; a count is left when
# somebody cleared the rest.
recorded_errors() {
  dumpe2fs -h "$1" 2>/dev/null | grep -E 'with errors|^(Journal errno|FS Error count):' || true
}

# repaired DEVICE NAME SAID: SAID is a file of its own for each NAME, with e2fsck's words. e2fsck keeps to
# multiple-mount protection, and one that is killed leaves it on for good. It can take hours, and much memory: one at a
# time. One that left errors (4, see e2fsck(8)) is told by each call until a reboot, and no other is begun, which would
# take as long and end alike. Without -f it would leave a mere count.
repaired() {
  local status=0 said=$3
  if [[ -z $(recorded_errors "$1") ]]; then
    rm -f "$said.failed"
    return 0
  fi
  if [[ ! -e $said.failed ]]; then
    doing repaired "$2" "$1"
    flock "$ROOT/run/sas-grid/e2fsck.lock" e2fsck -fp "$1" &>"$said" || status=$?
    ((status < 4 || status > 7)) || touch "$said.failed"
    doing mounted "$2" "$1"
  fi
  cat "$said" >&2
  [[ ! -e $said.failed ]] && ((status < 4))
}

# unrepaired COMMAND SAID: prints what a person has to do. Codes of 8 and above say that e2fsck could not work, and
# nothing of damage.
unrepaired() {
  if [[ -e $2.failed ]]; then
    echo "damaged beyond automatic repair. By hand: $1; to try e2fsck -p once more: rm $2.failed"
  else
    echo "not repaired: $(e2fsck -V 2>&1 | head -n 1) could not work, which says nothing of damage; see $2"
  fi
}

# in_use_by DEVICE: prints "e2fsck", of which protection cannot tell whether it runs or was cut off, or "mount", of
# another host; or nothing.
in_use_by() {
  local status=0 said
  said=$(e2mmpstatus "$1" 2>&1) || status=$?
  log "$said"
  ((status == 1)) || return 0
  [[ $said == *'e2fsck being run'* ]] && echo e2fsck || echo mount
}
