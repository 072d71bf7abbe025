#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status, output and stderr
# What all programs of the benchmark look at before they write: where that would be, who else works there; and how they
# count and print.

load benchmark

setup_file() {
  assemble
}

setup() {
  bats_require_minimum_version 1.5.0
  make_benchmark_host
  # Far enough to say whether it would have written.
  stub dd 'case $* in *of=./*) exit 1 ;; esac'
}

# writes: the last program would have written.
writes() {
  exited 1
  same 'zero' "$(told setup data)"
}

# common FUNCTION [ARGUMENT]...: calls a function of the programs.
common() {
  run bash -c 'set -u
    for part in records host place busy; do . "$0/$part.sh"; done
    "$@"' "$REPOSITORY/constructs/storage-benchmark/programs/common" "$@"
}

@test "a directory that is not there, is no directory, or is on the root file system is refused" {
  program sas-io Data=zero Directory=/nowhere
  refused no-directory
  : >"$ROOT/saswork/other"
  program sas-io Data=zero Directory=/saswork/other
  refused no-directory
  mkdir "$ROOT/local"
  program sas-io Data=zero Directory=/local
  refused not-mounted
  echo '/dev/nvme0n1p4 / xfs rw 0 0' >>"$ROOT/proc/mounts"
  program sas-io Data=zero Directory=/local
  refused not-mounted
  program sas-io Data=zero Directory=/local RequireMount=no
  writes
  echo "auto $ROOT/local autofs rw 0 0" >>"$ROOT/proc/mounts"
  program sas-io Data=zero Directory=/local
  refused not-mounted
}

@test "the file system is that of the longest mount point, and the last of several" {
  mkdir -p "$ROOT/saswork/other/deep" "$ROOT/saswork2"
  printf '%s\n' "server:/x $ROOT/saswork/other nfs4 ro 0 0" "server:/y $ROOT/saswork/other nfs4 rw,vers=4.2 0 0" \
    "/dev/sdz $ROOT/saswork2 ext4 ro 0 0" >>"$ROOT/proc/mounts"
  program sas-io Data=zero Directory=/saswork/other/deep
  same 'nfs4 server:/y rw,vers=4.2' "$(told setup fileSystemType device options)"
  program sas-io Data=zero Directory=/saswork2
  refused not-mounted 'read-only'
}

@test "a symbolic link is not followed, at whichever place of the path" {
  mkdir -p "$BATS_TEST_TMPDIR/elsewhere/inner"
  ln -s "$BATS_TEST_TMPDIR/elsewhere" "$ROOT/saswork/other-link"
  program sas-io Data=zero Directory=/saswork/other-link
  refused no-directory 'is a symbolic link'
  program sas-io Data=zero Directory=/saswork/other-link/inner
  refused no-directory '/saswork/other-link is a symbolic link'
  # Planted by whoever may write to the directory.
  ln -s "$BATS_TEST_TMPDIR/elsewhere" "$ROOT/saswork/.sas-grid-benchmark"
  program sas-io Data=zero
  exited 75
  same no-directory "$(told refused reason)"
  rm "$ROOT/saswork/.sas-grid-benchmark"
  mkdir "$ROOT/saswork/.sas-grid-benchmark"
  ln -s "$BATS_TEST_TMPDIR/elsewhere" "$ROOT/saswork/.sas-grid-benchmark/$RUN"
  program sas-io Data=zero
  exited 75
  rm "$ROOT/saswork/.sas-grid-benchmark/$RUN"
  mkdir "$ROOT/saswork/.sas-grid-benchmark/$RUN"
  ln -s "$BATS_TEST_TMPDIR/elsewhere/inner" "$ROOT/saswork/.sas-grid-benchmark/$RUN/i-0123456789abcdef0"
  program sas-io Data=zero
  exited 1
  # A link in the place of its own directory goes; what it led to stays.
  same inner "$(ls -A "$BATS_TEST_TMPDIR/elsewhere")"
  same '' "$(ls -A "$BATS_TEST_TMPDIR/elsewhere/inner")"
}

@test "a directory of somebody else's in its place is refused, and not emptied" {
  ((EUID == 0)) || skip 'it gives a file to somebody else, which wants root'
  mkdir -p "$ROOT/saswork/.sas-grid-benchmark/$RUN/i-0123456789abcdef0"
  : >"$ROOT/saswork/.sas-grid-benchmark/$RUN/i-0123456789abcdef0/mine"
  chown -R nobody "$ROOT/saswork/.sas-grid-benchmark"
  program sas-io Data=zero
  exited 75
  same no-directory "$(told refused reason)"
  [[ -e $ROOT/saswork/.sas-grid-benchmark/$RUN/i-0123456789abcdef0/mine ]]
  same 1 "$(find "$ROOT/saswork" -type f | wc -l)"
}

