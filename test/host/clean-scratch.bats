#!/usr/bin/env bats
# shellcheck disable=SC2010,SC2016,SC2154 # names without surprises; no shell runs it; bats sets status and output
# What killed sessions of SAS have left on the scratch goes; whatever is in doubt stays.

load helpers

# 1ee1 is a process that has ended; this shell's is one that runs.
ENDED=00001EE1

setup() {
  make_host
  settings grid-node <<<$'HOST_NAME=node1\nDOMAIN=sas-grid.internal'
  settings scratch <<<$'SASWORK_PATH=/saswork\nUTILLOC_PATH=/utilloc'
  mkdir -p "$ROOT"/{saswork,utilloc,home} "$ROOT/proc/$$/fd" "$ROOT/proc/sys/kernel"
  echo 4194304 >"$ROOT/proc/sys/kernel/pid_max"
  printf '%s\n' "/dev/md1 $ROOT/saswork xfs rw 0 0" "/dev/md2 $ROOT/utilloc ext4 rw 0 0" >"$ROOT/proc/mounts"
  # Nothing can change when a file was last touched by the kernel's own clock: the tool's clock is set forward.
  stub date 'echo $(($(/bin/date +%s) + 73 * 3600))'
}

# left DIRECTORY: what a session has left, with a file in it.
left() {
  mkdir -p "$ROOT/$1" && echo x >"$ROOT/$1/data.sas7bdat"
}

clean() {
  run bash "$REPOSITORY/constructs/host/documents/clean-scratch.sh"
}

# kept DIRECTORY: the call kept it, and removed nothing.
kept() {
  clean
  exited 0
  [[ ${lines[0]} == '0 removed, 1 kept, 0 failed' && -e $ROOT/$1 ]] || {
    printf '%s\n' "$1: $output" >&2
    return 1
  }
}

@test "work and utility directories of ended sessions go, and are named" {
  left "saswork/SAS_work3D2A${ENDED}_node1/SAS_work0B1C${ENDED}_node1"
  left "utilloc/SAS_util0001${ENDED}_node1.sas-grid.internal"
  left saswork/mine
  DRY_RUN=yes clean
  exited 0
  same '2 to be removed, 0 kept, 0 failed' "${lines[0]}"
  same "would remove $ROOT/saswork/SAS_work3D2A${ENDED}_node1" "${lines[1]}"
  [[ -e $ROOT/utilloc/SAS_util0001${ENDED}_node1.sas-grid.internal/data.sas7bdat ]]
  clean
  exited 0
  same '2 removed, 0 kept, 0 failed' "${lines[0]}"
  same "removed $ROOT/saswork/SAS_work3D2A${ENDED}_node1" "${lines[1]}"
  same mine "$(ls "$ROOT/saswork" "$ROOT/utilloc" | grep -v : | grep .)"
  same 2 "$(calls 'logger -t sas-grid-clean-scratch removed' | wc -l)"
  clean
  same '0 removed, 0 kept, 0 failed' "$output"
}

@test "what is not exactly a name of SAS's and of this host stays" {
  local name
  for name in "SAS_work3D2A${ENDED}_node2" "SAS_work3D2A${ENDED}_node11" "SAS_work3D2A${ENDED}_node1.other" \
    "SAS_work3D2A${ENDED}" "SAS_work3D2A${ENDED}_" "SAS_work${ENDED}_node1" "SAS_work3D2AxxxxxxEE1_node1" \
    "SAS_data3D2A${ENDED}_node1" \
    SAS_work3D2A00000000_node1 SAS_work3D2A00000001_node1 SAS_work3D2A00400000_node1 \
    "SAS_work3D2A0000${ENDED}_node1x"; do
    left "saswork/$name"
    kept "saswork/$name"
    rm -r "$ROOT/saswork/$name"
  done
}

@test "the directory of a process that runs stays, whatever it is" {
  local running
  running=saswork/SAS_work3D2A$(printf %08X $$)_node1
  left "$running"
  kept "$running"
}

@test "what a process has open, works in or has mapped stays" {
  local directory=saswork/SAS_work3D2A${ENDED}_node1
  left "$directory"
  ln -s "$ROOT/$directory/data.sas7bdat" "$ROOT/proc/$$/fd/5"
  kept "$directory"
  rm "$ROOT/proc/$$/fd/5"
  # As a container sees it.
  ln -s "/work/${directory#*/}" "$ROOT/proc/$$/cwd"
  kept "$directory"
  rm "$ROOT/proc/$$/cwd"
  echo "7f00-7f01 r--p 0 0:0 1 $ROOT/$directory/data.sas7bdat" >"$ROOT/proc/$$/maps"
  kept "$directory"
  rm "$ROOT/proc/$$/maps"
  clean
  same '1 removed, 0 kept, 0 failed' "${lines[0]}"
}

