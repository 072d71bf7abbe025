#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # no shell runs it; bats sets status and output
# Writes are held while snapshots are begun, and let go whatever happens.

load helpers

setup() {
  make_host
  settings nfs-server <<<'EXPORT_NAME=sasdata'
  echo "/dev/dm-1 $ROOT/export/sasdata ext4 rw 0 0" >"$ROOT/proc/mounts"
  FROZEN=$BATS_TEST_TMPDIR/frozen
  export FROZEN
  stub sync
  # As the kernel: a second freeze is refused, and so is a thaw of what is not frozen.
  stub fsfreeze 'case $1 in
    -f) [[ ! -e $FROZEN ]] || { echo "fsfreeze: $2: freeze failed: Device or resource busy" >&2; exit 1; }
      sleep "${SLOW:-0}" && : >"$FROZEN" ;;
    -u) [[ -e $FROZEN ]] || { echo "fsfreeze: $2: unfreeze failed: Invalid argument" >&2; exit 1; }
      rm "$FROZEN" ;;
  esac'
  # What it was told to run later is kept as a program.
  stub systemd-run '[[ -z ${NO_SYSTEMD-} ]] || { echo "Failed to connect to bus"; exit 1; }
    printf "%q " "${@:3}" >"$STUBS/../later"'
}

# says WHAT TOKEN [SECONDS]
says() {
  run env WHAT="$1" TOKEN="$2" SECONDS_HELD="${3:-30}" bash "$REPOSITORY/constructs/host/documents/hold.sh"
}

# called PREFIX
called() {
  grep -q -- "^$1" "$CALLS"
}

time_is_up() {
  bash "$BATS_TEST_TMPDIR/later"
}

@test "what would end the hold is started before it, and the release says that it was in force" {
  says hold one
  exited 0
  same 'held /export/sasdata, for 30 s at most ' "$output"
  same 'sync systemd-run fsfreeze ' "$(awk '$1 ~ /sync|systemd-run|fsfreeze/ {print $1}' "$CALLS" | tr '\n' ' ')"
  called 'systemd-run --on-active=30s --timer-property=AccuracySec=100ms'
  [[ -e $FROZEN ]]
  says release one
  exited 0
  same 'released /export/sasdata, which was held until now ' "$output"
  [[ ! -e $FROZEN ]]
}

@test "when nobody releases it, it ends by itself, and a release says that it was over" {
  says hold one
  time_is_up
  [[ ! -e $FROZEN ]]
  says release one
  exited 20
}

@test "the end of an earlier hold does not end a later one" {
  says hold one
  cp "$BATS_TEST_TMPDIR/later" "$BATS_TEST_TMPDIR/earlier"
  says hold two
  exited 0
  bash "$BATS_TEST_TMPDIR/earlier"
  [[ -e $FROZEN ]]
  says release one
  exited 20
  [[ -e $FROZEN ]]
  says release two
  exited 0
}

@test "an end that comes while it is still being frozen waits, and leaves nothing frozen" {
  SLOW=2 WHAT=hold TOKEN=one SECONDS_HELD=1 bash "$REPOSITORY/constructs/host/documents/hold.sh" &
  for _ in {1..100}; do
    [[ ! -s $BATS_TEST_TMPDIR/later ]] || break
    sleep 0.05
  done
  time_is_up
  wait $! || true
  [[ ! -e $FROZEN ]]
}

@test "the program is killed while it freezes: the end still waits for the freeze" {
  SLOW=1 WHAT=hold TOKEN=one SECONDS_HELD=30 bash "$REPOSITORY/constructs/host/documents/hold.sh" &
  for _ in {1..100}; do
    ! called 'fsfreeze -f' >/dev/null || break
    sleep 0.05
  done
  kill -9 $!
  wait $! 2>/dev/null || true
  time_is_up
  [[ ! -e $FROZEN ]]
}

@test "nothing is held that nothing would end" {
  NO_SYSTEMD=yes says hold one
  exited 1
  [[ $output == *'nothing would end the hold'* && ! -e $FROZEN ]]
  [[ $(calls 'fsfreeze -f') == '' ]]
}

@test "what is not mounted is not frozen: that would be the root file system" {
  : >"$ROOT/proc/mounts"
  says hold one
  exited 1
  [[ $output == '/export/sasdata is not mounted'* ]]
  [[ $(calls fsfreeze) == '' ]]
}

@test "what is unmounted while it is synced is not frozen, either" {
  stub sync ': >"$SAS_GRID_ROOT/proc/mounts"'
  says hold one
  exited 1
  same '/export/sasdata is not mounted any more ' "$output"
  ! called 'fsfreeze -f'
  [[ ! -e $ROOT/run/sas-grid/hold ]]
}