@test "it reads and writes as the account that was named" {
  ((EUID == 0)) || skip 'it becomes somebody else, which wants root'
  command -v setpriv >/dev/null || skip 'setpriv is not installed'
  chmod a+x "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
  chown nobody "$ROOT/saswork" && chmod 700 "$ROOT/saswork"
  rm "$STUBS/dd"
  program sas-io User=nobody
  exited 0
  same 4 "$(told phase phase | wc -l)"
  nothing_left
  chown root "$ROOT/saswork" && chmod 755 "$ROOT/saswork"
  program sas-io User=nobody
  refused no-directory 'nobody cannot write to /saswork'
}

# diskstats SECTORS READ AND WRITTEN
diskstats() {
  printf ' 259 0 nvme0n1 1 0 999999 0 1 0 999999 0 0 0 0 0 0 0 0\n   9 0 md0 10 0 %s 0 10 0 %s 0 0 0 0 0 0 0 0\n' \
    "$1" "$2" >"$ROOT/proc/diskstats"
}

@test "a disk that others use is refused" {
  stub sleep 'PATH=${PATH#*:}; [[ $1 != 0.2 ]] || "$SAS_GRID_ROOT/later"; exec sleep "$@"'
  printf '%s\n' '#!/bin/bash' \
    'sed -i "s/ md0 10 0 1000 0 10 0 1000 / md0 10 0 ${1:-21000} 0 10 0 ${2:-21000} /" \' \
    '  "$SAS_GRID_ROOT/proc/diskstats"' >"$ROOT/later"
  chmod +x "$ROOT/later"
  diskstats 1000 1000
  # 40,000 sectors are 20.48 MB: in a fifth of a second or a little more.
  program sas-io Data=zero BusyMBps=10
  refused busy 'allowed are less than 10 MB/s'
  diskstats 1000 1000
  program sas-io Data=zero BusyMBps=110
  writes
  [[ $(told note text) == *'others moved '*' MB/s here'* ]]
  diskstats 1000 1000
  program sas-io Data=zero BusyMBps=0
  writes
}

@test "an NFS server and a Lustre that this host uses are refused" {
  stub sleep 'PATH=${PATH#*:}; [[ $1 != 0.2 ]] || { : >"$SAS_GRID_ROOT/later";
    cp "$SAS_GRID_ROOT"/{mountstats,proc/self/mountstats}; }; exec sleep "$@"'
  mkdir -p "$ROOT/proc/self"
  echo "server:/x $ROOT/saswork nfs4 rw 0 0" >"$ROOT/proc/mounts"
  mountstats() {
    printf 'device other:/y mounted on /other with fstype nfs4 statvers=1.1\n\tbytes:\t9 9 9 9 %s 9 9 9\n' "$RANDOM"
    printf 'device server:/x mounted on %s with fstype nfs4 statvers=1.1\n\topts:\trw\n\tbytes:\t%s\n' \
      "$ROOT/saswork" "$1"
  }
  mountstats '1 2 3 4 1000 1000 7 8' >"$ROOT/proc/self/mountstats"
  mountstats '90000000 90000000 3 4 20001000 20001000 7 8' >"$ROOT/mountstats"
  program sas-io Data=zero BusyMBps=10
  refused busy
  echo "10.0.0.9@tcp:/sasfs $ROOT/saswork lustre rw 0 0" >"$ROOT/proc/mounts"
  rm -f "$ROOT/later"
  stub lctl '[[ $2 != -n ]] || { [[ -e $SAS_GRID_ROOT/later ]] && sum=40002000 || sum=2000
    printf "snapshot_time 1.2 secs.nsecs\nread_bytes 3 samples [bytes] 4096 1048576 $sum 99\n"
    printf "write_bytes 3 samples [bytes] 1 9 500 7\n"; }'
  program sas-io Data=zero BusyMBps=10
  refused busy
  [[ $(calls 'lctl get_param') == *'llite.sasfs-*.stats'* ]]
}

@test "processors that others use are refused; what cannot be told is no reason" {
  stub sleep 'PATH=${PATH#*:}; [[ $1 != 0.2 ]] || echo "cpu  160 0 0 140 0 0 0 0 0 0" >"$SAS_GRID_ROOT/proc/stat";
    exec sleep "$@"'
  stat() { echo 'cpu  100 0 0 100 0 0 0 0 0 0' >"$ROOT/proc/stat"; }
  stat
  program sas-io Data=zero BusyMBps=10
  refused busy 'used 60 % of the processors'
  stat
  program sas-io Data=zero BusyMBps=10 BusyCpuPercent=60
  writes
  rm "$ROOT/proc/stat" "$STUBS/sleep"
  program sas-io Data=zero BusyMBps=10
  writes
  [[ $(told note text) == *'an unknown number of MB/s here and used an unknown number of %'* ]]
}

