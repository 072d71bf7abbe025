#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status, output and stderr
# What SAS's own I/O test measures: phases, sizes, what is refused, and that nothing is left on whichever way out.

load benchmark

setup_file() {
  assemble
}

setup() {
  bats_require_minimum_version 1.5.0
  make_benchmark_host
}

@test "each core's process writes and reads a file, with zeros and with random data; nothing is left" {
  program sas-io
  exited 0
  same $'write 2 2097152\nread 2 2097152\nwrite-random-data 2 2097152\nread-random-data 2 2097152' \
    "$(told phase phase processes bytes)"
  same "$(for phase in write read write-random-data read-random-data; do printf "dd $phase %s 0\n" 0 1; done)" \
    "$(told raw tool phase process exitCode)"
  same 8 "$(grep -c '^1048576 bytes' <<<"$output")"
  same "$(printf 'sas-io /saswork xfs /dev/md0 rw,noatime 2 1 64 true %s true\n' zero random)" \
    "$(told setup test directory fileSystemType device options processes fileMiB blockKiB reduced data cachesDropped)"
  same 'i-0123456789abcdef0 m7i.large 2 2 16 Test Linux 9' \
    "$(told host instanceId instanceType physicalCores logicalCpus memoryMiB system)"
  [[ $(tail -n 1 <<<"$output") == '##sas-grid-benchmark {"kind":"done"}' ]]
  nothing_left
}

@test "a write ends when all is on the disk: with a sync, which is in its time" {
  stub dd 'PATH=${PATH#*:} exec dd "$@"'
  program sas-io
  exited 0
  same '4 4' "$(calls 'dd .*of=\./' | grep -c 'bs=64k count=16.* conv=fsync$') $(calls 'dd .*of=\./' | wc -l)"
  same 4 "$(calls 'dd if=\./.* of=/dev/null bs=64k$' | wc -l)"
}

@test "files are as large as twice the memory together, unless a size is asked for" {
  program sas-io FileMiB=0 Data=zero
  exited 0
  same '2 16 false' "$(told setup processes fileMiB reduced)"
  program sas-io FileMiB=15 Data=zero
  same '15 true' "$(told setup fileMiB reduced)"
  program sas-io FileMiB=0 Processes=5 Data=zero
  same '5 7 false' "$(told setup processes fileMiB reduced)"
}

