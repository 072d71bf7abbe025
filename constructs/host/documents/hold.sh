#!/bin/bash
# Holds what is written to the file system that this host serves, while snapshots of its volumes are begun. It travels
# in a document of Systems Manager.
#
#   hold     nothing is written from now on: fsfreeze for an export and for XFS; on Lustre's management server the write
#            barrier of all metadata servers. Before it holds, something is started that ends the hold after SECONDS,
#            whatever becomes of this program, of its agent and of who asked.
#   release  ends it, and says whether it was in force until now.
#   sync     has this host write what it has, before another one holds: less is left to write while everybody waits.
#
# GFS2 is held on one node for all: its freeze takes the freeze lock of the cluster, at which every node writes what it
# has, leaves its journal clean, and waits (Linux 2e60d768, "update freeze code to use freeze/thaw_super on all
# nodes"). When that node is lost, the others have it fenced and recover its locks, which ends the hold.
#
# TOKEN is one hold: a later one takes its place, and then the release of the earlier one says that it was over.
# Exit codes: 0 held, or in force until now; 20 it was over before it was released; 1 nothing is held.
set -u

root=${SAS_GRID_ROOT:-}
run=$root/run/sas-grid
mark=$run/hold
longest=60

end() {
  printf '%s\n' "${*:2}" | tr '\n' ' '
  exit "$1"
}

# setting ROLE KEY
setting() {
  sed -n "s/^$2=//p" "$root/etc/sas-grid/$1.env" 2>/dev/null | tail -n 1
}

# role NAME
role() {
  [[ -e $root/etc/sas-grid/$1.env ]]
}

# mounted DIRECTORY: of a directory that is none, fsfreeze would freeze the root file system.
mounted() {
  awk -v dir="$root$1" '$2 == dir && $3 != "autofs" {n++} END {exit !n}' "$root/proc/mounts"
}

# what_is_held: sets KIND and WHAT.
what_is_held() {
  if role nfs-server; then
    KIND=freeze WHAT=/export/$(setting nfs-server EXPORT_NAME)
  elif role local-volumes; then
    KIND=freeze WHAT=$(setting local-volumes MOUNT_POINT)
  elif role gfs2-node; then
    KIND=freeze WHAT=$(setting gfs2-node MOUNT_POINT)
  elif role lustre-mgs; then
    KIND=barrier WHAT=$(setting lustre-mgs FSNAME)
  else
    end 1 'this host serves nothing that can be held'
  fi
  [[ $WHAT =~ ^/?[A-Za-z0-9_][A-Za-z0-9_./-]*$ ]] || end 1 "what is to be held is '$WHAT'"
}

# barrier: prints the state of Lustre's write barrier, such as frozen, thawed or expired (lctl-barrier(8)).
barrier() {
  lctl barrier_stat "$WHAT" 2>/dev/null | sed -n 's/^state: *//p'
}

# let_go KIND WHAT: whether it was held until now.
let_go() {
  case $1 in
    freeze) fsfreeze -u "$root$2" 2>/dev/null ;;
    barrier) [[ $(barrier) == frozen ]] && lctl barrier_thaw "$2" >/dev/null 2>&1 ;;
    *) false ;;
  esac
}

# end_the_one_before: of a hold whose release never came.
end_the_one_before() {
  local token kind what
  [[ -e $mark ]] || return 0
  read -r token kind what <"$mark"
  let_go "$kind" "$what" || true
  rm -f "$mark"
}

# start_the_end: waits for the lock, which whoever freezes has for as long as that takes: an end that came first would
# leave a file system frozen. systemd is late by up to a minute unless told otherwise (systemd.timer(5), AccuracySec).
start_the_end() {
  # shellcheck disable=SC2016 # the shell of the timer reads it
  systemd-run "--on-active=${SECONDS_HELD}s" --timer-property=AccuracySec=100ms \
    bash -c 'exec 9>"$1.lock" && flock 9; read -r token _ 2>/dev/null <"$1"
      [[ $token != "$2" ]] || { fsfreeze -u "$3"; rm -f "$1"; }' \
    hold "$mark" "$TOKEN" "$root$WHAT" 2>&1
}