@test "another run that writes to the same file system is in the way, one that has ended is not" {
  mkdir -p "$ROOT/saswork/.sas-grid-benchmark/other-run/i-1"
  : >"$ROOT/saswork/.sas-grid-benchmark/other-run/i-1/0"
  program sas-io Data=zero
  exited 75
  same busy "$(told refused reason)"
  touch -d '10 minutes ago' "$ROOT/saswork/.sas-grid-benchmark/other-run/i-1/0"
  program sas-io Data=zero
  writes
  [[ -e $ROOT/saswork/.sas-grid-benchmark/other-run/i-1/0 ]]
}

@test "what an earlier program of the run left on this host is removed first" {
  mkdir -p "$ROOT/saswork/.sas-grid-benchmark/$RUN/i-0123456789abcdef0" "$ROOT/run/sas-grid/benchmark-$RUN"
  : >"$ROOT/saswork/.sas-grid-benchmark/$RUN/i-0123456789abcdef0/0"
  program sas-io Data=zero
  writes
  nothing_left
}

@test "cores are counted without hyper-threads, on x86 and on Arm" {
  for recorded in x86_64-dell_e4310:2 x86_64-64cpu:32 x86_64-epyc_7451:48 armv7:2; do
    stub lscpu "[[ \$* == -p=CORE,SOCKET ]] && cat '$RECORDINGS/lscpu/${recorded%:*}'"
    common physical_cores
    same "$recorded" "${recorded%:*}:$output"
  done
  # Kernels that know no sockets.
  stub lscpu 'printf "# Core,Socket\n0,\n1,\n2,\n3,\n"'
  common physical_cores
  same 4 "$output"
}

@test "without lscpu cores are counted from the kernel's lists, then from cpuinfo" {
  stub lscpu 'exit 127'
  common physical_cores
  same 2 "$output"
  printf 'processor\t: %s\nphysical id\t: %s\ncore id\t\t: %s\n\n' 0 0 0 1 0 1 2 0 0 3 0 1 4 1 0 >"$ROOT/proc/cpuinfo"
  common physical_cores
  same 3 "$output"
  for cpu in 0:0,2 1:1,3 2:0,2 3:1,3; do
    mkdir -p "$ROOT/sys/devices/system/cpu/cpu${cpu%:*}/topology"
    echo "${cpu#*:}" >"$ROOT/sys/devices/system/cpu/cpu${cpu%:*}/topology/thread_siblings_list"
  done
  common physical_cores
  same 2 "$output"
}

@test "without metadata the host has its name, and nothing is said of the instance" {
  stub curl 'exit 7'
  program sas-io Data=zero
  writes
  same ' ' "$(told host instanceId instanceType)"
  metadata_of '../../etc'
  program sas-io Data=zero
  same '' "$(told host instanceId)"
}

@test "a bash that is older than the programs need is refused, before anything is looked at" {
  file=$(script sas-io)
  sed -i 's/^new_enough .*}" ||/new_enough 4 3 ||/' "$file"
  run --separate-stderr bash "$file"
  refused unsupported '4.4 or later is needed'
  same 'refused' "$(told refused kind)$(told host kind)"
  for version in '4 4' '5 0'; do
    # shellcheck disable=SC2086
    common new_enough $version
    exited 0
  done
  common new_enough 3 2
  exited 1
}

@test "whatever text is printed, records are JSON" {
  text=$'a "b" \\c\\n {} \t tab\nnext\r \x01\x1b[0m \x7f & \'q\' $HOME `x` %s ü'
  common record note "text=$text" 'number:=1.5' 'empty=' 'nothing:='
  exited 0
  same "##sas-grid-benchmark" "${output%% *}"
  same "$(printf '%s' "$text" | node -e \
    'console.log(JSON.stringify({kind: "note", text: require("node:fs").readFileSync(0, "utf8"), number: 1.5}))')" \
    "$(printf '%s' "${output#* }" | node -e \
      'console.log(JSON.stringify(JSON.parse(require("node:fs").readFileSync(0, "utf8"))))')"
}

@test "no program waits without saying for what: bash might wait for the guard, which waits for the program" {
  run grep -nE '^[^#]*\bwait *($|[#;&|}])' \
    "$BATS_TEST_DIRNAME"/../../constructs/storage-benchmark/programs/{,common/}*.sh
  exited 1
}