@test "what was changed within the time stays, also when only something inside was" {
  local directory=saswork/SAS_work3D2A${ENDED}_node1
  left "$directory"
  HOURS=74 kept "$directory"
  rm "$STUBS/date"
  kept "$directory"
  # As if copied from elsewhere: its own times are old, and only the kernel knows when it came.
  touch -d '4 days ago' "$ROOT/$directory/data.sas7bdat" "$ROOT/$directory"
  kept "$directory"
}

@test "what something is mounted in stays" {
  local directory=saswork/SAS_work3D2A${ENDED}_node1
  left "$directory/inside"
  echo "1.2.3.4:/x $ROOT/$directory/inside nfs4 rw 0 0" >>"$ROOT/proc/mounts"
  kept "$directory"
  sed -i "s, $ROOT/$directory/inside , $ROOT/$directory ," "$ROOT/proc/mounts"
  kept "$directory"
}

@test "no link is followed" {
  left home/user
  ln -s "$ROOT/home/user" "$ROOT/saswork/SAS_work3D2A${ENDED}_node1"
  mkdir "$ROOT/saswork/SAS_work4444${ENDED}_node1"
  ln -s "$ROOT/home" "$ROOT/saswork/SAS_work4444${ENDED}_node1/home"
  clean
  same '1 removed, 0 kept, 0 failed' "${lines[0]}"
  [[ -L $ROOT/saswork/SAS_work3D2A${ENDED}_node1 && -e $ROOT/home/user/data.sas7bdat ]]
  rm -r "$ROOT/saswork"
  left "home/SAS_work3D2A${ENDED}_node1"
  ln -s "$ROOT/home" "$ROOT/saswork"
  clean
  same '0 removed, 0 kept, 0 failed' "${lines[0]}"
  [[ -e $ROOT/home/SAS_work3D2A${ENDED}_node1 ]]
}

@test "only what is mounted, and no file system that others share" {
  local directory=saswork/SAS_work3D2A${ENDED}_node1 kind
  left "$directory"
  for kind in nfs4 lustre gfs2; do
    echo "x $ROOT/saswork $kind rw 0 0" >"$ROOT/proc/mounts"
    clean
    exited 0
    same '0 removed, 0 kept, 0 failed' "${lines[0]}"
    same "/saswork is not this server's scratch" "${lines[1]}"
  done
  : >"$ROOT/proc/mounts"
  clean
  same '0 removed, 0 kept, 0 failed' "${lines[0]}"
  [[ -e $ROOT/$directory/data.sas7bdat ]]
}

@test "what cannot be removed is told, and ends with an error" {
  left "saswork/SAS_work3D2A${ENDED}_node1"
  # Not for bats, which tidies up with it.
  stub rm '[[ $* != *--one-file-system* ]] && exec /bin/rm "$@"'
  clean
  exited 1
  same '0 removed, 0 kept, 1 failed' "${lines[0]}"
  same "could not remove all of $ROOT/saswork/SAS_work3D2A${ENDED}_node1" "${lines[1]}"
}

@test "without scratch there is nothing to do; without a name, with a wrong time, or beside another nothing is done" {
  left "saswork/SAS_work3D2A${ENDED}_node1"
  local hours
  for hours in 0 -1 24h 9999999 '$(reboot)'; do
    HOURS=$hours clean
    exited 75
  done
  mkdir -p "$ROOT/run/sas-grid"
  exec 7>"$ROOT/run/sas-grid/clean-scratch.lock"
  flock 7
  clean
  exited 75
  exec 7>&-
  mv "$ROOT/proc/sys/kernel/pid_max" "$ROOT/pid_max"
  clean
  exited 75
  mv "$ROOT/pid_max" "$ROOT/proc/sys/kernel/pid_max"
  rm "$ROOT/etc/sas-grid/grid-node.env"
  clean
  exited 75
  rm "$ROOT/etc/sas-grid/scratch.env"
  clean
  exited 0
  [[ -e $ROOT/saswork/SAS_work3D2A${ENDED}_node1/data.sas7bdat ]]
}