freeze() {
  local said begun
  mounted "$WHAT" || end 1 "$WHAT is not mounted"
  # Most is written before anybody has to wait.
  sync -f "$root$WHAT" || end 1 "$WHAT cannot be synced"
  printf '%s freeze %s\n' "$TOKEN" "$WHAT" >"$mark" || end 1 "$mark cannot be written"
  said=$(start_the_end) || { rm -f "$mark" && end 1 "nothing would end the hold: systemd-run: $said"; }
  begun=$EPOCHSECONDS
  # To sync takes time, in which somebody may have unmounted it.
  mounted "$WHAT" || { rm -f "$mark" && end 1 "$WHAT is not mounted any more"; }
  if ! said=$(fsfreeze -f "$root$WHAT" 2>&1); then
    rm -f "$mark"
    end 1 "$WHAT could not be held: $said"
  fi
  if ((EPOCHSECONDS - begun >= SECONDS_HELD)); then
    let_go freeze "$WHAT" || true
    rm -f "$mark"
    end 1 "it took $((EPOCHSECONDS - begun)) s to hold $WHAT, which is let go"
  fi
}

# raise_barrier: the servers themselves end it after its time.
raise_barrier() {
  local said state
  printf '%s barrier %s\n' "$TOKEN" "$WHAT" >"$mark" || end 1 "$mark cannot be written"
  if ! said=$(lctl barrier_freeze "$WHAT" "$SECONDS_HELD" 2>&1); then
    rm -f "$mark"
    end 1 "the barrier of $WHAT was not set: $said"
  fi
  state=$(barrier)
  [[ $state == frozen ]] || {
    # Also of one whose state cannot be read: it may hold.
    lctl barrier_thaw "$WHAT" >/dev/null 2>&1 || true
    rm -f "$mark"
    end 1 "the barrier of $WHAT is ${state:-unknown}, not frozen"
  }
}

hold() {
  if [[ ! $SECONDS_HELD =~ ^[1-9][0-9]?$ ]] || ((SECONDS_HELD > longest)); then
    end 1 "SECONDS_HELD is '$SECONDS_HELD'; allowed: 1 to $longest"
  fi
  what_is_held
  end_the_one_before
  case $KIND in
    freeze) freeze ;;
    barrier) raise_barrier ;;
  esac
  end 0 "held $WHAT, for $SECONDS_HELD s at most"
}

write_out() {
  what_is_held
  [[ $KIND == freeze ]] || end 1 "$WHAT is held by its servers"
  mounted "$WHAT" || end 1 "$WHAT is not mounted"
  sync -f "$root$WHAT" || end 1 "$WHAT cannot be synced"
  end 0 "synced $WHAT"
}

release() {
  local token='' kind='' what=''
  [[ ! -e $mark ]] || read -r token kind what <"$mark"
  [[ $token == "$TOKEN" ]] || end 20 'the hold was over before it was released'
  WHAT=$what
  if let_go "$kind" "$what"; then
    rm -f "$mark"
    end 0 "released $what, which was held until now"
  fi
  rm -f "$mark"
  end 20 "$what was not held any more"
}

TOKEN=${TOKEN:-} SECONDS_HELD=${SECONDS_HELD:-}
[[ $TOKEN =~ ^[A-Za-z0-9_.:-]{1,100}$ ]] || end 1 "TOKEN is '$TOKEN'; allowed: 1 to 100 letters, digits and . _ : -"
[[ ${WHAT:-} != sync ]] || write_out
mkdir -p "$run" || end 1 "$run cannot be made"
exec 9>"$mark.lock" || end 1 "$mark.lock cannot be written"
# Children have the lock, too: a fsfreeze that goes on when this program is killed.
flock -w 30 9 || end 1 'another hold is being set or ended'
case ${WHAT:-} in
  hold) hold ;;
  release) release ;;
  *) end 1 "WHAT is '${WHAT:-}'; allowed: hold, release or sync" ;;
esac