@test "what somebody else has frozen is not ours to release" {
  : >"$FROZEN"
  says hold one
  exited 1
  [[ $output == *'Device or resource busy'* && -e $FROZEN ]]
  says release one
  exited 20
  [[ -e $FROZEN ]]
}

@test "no hold is longer than a minute, and none is nameless" {
  for seconds in 61 0 x ''; do
    says hold one "${seconds:- }"
    exited 1
  done
  says hold 'a b'
  exited 1
  says freeze one
  exited 1
  same "WHAT is 'freeze'; allowed: hold, release or sync " "$output"
  [[ $(calls fsfreeze) == '' ]]
}

@test "XFS on io2 is frozen where it is mounted" {
  rm "$ROOT/etc/sas-grid/nfs-server.env"
  settings local-volumes <<<'MOUNT_POINT=/sasdata'
  echo "/dev/dm-1 $ROOT/sasdata xfs rw 0 0" >"$ROOT/proc/mounts"
  says hold one
  exited 0
  called "fsfreeze -f $ROOT/sasdata"
}

@test "GFS2 is frozen on the node that is told, which holds it for all; the others only write what they have" {
  rm "$ROOT/etc/sas-grid/nfs-server.env"
  settings gfs2-node <<<$'CLUSTER=sasgfs2\nMOUNT_POINT=/sasdata'
  echo "/dev/mapper/sasgfs2-sasdata $ROOT/sasdata gfs2 rw 0 0" >"$ROOT/proc/mounts"
  says sync one
  exited 0
  same 'synced /sasdata ' "$output"
  called "sync -f $ROOT/sasdata"
  [[ ! -e $FROZEN && ! -e $ROOT/run/sas-grid/hold ]]
  ! called 'systemd-run' >/dev/null
  says hold one
  exited 0
  called "fsfreeze -f $ROOT/sasdata"
  # Asked again while it holds, its own hold stays: to sync ends none.
  says sync two
  exited 0
  [[ -e $FROZEN ]]
  says release one
  exited 0
  : >"$ROOT/proc/mounts"
  says sync three
  exited 1
  same '/sasdata is not mounted ' "$output"
}

@test "Lustre's barrier is set with its time, and has to be frozen" {
  rm "$ROOT/etc/sas-grid/nfs-server.env"
  settings lustre-mgs <<<'FSNAME=sasfs'
  # As lctl-barrier(8) has it: with --state the value alone.
  stub lctl 'case $1 in
    barrier_freeze) : >"$FROZEN" ;;
    barrier_stat) if [[ -e $FROZEN ]]; then state=${STATE-frozen}; else state=thawed; fi
      if [[ $2 == --state ]]; then echo "$state"; else printf "state: %s\ntimeout: 7 seconds\n" "$state"; fi ;;
    barrier_thaw) rm "$FROZEN" ;;
  esac'
  says hold one
  exited 0
  called 'lctl barrier_freeze sasfs 30'
  says release one
  exited 0
  called 'lctl barrier_thaw sasfs'
  STATE=failed says hold two
  exited 1
  same 'the barrier of sasfs is failed, not frozen ' "$output"
  says hold three
  STATE=expired says release three
  exited 20
  # Nobody knows whether it holds: it is let go.
  STATE='' says hold four
  exited 1
  same 'the barrier of sasfs is unknown, not frozen ' "$output"
  [[ ! -e $FROZEN ]]
}

@test "a real file system takes no writes while it is held, and its timer lets it go" {
  [[ $EUID == 0 ]] || skip 'only root freezes a file system'
  local image=$BATS_TEST_TMPDIR/disk device point=$ROOT/export/sasdata
  rm "$STUBS"/{sync,fsfreeze}
  truncate -s 32M "$image"
  PATH=$PATH:/usr/sbin:/sbin
  mkfs.ext4 -q -F "$image"
  device=$(losetup --find --show "$image" 2>/dev/null) || skip 'no loop devices here'
  mkdir -p "$point"
  mount "$device" "$point" 2>/dev/null || {
    losetup -d "$device"
    skip 'nothing can be mounted here'
  }
  says hold one
  local held=$status
  # It waits in the kernel until it is let go.
  echo x >"$point/new" &
  local writer=$!
  sleep 0.3
  local waiting=''
  kill -0 "$writer" 2>/dev/null && waiting=yes
  time_is_up
  wait "$writer"
  local written
  written=$(<"$point/new")
  umount "$point"
  losetup -d "$device"
  same '0 yes x' "$held $waiting $written"
}
