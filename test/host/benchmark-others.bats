#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status, output and stderr
# Others at work on the same file system, of whom little is to be seen.

load benchmark

setup_file() {
  assemble
}

setup() {
  bats_require_minimum_version 1.5.0
  make_benchmark_host
}

@test "a run that reads what it wrote long ago shows others that it is there" {
  stub sleep 'PATH=${PATH#*:}; [[ $1 != 2 ]] || exec sleep 0.02; exec sleep "$@"'
  # While it reads, all that it has written becomes old; then there is a sign of life.
  stub dd 'PATH=${PATH#*:}
    [[ $* != *of=/dev/null* ]] || {
      cd "$SAS_GRID_ROOT/saswork/.sas-grid-benchmark" && touch -d "10 minutes ago" */*/*
      for ((n = 0; n < 100; n++)); do
        [[ -z $(find . -mindepth 3 -maxdepth 3 -type f -mmin -2) ]] || { echo seen >>"$CALLS" && break; }
        sleep 0.1
      done
    }
    exec dd "$@"'
  program sas-io Data=zero Processes=1
  exited 0
  same seen "$(calls seen)"
  nothing_left
}

@test "where a directory of Lustre is mounted, its statistics are those of the file system" {
  echo "10.0.0.8@tcp:10.0.0.9@tcp:/sasfs/grid $ROOT/saswork lustre rw 0 0" >"$ROOT/proc/mounts"
  stub lctl ':'
  program sas-io Data=zero BusyMBps=10
  [[ $(calls 'lctl get_param') == *'llite.sasfs-*.stats'* ]]
}

@test "a terabyte that was moved through NFS before is counted like any other number" {
  stub sleep 'PATH=${PATH#*:}; [[ $1 != 0.2 ]] || { : >"$SAS_GRID_ROOT/later";
    cp "$SAS_GRID_ROOT"/{mountstats,proc/self/mountstats}; }; exec sleep "$@"'
  mkdir -p "$ROOT/proc/self"
  echo "server:/x $ROOT/saswork nfs4 rw 0 0" >"$ROOT/proc/mounts"
  mountstats() {
    printf 'device server:/x mounted on %s with fstype nfs4 statvers=1.1\n\tbytes:\t1 2 3 4 %s %s 7 8\n' \
      "$ROOT/saswork" "$1" "$1"
  }
  mountstats 1500000000000 >"$ROOT/proc/self/mountstats"
  mountstats 1500020000000 >"$ROOT/mountstats"
  program sas-io Data=zero BusyMBps=10
  refused busy 'allowed are less than 10 MB/s'
}
