#!/usr/bin/env bats
# shellcheck disable=SC2016 # commands are written as text
# Multiple-mount protection of real file systems, on loop devices: what a server that was killed left is mounted by
# another one.

load helpers

setup_file() {
  local mount_point=$BATS_FILE_TMPDIR/mounted image=$BATS_FILE_TMPDIR/image
  truncate -s 16M "$image"
  mkfs.ext4 -q -F -O mmp,^metadata_csum -E mmp_update_interval=1 "$image"
  mkdir -p "$mount_point"
  mount -o loop "$image" "$mount_point" 2>/dev/null || return 0
  # What is on the disk of a server that is killed now.
  sync -f "$mount_point"
  cp "$image" "$BATS_FILE_TMPDIR/left"
  umount "$mount_point"
}

setup() {
  make_host
  PATH=$PATH:/usr/sbin:/sbin
  [[ -e $BATS_FILE_TMPDIR/left ]] || skip 'no loop device can be mounted here'
  mkdir -p "$ROOT/run/sas-grid"
  LOCK=$ROOT/run/sas-grid/serve.lock
}

teardown() {
  local point
  [[ -z ${LOCK:-} ]] || flock "$LOCK" true
  for point in "$BATS_TEST_TMPDIR"/point-*; do
    ! mountpoint -q "$point" || umount "$point"
  done
}

# mounts NUMBER: that many, as sas-grid-serve does it.
mounts() {
  local number
  for ((number = 1; number <= $1; number++)); do
    [[ -e $BATS_TEST_TMPDIR/$number ]] || cp "$BATS_FILE_TMPDIR/left" "$BATS_TEST_TMPDIR/$number"
    mkdir -p "$BATS_TEST_TMPDIR/point-$number"
  done
  run setsid bash -c 'set -euo pipefail
    exec 9>"$3" && flock 9
    for part in log wait background repair; do source "$0/constructs/host/lib/$part.sh"; done
    for number in $(seq "$2"); do
      mountpoint -q "$1/point-$number" ||
        begin "target-$number" "$1/$number" mount -o loop "$1/$number" "$1/point-$number"
    done
    attend' "$REPOSITORY" "$BATS_TEST_TMPDIR" "$1" "$LOCK"
}

# The kernel waits twice 2 x 5 + 1 s for each: side by side all are there when one is.
@test "eight targets of a killed server are mounted side by side; meanwhile calls end, and tell for how long" {
  local begun=$SECONDS
  SAS_GRID_SERVE_SECONDS=0 mounts 8
  exited 75
  still='is still being mounted'
  [[ $output =~ "target-1 $still, for "([0-9]+)' s at most'.*"target-8 $still".*'; call again'$ ]]
  ((BASH_REMATCH[1] <= 22 && BASH_REMATCH[1] >= 15))
  # They go on, and hold the lock of the call that has ended.
  ! flock -n "$LOCK" true || false
  flock "$LOCK" true
  for number in {1..8}; do mountpoint -q "$BATS_TEST_TMPDIR/point-$number"; done
  # One after the other would be 176 s.
  ((SECONDS - begun >= 22 && SECONDS - begun < 88))
}
