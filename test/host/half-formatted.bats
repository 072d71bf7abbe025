#!/usr/bin/env bats
# shellcheck disable=SC2013,SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-serve: marks of a formatting that did not end, and that a whole target wins over them, whatever left them
# behind.

load helpers
load server

setup() {
  make_server
  MARK=$ROOT/etc/sas-grid/formatting/vol-0a
  mkdir -p "${MARK%/*}"
}

# whole: mkfs.lustre has ended, whoever called it was stopped before it took the mark away.
whole() {
  existing tunefs_dryrun_ost.out
  echo 3 >"$MARK"
}

# A pool and its dataset: tunefs.lustre says "not found" of a pool that is not imported (libmount_utils_zfs.c,
# zfs_is_lustre).
zfs() {
  sed -i s/BACKEND=ldiskfs/BACKEND=zfs/ "$ROOT/etc/sas-grid/lustre-oss.env"
  echo id >"$ROOT/etc/hostid"
  export IMPORTED=$ROOT/imported
  stub zpool '
    case $* in
      list*) [[ -e $IMPORTED ]] ;;
      get*) [[ -e $IMPORTED.half ]] && echo off || echo on ;;
      import*) [[ ! -e $IMPORTED.none ]] ||
      { echo "cannot import '"'\${*: -1}'"': no such pool available" >&2; exit 1; }; touch "$IMPORTED" ;;
    esac'
  stub zfs 'printf "%s\n" - ${SVNAME--}'
  # It turns multihost on after it has made the pool.
  stub mkfs.lustre 'rm -f "$IMPORTED.half"; touch "$IMPORTED"'
  stub tunefs.lustre '[[ -e $IMPORTED && ! -e $IMPORTED.half ]] && exec cat "$RECORDINGS/tunefs_dryrun_ost.out"
    echo "checking for existing Lustre data: not found"; exit 19'
}

# The mount is seen only without a mark: what is mounted must never have one, not even for a moment.
mount_without_mark() {
  stub mount "[[ ! -e $MARK ]]"
}

reboot() {
  rm -f "$IMPORTED"
  : >"$ROOT/proc/mounts"
  : >"$CALLS"
}

@test "a whole target with a mark is mounted, and its mark is gone before" {
  whole
  mount_without_mark
  serve --may-format
  exited 0
  [[ -n $(calls mount) && ! -e $MARK ]]
  same '' "$(calls mkfs.lustre)"
}

@test "zfs: a whole target with a mark is mounted, and its mark is gone before" {
  whole
  zfs
  touch "$IMPORTED"
  mount_without_mark
  serve --may-format
  exited 0
  [[ -n $(calls mount) && ! -e $MARK ]]
  same '' "$(calls mkfs.lustre)"
}

@test "what was just formatted has no mark when it is mounted, on either backend" {
  mount_without_mark
  serve --may-format
  exited 0
  [[ -n $(calls mkfs.lustre) && ! -e $MARK ]]
  zfs
  serve --may-format
  exited 0
  [[ ! -e $MARK ]]
}

@test "a mark that cannot be taken away keeps the target from being mounted" {
  whole
  stub rm "[[ \$* != *$MARK ]] || exit 1; exec /bin/rm \"\$@\""
  serve --may-format
  exited 1
  [[ $output == *"cannot remove $MARK"* ]]
  stub rm 'exec /bin/rm "$@"'
  stub sync "[[ \$* != ${MARK%/*} ]] || exit 1"
  serve --may-format
  exited 1
  # The mark is not seen any more, but may be back after a power failure.
  serve --may-format
  exited 1
  same '' "$(calls mount)"
}

@test "zfs: after a reboot a target that was mounted is imported, never formatted, even with a mark" {
  whole
  zfs
  touch "$IMPORTED"
  serve --may-format
  exited 0
  for marked in '' 3; do
    reboot
    [[ -z $marked ]] || echo "$marked" >"$MARK"
    serve --may-format
    exited 0
    [[ $(calls 'zpool import') == *' sasfs-ost0000' && -n $(calls mount) && ! -e $MARK ]]
    same '' "$(calls mkfs.lustre)"
  done
}

@test "zfs: a served target with a mark is served again after a reboot, without permission" {
  whole
  zfs
  SAS_GRID_STORED_WAIT=0 serve
  exited 0
  reboot
  echo 3 >"$MARK"
  SAS_GRID_STORED_WAIT=0 run "$BIN/sas-grid-serve" --stored
  exited 0
  [[ -n $(calls mount) && ! -e $MARK ]]
}

@test "zfs: formatting that was cut short, before or after the pool was there, is done again" {
  existing tunefs_dryrun_ost.out
  zfs
  for state in none half; do
    rm -f "$IMPORTED"*
    touch "$IMPORTED.$state"
    echo 3 >"$MARK"
    : >"$CALLS"
    serve
    exited 4
    serve --may-format
    exited 0
    [[ $(calls mkfs.lustre) == *--reformat* && -n $(calls mount) && ! -e $MARK ]]
  done
}

@test "zfs: without a mark of this epoch, a pool that is not there is waited for" {
  existing tunefs_dryrun_ost.out
  zfs
  touch "$IMPORTED.none"
  serve --may-format
  exited 75
  echo 2 >"$MARK"
  serve --may-format
  exited 75
  same '' "$(calls 'mkfs.lustre|mount')"
}

@test "zfs: with a mark, a pool that cannot be imported for any other reason is not formatted" {
  whole
  zfs
  for answer in 'no such pool or dataset' 'one or more devices is currently unavailable' 'I/O error' \
    'pool is imported on another host'; do
    stub zpool "[[ \$1 != list ]] || exit 1; echo \"cannot import 'sasfs-ost0000': $answer\" >&2; exit 1"
    serve --may-format
    exited 75
  done
  same '' "$(calls 'mkfs.lustre|mount')"
}

@test "zfs: a pool that carries a target's name is not formatted, even when tunefs.lustre finds no target" {
  whole
  zfs
  touch "$IMPORTED.half"
  SVNAME=sasfs-OST0000 serve --may-format
  exited 4
  [[ $output == *'carries: sasfsOST0000'* ]]
  stub zfs 'exit 1'
  serve --may-format
  exited 4
  same '' "$(calls 'mkfs.lustre|mount')"
}
