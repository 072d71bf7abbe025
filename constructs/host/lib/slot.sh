# shellcheck shell=bash
# The slot that this host serves, as it was told last: /etc/sas-grid/slot.env.

SLOT_FILE=$ROOT/etc/sas-grid/slot.env

# known KEY: prints what the host was told last; nothing when it was told nothing. An image that was made of a server brings that server's file.
known() {
  [[ ! -e $SLOT_FILE ]] || ! grep -qxF "INSTANCE=$INSTANCE" "$SLOT_FILE" || sed -n "s/^$1=//p" "$SLOT_FILE"
}

# accept_epoch SLOT EPOCH: exits when the host knows better.
accept_epoch() {
  local slot epoch
  slot=$(known SLOT)
  epoch=$(known EPOCH)
  [[ -z $slot || $slot == "$1" ]] || die "$EXIT_OLD_EPOCH" "refused: this host serves slot $slot, not $1"
  ((${epoch:-0} <= $2)) || die "$EXIT_OLD_EPOCH" "refused: epoch $2 is older than $epoch, which this host knows"
}

# remember_slot SLOT EPOCH ADDRESS VOLUMES
remember_slot() {
  changed "$SLOT_FILE" < <(printf 'SLOT=%s\nEPOCH=%s\nADDRESS=%s\nVOLUMES=%s\nINSTANCE=%s\n' "$@" "$INSTANCE") || :
}

# Before a target is formatted, a mark of its volume and epoch is left on this host. A mark that is still there means
# that the formatting did not end.
mark_formatting() {
  printf '%s\n' "$2" | write_file "$ROOT/etc/sas-grid/formatting/$1"
}

# unmark_formatting VOLUME: before anything on the volume is mounted. The mark is gone for good when this returns, also after a power
# failure: one that is not seen may be one whose removal has not reached the disk.
unmark_formatting() {
  local marks=$ROOT/etc/sas-grid/formatting
  [[ -d $marks ]] || return 0
  { rm -f "$marks/$1" && sync "$marks"; } || die "$EXIT_ERROR" "cannot remove $marks/$1"
}

# half_formatted VOLUME EPOCH: this host began to format the volume in the same epoch and did not end, or ended and was stopped before it
# took the mark away. The volume was blank then, nobody else has had it since, and it was never mounted.
half_formatted() {
  local mark=$ROOT/etc/sas-grid/formatting/$1
  [[ -e $mark && $(<"$mark") == "$2" ]]
}