@test "random data cannot be compressed, and no block comes twice" {
  # Prints how many blocks of 64 KiB of a file come again.
  cat >"$BATS_TEST_TMPDIR/again.js" <<'END'
    const data = require("node:fs").readFileSync(process.argv[2]);
    const seen = new Set();
    for (let n = 0; n < data.length; n += 65536) seen.add(data.toString("latin1", n, n + 65536));
    console.log(data.length / 65536 - seen.size);
END
  stub dd 'for argument; do [[ $argument != of=./* ]] || file=${argument#of=}; done
    PATH=${PATH#*:} command dd "$@"; code=$?
    [[ -z ${file:-} ]] ||
      { head -c 8M "$file" | gzip -1c | wc -c; node "${CALLS%/*}/again.js" "$file"; } >>"$CALLS.$$"; exit $code'
  # Longer than the data that is written again and again.
  program sas-io Data=random FileMiB=70 Processes=1 TimeoutSeconds=300
  exited 0
  read -r -d '' packed same < <(cat "$CALLS".*) || true
  ((packed >= 8 * 1048576))
  same 0 "$same"
}

@test "caches are dropped before reading; where they cannot be, that is said" {
  rm "$ROOT/proc/sys/vm/drop_caches"
  program sas-io Data=zero
  exited 0
  same false "$(told setup cachesDropped)"
  mkfifo "$ROOT/proc/sys/vm/drop_caches"
  # Open for both: nobody who opens it waits.
  exec 4<>"$ROOT/proc/sys/vm/drop_caches"
  program sas-io Data=zero
  exited 0
  read -r -t 5 -u 4 before_writing
  read -r -t 5 -u 4 before_reading
  exec 4>&-
  same '3 3' "$before_writing $before_reading"
}

@test "Lustre's locks are dropped with the caches" {
  sed -i 's|/dev/md0|10.0.0.9@tcp:/sasfs|; s/ xfs / lustre /' "$ROOT/proc/mounts"
  stub lctl
  program sas-io Data=zero
  exited 0
  same 2 "$(calls 'lctl set_param ldlm.namespaces.*.lru_size=clear' | wc -l)"
}

@test "without room nothing is written" {
  stub df 'printf "Filesystem 1024-blocks Used Available Capacity Mounted\n/dev/md0 1048576 0 %s 1%% /saswork\n" \
    "${FREE_KIB:-1048576}"'
  # Two files of 1 MiB, and 10 % of 1 GiB.
  FREE_KIB=$((104 * 1024 - 1)) program sas-io
  refused no-room '2 MiB (1 host(s)) and 102 MiB (10 %) have to stay free'
  same '' "$(told phase phase)"
  FREE_KIB=$((105 * 1024)) program sas-io Data=zero
  exited 0
  FREE_KIB=$((105 * 1024)) program sas-io Data=zero Hosts=3
  refused no-room '6 MiB (3 host(s))'
  FREE_KIB=$((105 * 1024)) program sas-io Data=zero KeepFreePercent=90
  refused no-room
  FREE_KIB=unknown program sas-io
  refused no-room
}

@test "files whose size was left to the host are made smaller to fit, and that is said" {
  stub df 'printf "Filesystem 1024-blocks Used Available Capacity Mounted\n/dev/md0 4194304 0 %s 1%% /saswork\n" \
    "${FREE_KIB:-1048576}"'
  printf 'MemTotal: 8388608 kB\n' >"$ROOT/proc/meminfo"
  stub dd 'case $* in *of=./*) exit 1 ;; esac'
  # 1024 MiB are free, 409 have to stay so.
  program sas-io FileMiB=0 Data=zero
  exited 1
  same '2 307 true' "$(told setup processes fileMiB reduced)"
  [[ $(told note text) == *'files of 307 MiB'* ]]
  FREE_KIB=$((900 * 1024)) program sas-io FileMiB=0 Data=zero
  refused no-room
  program sas-io FileMiB=500 Data=zero
  refused no-room
}

@test "a file system that becomes full in the middle is emptied again" {
  ((EUID == 0)) || skip 'it mounts a file system, which wants root'
  mount -t tmpfs -o size=24m none "$ROOT/saswork" 2>/dev/null || skip 'it cannot mount a file system here'
  # What others write after the room was looked at.
  stub sync '[[ -e $SAS_GRID_ROOT/saswork/other ]] || head -c 18M /dev/zero >"$SAS_GRID_ROOT/saswork/other"'
  program sas-io Data=zero FileMiB=4
  nothing=$(nothing_left 2>&1) || true
  kept=$(cd "$ROOT/saswork" && echo *)
  umount "$ROOT/saswork"
  exited 75
  same disk-full "$(told refused reason)"
  [[ $output == *'No space left on device'* ]]
  same '' "$nothing"
  same other "$kept"
}

@test "others that fill the file system stop it before it is full" {
  stub df 'printf "F 1 1 1 1 1\n/dev/md0 1048576 0 %s 1%% /saswork\n" \
    "$(cat "$CALLS.free" 2>/dev/null || echo 1048576)"'
  stub dd 'case $* in *of=./*) echo 50000 >"$CALLS.free"; exec sleep 60 ;; esac'
  program sas-io Data=zero
  refused disk-full 'others have filled /saswork'
}

@test "killed with a signal that no trap sees, nothing is left" {
  stub dd 'case $* in *of=./*)
    file=$SAS_GRID_ROOT/saswork/.sas-grid-benchmark/$RUN/i-0123456789abcdef0/0
    PATH=${PATH#*:} command dd if=/dev/zero of="$file" bs=1M count=1 2>/dev/null; exec sleep 60 ;; esac'
  file=$(script sas-io Data=zero)
  setsid bash "$file" >"$BATS_TEST_TMPDIR/out" 3>&- &
  within 10 test -s "$ROOT/saswork/.sas-grid-benchmark/$RUN/i-0123456789abcdef0/0"
  kill -9 -- "-$!"
  within 15 nothing_left
  # Nor is the lock: the next one runs.
  rm "$STUBS/dd"
  program sas-io Data=zero
  exited 0
}

# As over NFS: whoever was killed has its file open a while longer, and that gets another name.
still_open() {
  stub rm 'left="$SAS_GRID_ROOT/saswork/.sas-grid-benchmark/$RUN/i-0123456789abcdef0"
    [[ $* == *"/$RUN"* && -d $left && $(grep -c "^rm .*/$RUN" "$CALLS") -le 3 ]] || PATH=${PATH#*:} exec rm "$@"
    PATH=${PATH#*:} command rm -f "$left"/*; : >"$left/.nfs0001"; exit 1'
}

@test "a directory that cannot go at once, as over NFS, goes a moment later" {
  still_open
  program sas-io Data=zero
  exited 0
  nothing_left
  ((3 < $(calls "rm .*/$RUN" | wc -l)))
  # The process that remains after a kill does the same.
  : >"$CALLS"
  stub dd 'case $* in *of=./*)
    file=$SAS_GRID_ROOT/saswork/.sas-grid-benchmark/$RUN/i-0123456789abcdef0/0
    PATH=${PATH#*:} command dd if=/dev/zero of="$file" bs=1M count=1 2>/dev/null; exec sleep 60 ;; esac'
  file=$(script sas-io Data=zero)
  setsid bash "$file" >"$BATS_TEST_TMPDIR/out" 3>&- &
  within 10 test -s "$ROOT/saswork/.sas-grid-benchmark/$RUN/i-0123456789abcdef0/0"
  kill -9 -- "-$!"
  within 20 nothing_left
}

@test "ended by a signal, or cut short by its time limit, nothing is left at once" {
  stub dd 'case $* in *of=./*) exec sleep 60 ;; esac'
  for signal in TERM INT HUP; do
    file=$(script sas-io Data=zero)
    # In a session of its own: a background process of bats ignores SIGINT.
    python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp("bash", ["bash", sys.argv[1]])' "$file" >"$BATS_TEST_TMPDIR/out" 3>&- &
    within 10 grep -q setup "$BATS_TEST_TMPDIR/out"
    kill -s "$signal" $!
    code=0
    wait $! || code=$?
    ((code > 128))
    nothing_left
  done
  file=$(script sas-io Data=zero TimeoutSeconds=21)
  sed -i 's/number TimeoutSeconds 30/number TimeoutSeconds 1/' "$file"
  run timeout 60 bash "$file"
  exited 143
  nothing_left
}

@test "a second program at the same time is refused, and does not disturb the first" {
  stub dd 'case $* in *of=./*) sleep 3 ;; esac; PATH=${PATH#*:} command dd "$@"'
  file=$(script sas-io Data=zero)
  bash "$file" >"$BATS_TEST_TMPDIR/first" 2>&1 3>&- &
  within 10 grep -q setup "$BATS_TEST_TMPDIR/first"
  RUN=another program sas-io Data=zero
  exited 75
  same busy "$(told refused reason)"
  wait $!
  grep -q '"kind":"done"' "$BATS_TEST_TMPDIR/first"
  nothing_left
}

@test "two hosts share a file system in one run; each removes its own" {
  file=$(script sas-io Data=zero)
  other=$BATS_TEST_TMPDIR/other
  mkdir -p "$other" && cp -r "$ROOT"/{etc,proc,run} "$other"
  ln -s "$ROOT/saswork" "$other/saswork"
  echo "server:/x $other/saswork nfs4 rw 0 0" >"$other/proc/mounts"
  bash "$file" >"$BATS_TEST_TMPDIR/first" 2>&1 3>&- &
  (
    # Of its own: the first one may not have asked yet who it is.
    cp -r "$STUBS" "$other/stubs"
    STUBS=$other/stubs
    metadata_of i-0aaaaaaaaaaaaaaa1
    SAS_GRID_ROOT=$other PATH=$STUBS:$PATH bash "$file" >"$BATS_TEST_TMPDIR/second" 2>&1 3>&-
  )
  wait $!
  grep -q '"kind":"done"' "$BATS_TEST_TMPDIR/first"
  grep -q '"kind":"done"' "$BATS_TEST_TMPDIR/second"
  nothing_left
}

@test "it waits for its time, and says when it is late" {
  program sas-io Data=zero StartAt=$(($(date +%s) + 3))
  exited 0
  started=$(told phase startedAt | head -n 1)
  at=$(grep -o "^SG_StartAt='[0-9]*'" "$BATS_TEST_TMPDIR"/sas-io-*.sh | grep -o '[0-9]*' | tail -n 1)
  awk -v started="$started" -v at="$at" 'BEGIN {exit !(started >= at && started < at + 2)}'
  program sas-io Data=zero StartAt=$(($(date +%s) - 60))
  exited 0
  [[ $(told note text) == *'s after the time at which all were to begin'* ]]
  program sas-io Data=zero StartAt=$(($(date +%s) + 5000))
  exited 64
  nothing_left
}

@test "wrong parameters are named, and nothing is done" {
  for parameter in FileMiB=-1 FileMiB=1e3 Processes=5000 BlockKiB=0 Data=ones KeepFreePercent=0 KeepFreePercent=100 \
    Hosts=0 RunId=.. 'RunId=a/b' RunId= StartAt=now TimeoutSeconds=5 User=nobody-here Directory=saswork \
    Directory=/saswork/.. 'Directory=/sas work' Directory=/ RequireMount=maybe BusyMBps=x; do
    program sas-io "$parameter"
    exited 64
    [[ $stderr == *"${parameter%%=*}"* ]]
    nothing_left
  done
}
