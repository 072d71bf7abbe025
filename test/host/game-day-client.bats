#!/usr/bin/env bats
# shellcheck disable=SC2154 # bats sets status and output
# client-check.sh: what a client of the file system does on a game day, and what it removes.

load helpers

RUN=01234567-89ab-cdef-0123-456789abcdef
EARLIER=fedcba98-7654-3210-fedc-ba9876543210
SHARED='.sas-grid-game-day'

setup() {
  make_host
  mkdir -p "$ROOT"/{sasdata/lsf,var/tmp}
  echo node-1 >"$ROOT/etc/hostname"
  printf 'nfs:/export %s nfs4 rw 0 0\n' "$ROOT/sasdata" >"$ROOT/proc/mounts"
}

check() {
  run bash "$REPOSITORY/constructs/game-day/scripts/client-check.sh" "$1" /sasdata /sasdata/lsf "${2:-root}" "$RUN" 1
}

# left AGE FILE...: files that are so old.
left() {
  local file age=$1
  shift
  for file; do
    echo left >"$ROOT/$file"
    touch -d "-$age" "$ROOT/$file"
  done
}

@test "a client that is well leaves nothing behind" {
  check prepare
  exited 0
  [[ -s $ROOT/sasdata/lsf/$SHARED-$RUN-node-1 && -s $ROOT/var/tmp/sas-grid-game-day-$RUN ]]
  check verify
  exited 0
  same '' "$(find "$ROOT/sasdata/lsf" "$ROOT/var/tmp" -type f)"
}

@test "a file that has changed is told, and stays for who looks" {
  check prepare
  echo changed >"$ROOT/sasdata/lsf/$SHARED-$RUN-node-1"
  check verify
  exited 3
  [[ -e $ROOT/sasdata/lsf/$SHARED-$RUN-node-1 && -e $ROOT/var/tmp/sas-grid-game-day-$RUN ]]
}

@test "prepare removes what this host left more than a day ago" {
  left '25 hours' "sasdata/lsf/$SHARED-$EARLIER-node-1" "sasdata/lsf/$SHARED-$EARLIER-node-1-new" \
    "var/tmp/sas-grid-game-day-$EARLIER"
  check prepare
  exited 0
  same "$(printf '%s\n' "$ROOT/sasdata/lsf/$SHARED-$RUN-node-1" "$ROOT/var/tmp/sas-grid-game-day-$RUN")" \
    "$(find "$ROOT/sasdata/lsf" "$ROOT/var/tmp" -type f)"
}

@test "prepare leaves alone what is younger, another host's, somebody's, in a folder, or no file" {
  left '23 hours' "sasdata/lsf/$SHARED-$EARLIER-node-1" "var/tmp/sas-grid-game-day-$EARLIER"
  mkdir "$ROOT/sasdata/lsf/folder" "$ROOT/sasdata/lsf/$SHARED-$EARLIER-node-1-new" "$ROOT/var/tmp/folder"
  left '9 days' "sasdata/lsf/$SHARED-$EARLIER-node-11" "sasdata/lsf/$SHARED-$EARLIER-node-2" \
    "sasdata/lsf/$SHARED-$EARLIER-my-node-1" "sasdata/lsf/$SHARED-notes-node-1" \
    "sasdata/lsf/$SHARED-$EARLIER-node-1.old" 'sasdata/lsf/a file' \
    "sasdata/lsf/sas-grid-game-day-$EARLIER-node-1" "sasdata/lsf/folder/$SHARED-$EARLIER-node-1" \
    "sasdata/$SHARED-$EARLIER-node-1" 'var/tmp/sas-grid-game-day-notes' \
    "var/tmp/sas-grid-game-day-$EARLIER.gz" "var/tmp/folder/sas-grid-game-day-$EARLIER"
  ln -s "$ROOT/etc/hostname" "$ROOT/var/tmp/sas-grid-game-day-${EARLIER/f/e}"
  touch -h -d '-9 days' "$ROOT/var/tmp/sas-grid-game-day-${EARLIER/f/e}"
  touch -d '-9 days' "$ROOT/sasdata/lsf/$SHARED-$EARLIER-node-1-new"
  local before
  before=$(cd "$ROOT" && find sasdata var | sort)
  check prepare
  exited 0
  same "$before" "$(cd "$ROOT" && find sasdata var ! -name "*$RUN*" | sort)"
}

@test "a name that find would take for a pattern finds itself, and no more than one other character for each" {
  printf 'a[b]*' >"$ROOT/etc/hostname"
  left '2 days' "sasdata/lsf/$SHARED-$EARLIER-a[b]*" "sasdata/lsf/$SHARED-$EARLIER-ab" \
    "sasdata/lsf/$SHARED-$EARLIER-a[b]many"
  check prepare
  exited 0
  [[ ! -e "$ROOT/sasdata/lsf/$SHARED-$EARLIER-a[b]*" && -e $ROOT/sasdata/lsf/$SHARED-$EARLIER-ab ]]
}

@test "what cannot be removed keeps no game day from being prepared, and another account looks as itself" {
  stub find 'exit 1'
  stub runuser 'shift 3; exec "$@"'
  check prepare sas
  exited 0
  grep -q "^runuser -u sas -- find $ROOT/sasdata/lsf/ " "$CALLS"
}
