#!/usr/bin/env bats
# Stubs are written as text; bats sets status, output and stderr.
# shellcheck disable=SC2012,SC2016,SC2030,SC2031,SC2153,SC2154
# The tests of the benchmark that call other tools: the real ones where this machine has them, stand-ins for what
# matters besides.

load benchmark

setup_file() {
  assemble
}

setup() {
  bats_require_minimum_version 1.5.0
  make_benchmark_host
}

needs() {
  command -v "$1" >/dev/null || skip "$1 is not installed"
}

# raw_of PHASE: prints the raw output of that phase in the last output.
raw_of() {
  printf '%s\n' "$output" | awk -v phase="\"phase\":\"$1\"" '/^##/ {on = /"kind":"raw"/ && index($0, phase); next} on'
}

@test "fio writes, reads, mixes and makes small files; its JSON is whole" {
  needs fio
  program fio Seconds=1 Files=20 Processes=2
  exited 0
  same $'write 2097152\nread 2097152' "$(told phase phase bytes | head -n 2)"
  for phase in write read mixed; do
    raw_of "$phase" | sed -n '/^{/,$p' | node -e '
      const { jobs } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
      if (jobs.some(({ error }) => error)) process.exit(1);
      for (const { jobname, read, write } of jobs) console.log(jobname, read.io_bytes > 0, write.io_bytes > 0);' \
      >"$BATS_TEST_TMPDIR/$phase"
  done
  same 'sequential false true' "$(cat "$BATS_TEST_TMPDIR/write")"
  same 'sequential true false' "$(cat "$BATS_TEST_TMPDIR/read")"
  # Readers and writers have files of their own.
  same $'mixed-read true false\nmixed-write false true' "$(cat "$BATS_TEST_TMPDIR/mixed")"
  [[ $(told raw phase) == *metadata* ]]
  [[ $(raw_of metadata) == *filecreate* && $(raw_of metadata) == *write-small-files* ]]
  nothing_left
}

@test "fio: only the loads that are asked for, and a mixed one has files to read" {
  stub fio 'case $* in *--version) echo fio-3.19 ;; *enghelp=filedelete*) echo "engine filedelete not loadable" ;;
    *enghelp*) ;; *) echo "{\"io_bytes\" : 5," ;; esac'
  program fio Jobs=mixed
  exited 0
  same mixed "$(told raw phase)"
  [[ $(calls fio | grep -c -- '--rw=write --numjobs=2') == 1 ]]
  [[ $(calls fio) == *'--filename_format=sequential.$jobnum.0 '*'--filename_format=mixed.$jobnum.0 '* ]]
  program fio Jobs=metadata Files=7
  exited 0
  same $'metadata\nmetadata\nmetadata' "$(told raw phase)"
  [[ $(told note text) == *'no engine filedelete'* ]]
  program fio Jobs=sequential,disk
  exited 64
}

@test "fio: full disks and other errors are told apart, with what fio printed" {
  stub fio '[[ $* == *--version ]] || { echo "fio: io_u error on file x: ${MESSAGE}: write offset=1" >&2; echo "{}";
    exit 1; }'
  MESSAGE='No space left on device' program fio
  refused disk-full
  [[ $output == *'io_u error'* ]]
  MESSAGE='Input/output error' program fio
  exited 1
  same 1 "$(told raw exitCode)"
  nothing_left
}

# few_files COUNT: /saswork is a file system that can have so many files; its room in bytes is no matter.
few_files() {
  mount -t tmpfs -o "size=64m,nr_inodes=$1" few-files "$ROOT/saswork" 2>/dev/null ||
    skip 'it mounts a file system, which wants root and a machine of its own'
}

used_files() {
  stat -f -c '%c %d' "$ROOT/saswork" | awk '{print $1 - $2}'
}

teardown() {
  ! mountpoint -q "$ROOT/saswork" || umount -l "$ROOT/saswork"
}

@test "fio: a file system with few inodes left is refused before anything is made there" {
  needs fio
  few_files 400
  # 2 processes with 200 files each, and some for directories.
  program fio Jobs=metadata Files=200 Processes=2
  refused no-room "/saswork has room for 399 more files of 400 (inodes); \
the test makes 408 (1 host(s)) and 40 (10 %) have to stay free"
  [[ $output != *'"kind":"setup"'* ]]
  same 1 "$(used_files)"
  # On all hosts together.
  program fio Jobs=metadata Files=60 Processes=2 Hosts=3
  refused no-room '(3 host(s))'
  # What has to stay free.
  program fio Jobs=metadata Files=60 Processes=2 KeepFreePercent=70
  refused no-room '280 (70 %)'
  program fio Jobs=metadata Files=60 Processes=2
  exited 0
  nothing_left
  same 1 "$(used_files)"
  # Large files are few, and take as many inodes as they are.
  program fio Jobs=sequential Files=100000 Processes=2
  exited 0
  # None is left for a directory of the test's own.
  (cd "$ROOT/saswork" && mkdir other && seq 397 | sed 's|^|other/|' | xargs touch)
  same 399 "$(used_files)"
  program fio Jobs=sequential Processes=2
  refused no-room 'has room for 1 more files'
  same 399 "$(used_files)"
}

@test "fio: a file system that does not say how many files it can have is not taken for full" {
  stub fio 'case $* in *--version) echo fio-3.33 ;; *enghelp*) ;; *) echo "{}" ;; esac'
  for answer in '0 0 0 -' '- - - -' '18446744073709551615 1 18446744073709551614 1%' ''; do
    ANSWER=$answer stub df 'case $* in *i*) [[ -z $ANSWER ]] || printf "F 1 1 1 1 1\\n/dev/md0 %s /x\\n" "$ANSWER" ;;
      *) exec /bin/df "$@" ;; esac'
    ANSWER=$answer program fio Jobs=metadata
    exited 0
    nothing_left
  done
  # And one that says so is.
  ANSWER='1000 1000 0 100%' program fio Jobs=metadata
  refused no-room 'room for 0 more files of 1000'
}

@test "fio: inodes that run out meanwhile end it, and what it made is gone" {
  needs fio
  few_files 150
  # The check is told that nothing is known: 2 times 100 files do not fit.
  stub df 'case $* in *i*) printf "F 1 1 1 1 1\\nnone 0 0 0 - /x\\n" ;; *) exec /bin/df "$@" ;; esac'
  program fio Jobs=metadata Files=100 Processes=2
  refused disk-full 'no room left during the phase metadata'
  same 1 "$(used_files)"
  # Others take them.
  stub df 'case $* in *i*) n=$(cat "$CALLS.df" 2>/dev/null || echo 9); echo "${n%?}" >"$CALLS.df"
    printf "F 1 1 1 1 1\\nnone 1000000 0 %s 1%% /x\\n" "$([[ $n == 9 ]] && echo 900000 || echo 10)" ;;
    *) exec /bin/df "$@" ;; esac'
  stub fio 'case $* in *--version) echo fio-3.33 ;; *enghelp*) ;; *) sleep 30 ;; esac'
  program fio Jobs=metadata Files=10 Processes=2
  refused disk-full 'others have filled /saswork'
  same 1 "$(used_files)"
}

@test "tools that are not there are named" {
  mkdir "$BATS_TEST_TMPDIR/bin"
  for tool in awk bash cat cut date dd df env find flock grep head id ls mkdir mktemp mv od printf pwd readlink rm \
    rmdir sed seq setsid sleep sort stat sync tail tee timeout touch tr uname wc; do
    ln -s "$(command -v "$tool")" "$BATS_TEST_TMPDIR/bin/$tool"
  done
  for name in fio iozone mixed-sas network lustre-server; do
    file=$(script "$name" Peers=10.0.0.1,10.0.0.2 AllowOnTargets=yes)
    [[ $name != lustre-server ]] || stub lctl 'echo "3 UP obdfilter sasfs-OST0000 sasfs-OST0000_UUID 7"'
    path=$PATH
    PATH=$STUBS:$BATS_TEST_TMPDIR/bin
    run --separate-stderr bash "$file"
    PATH=$path
    exited 75
    same no-tool "$(told refused reason)"
  done
}

@test "iozone runs the command of the paper: write and rewrite, then read and reread" {
  needs iozone
  program iozone FileMiB=2 Threads=2
  exited 0
  [[ $(raw_of write) == *'Children see throughput for  2 initial writers'*'2 rewriters'* ]]
  [[ $(raw_of read) == *'2 readers'*'2 re-readers'* ]]
  grep -qE 'iozone -w -e -s 2m -r 1024k -i 0 -t 2 -F' <<<"$output"
  nothing_left
}

@test "iozone ends with 0 after errors: they are seen all the same" {
  stub iozone '[[ $1 == -v ]] || { cat "$RECORDED"; }'
  export RECORDED=$REPOSITORY/test/lambda/benchmark-judge/recordings/iozone-3.489-disk-full.txt
  program iozone
  exited 1
  stub df 'n=$(cat "$CALLS.df" 2>/dev/null || echo 9); echo "${n%?}" >"$CALLS.df"
    printf "F 1 1 1 1 1\n/dev/md0 1048576 0 %s 1%% /x\n" "$([[ $n == 9 ]] && echo 900000 || echo 10)"'
  program iozone
  refused disk-full
}

@test "iozone is driven through a remote shell only where there is one" {
  stub iozone '[[ $1 == -v ]] || { echo "RSH $RSH" >>"$CALLS"; [[ $* != *-+m* ]] || cat "${@: -1}" >>"$CALLS";
    echo "Children see throughput"; }'
  program iozone Clients=10.0.0.1,10.0.0.2
  refused unsupported 'RemoteShell names none'
  stub ssh 'case $* in *10.0.0.2*) exit "${FAILS:-0}" ;; esac; echo /usr/bin/iozone'
  FAILS=255 program iozone Clients=10.0.0.1,10.0.0.2 RemoteShell=ssh
  refused unsupported 'ssh to 10.0.0.2'
  stub ssh 'echo /usr/bin/iozone'
  program iozone Clients=10.0.0.1,10.0.0.2 RemoteShell=ssh Threads=2
  exited 0
  same "10.0.0.1 /saswork/.sas-grid-benchmark/$RUN/i-0123456789abcdef0 /usr/bin/iozone" \
    "$(calls '10.0.0.1 /' | head -n 1)"
  same 4 "$(calls '10.0.0.[12] /' | sort | uniq -c | awk '{sum += $1} END {print sum / 2}')"
  [[ $(calls RSH) == *'RSH ssh'* && $(calls 'iozone -w' | head -n 1) == *'-t 4 -+m'* ]]
}

@test "the mixed workload has the papers' proportions and times each step; its files are gone" {
  needs python3
  file=$(script mixed-sas InputMiB=1 Jobs=19 Streams=8)
  sed -i 's/step(12 \* self.scale if kind/step(1 if kind/' "$file"
  run --separate-stderr bash "$file"
  exited 0
  raw_of workload | node -e '
    const steps = require("node:fs").readFileSync(0, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
    const kinds = ["compute", "memory", "io"].map((kind) => steps.filter((step) => step.kind === kind).length);
    const { bytesRead, bytesWritten } = steps.find(({ step }) => step === "sort");
    const numbers = steps.every((one) => one.realSeconds > 0 && one.userSeconds >= 0 && one.systemSeconds >= 0);
    const different = (key) => new Set(steps.map((one) => one[key])).size;
    console.log(...kinds, different("step"), different("job"), bytesRead, bytesWritten, numbers);' \
    >"$BATS_TEST_TMPDIR/seen"
  same '10 2 7 19 19 2097152 2097152 true' "$(cat "$BATS_TEST_TMPDIR/seen")"
  [[ $(told note text) == *'there is no SAS on this host'* ]]
  same 8 "$(told setup processes)"
  nothing_left
}

@test "a step that fails ends the workload; a full disk is told" {
  needs python3
  file=$(script mixed-sas InputMiB=1 Jobs=19)
  sed -i "s/^def summary(first, _, __):/&\n    raise OSError(28, 'No space left on device')/" "$file"
  run --separate-stderr bash "$file"
  refused disk-full
  sed -i 's/OSError(28.*/ValueError("wrong")/' "$file"
  run --separate-stderr bash "$file"
  exited 1
  [[ $stderr == *'(summary) failed'* ]]
  nothing_left
}

@test "with SAS the steps are programs for SAS" {
  needs python3
  stub sas 'while (($# > 1)); do [[ $1 != -sysin ]] || cp "$2" "$CALLS.$$.sas"; [[ $1 != -work ]] || test -d "$2";
    shift; done'
  program mixed-sas InputMiB=2 Jobs=19
  exited 0
  cat "$CALLS".*.sas >"$BATS_TEST_TMPDIR/programs"
  # Seven inputs, and 19 steps.
  same 26 "$(ls "$CALLS".*.sas | wc -l)"
  same 7 "$(grep -c 'data first.d; array' "$BATS_TEST_TMPDIR/programs")"
  grep -qx 'proc sort data=first.d out=out.s; by x1; run;' "$BATS_TEST_TMPDIR/programs"
  grep -qx "libname second '$ROOT/saswork/.sas-grid-benchmark/$RUN/i-0123456789abcdef0/input[0-9]*';" \
    "$BATS_TEST_TMPDIR/programs"
  [[ $output == *'"tool":"time","version":"SAS"'* ]]
  nothing_left
}

@test "hosts send to each other in turn, and each is another's server" {
  needs iperf3
  export SAS_GRID_BENCHMARK_ROUND=4
  at=$(($(date +%s) + 4))
  for n in 1 2 3; do
    root=$BATS_TEST_TMPDIR/host$n
    cp -r "$ROOT" "$root"
    mkdir "$BATS_TEST_TMPDIR/stubs$n"
    metadata_of "i-0aaaaaaaaaaaaaaa$n" "127.0.0.$n"
    cp "$STUBS"/* "$BATS_TEST_TMPDIR/stubs$n"
    file=$(script network Peers=127.0.0.1,127.0.0.2,127.0.0.3 Seconds=1 Streams=2 Port=15317 StartAt=$at)
    SAS_GRID_ROOT=$root PATH=$BATS_TEST_TMPDIR/stubs$n:$PATH bash "$file" >"$BATS_TEST_TMPDIR/out$n" 2>&1 3>&- &
  done
  wait
  for n in 1 2 3; do
    output=$(cat "$BATS_TEST_TMPDIR/out$n")
    same '{"kind":"done"}' "$(tail -n 1 <<<"$output" | cut -d ' ' -f 2-)"
    same $'127.0.0.'$((n % 3 + 1))$'\n127.0.0.'$(((n + 1) % 3 + 1)) "$(told raw peer)"
    same 2 "$(grep -c '"sum_received"' <<<"$output")"
    # Each round at its time, at which no other host sends to the same one.
    read -r first second < <(grep -o '"timesecs":[[:space:]]*[0-9]*' <<<"$output" | grep -o '[0-9]*$' | paste -sd ' ')
    ((first >= at && first < at + 5 && second >= at + 5))
  done
}

@test "a port that is not open among the hosts is named" {
  needs iperf3
  export SAS_GRID_BENCHMARK_ROUND=4
  metadata_of i-0123456789abcdef0 127.0.0.1
  program network Peers=127.0.0.1,127.0.0.2 Seconds=1 Port=15318
  refused unsupported 'TCP port 15318'
  [[ $output == *'unable to connect to server'* ]]
  program network Peers=127.0.0.8,127.0.0.9
  exited 64
  [[ $stderr == *"none of the addresses"* ]]
}

@test "with LNet each host drives the others in its turn, and leaves no session and no module behind" {
  export SAS_GRID_BENCHMARK_ROUND=1
  stub lst '[[ $1 != stat ]] ||
    { printf "[LNet Bandwidth of clients]\n[R] Avg: 900.5  MiB/s Min: 900.5  MiB/s Max: 900.5  MiB/s\n";
    exec sleep 60; }'
  stub modprobe
  metadata_of i-0123456789abcdef0 10.0.0.2
  program network Peers=10.0.0.1,10.0.0.2,10.0.0.3 Seconds=1 Mode=lnet
  exited 0
  same 'lnet-selftest 10.0.0.1@tcp,10.0.0.3@tcp 0' "$(told raw tool peer exitCode)"
  [[ $output == *'[R] Avg: 900.5'* ]]
  calls lst >"$BATS_TEST_TMPDIR/lst"
  grep -qx 'lst add_group clients 10.0.0.2@tcp' "$BATS_TEST_TMPDIR/lst"
  grep -qx 'lst add_group servers 10.0.0.1@tcp 10.0.0.3@tcp' "$BATS_TEST_TMPDIR/lst"
  same 'lst end_session' "$(tail -n 1 "$BATS_TEST_TMPDIR/lst" | tr -d '\n' | sed 's/ *$//')"
  same $'modprobe lnet_selftest\nmodprobe -r lnet_selftest' "$(calls modprobe)"
  stub modprobe 'echo "modprobe: FATAL: Module lnet_selftest not found." >&2; exit 1'
  program network Peers=10.0.0.1,10.0.0.2 Mode=lnet
  refused unsupported 'Module lnet_selftest not found'
}

# device LINK NAME MIB: a disk.
device() {
  mkdir -p "$ROOT/dev/disk/by-id" "$ROOT/sys/class/block/$2"
  head -c "$3M" /dev/urandom >"$ROOT/dev/$2"
  ln -s "../../$2" "$ROOT/dev/disk/by-id/$1"
}

@test "data disks are read at once, in parts, and never opened for writing" {
  device nvme-Amazon_Elastic_Block_Store_vol0root nvme0n1 8
  mkdir "$ROOT/sys/class/block/nvme0n1/nvme0n1p1"
  device nvme-Amazon_Elastic_Block_Store_vol0data nvme1n1 8
  ln -s ../../nvme1n1 "$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0data_1"
  ln -s ../../nvme1n1 "$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0data-ns-1"
  device nvme-Amazon_EC2_NVMe_Instance_Storage_AWS1 nvme2n1 8
  device nvme-Somebody_else nvme3n1 8
  chmod 444 "$ROOT"/dev/nvme*
  before=$(sha256sum "$ROOT"/dev/nvme*)
  stub dd '[[ $* != *of=/dev/null* ]] || PATH=${PATH#*:} exec dd "${@/iflag=direct/iflag=fullblock}"'
  program raw-device MaxMiB=4 Readers=2
  exited 0
  same 'read 4 8388608' "$(told phase phase processes bytes)"
  same "$(printf 'processes %s to %s read nvme-Amazon_%s, 8 MiB\n' \
    0 1 EC2_NVMe_Instance_Storage_AWS1 2 3 Elastic_Block_Store_vol0data)" \
    "$(told note text | grep processes)"
  calls 'dd if' >"$BATS_TEST_TMPDIR/dd"
  same 4 "$(grep -c 'of=/dev/null bs=1M iflag=direct skip=[04] count=2' "$BATS_TEST_TMPDIR/dd")"
  same "$before" "$(sha256sum "$ROOT"/dev/nvme*)"
}

@test "without data disks there is nothing to read, and in use they are left alone" {
  device nvme-Amazon_Elastic_Block_Store_vol0root nvme0n1 1
  echo '/dev/nvme0n1 / xfs rw 0 0' >>"$ROOT/proc/mounts"
  program raw-device
  refused unsupported
  device nvme-Amazon_Elastic_Block_Store_vol0data nvme1n1 1
  stub sleep 'PATH=${PATH#*:}; [[ $1 != 0.2 ]] || sed -i "s/ 1000 / 90000 /" "$SAS_GRID_ROOT/proc/diskstats";
    exec sleep "$@"'
  echo ' 259 1 nvme1n1 10 0 1000 0 10 0 0 0 0 0 0' >"$ROOT/proc/diskstats"
  program raw-device BusyMBps=10
  refused busy
}

@test "a Lustre server's targets are written to only where that was allowed" {
  stub lctl 'case $* in dl) cat "$RECORDED" ;; *kbytesavail*) echo "${FREE_KIB:-9000000}" ;;
    *kbytestotal*) echo 10000000 ;; esac'
  stub obdfilter-survey 'echo "$case $size $targets $rslt_loc" >>"$CALLS";
    echo "ost 1 sz 1048576K rsz 1024K obj 1 thr 8 write 568.41 [ 160.92, 216.89]"; exit "${FAILS:-0}"'
  export RECORDED=$BATS_TEST_TMPDIR/dl
  printf '%s\n' '  0 UP osd-zfs sasfs-OST0000-osd sasfs-OST0000-osd_UUID 5' \
    '  3 UP obdfilter sasfs-OST0000 sasfs-OST0000_UUID 7' '  4 UP obdfilter sasfs-OST0001 x 7' >"$RECORDED"
  program lustre-server
  refused unsupported 'only with AllowOnTargets=yes'
  same '' "$(calls obdfilter-survey)"
  program lustre-server AllowOnTargets=yes MiB=1024
  exited 0
  same obdfilter-survey "$(told raw tool)"
  [[ $(calls 'disk 1024 sasfs-OST0000 sasfs-OST0001 ') != '' && $output == *'write 568.41'* ]]
  # The module that the survey leaves is unloaded, unless somebody had it before.
  same '' "$(calls rmmod)"
  stub obdfilter-survey 'echo "obdecho 49152 0 - Live 0x0" >"$SAS_GRID_ROOT/proc/modules"; exit "${FAILS:-0}"'
  stub rmmod ': >"$SAS_GRID_ROOT/proc/modules"'
  program lustre-server AllowOnTargets=yes MiB=1024
  exited 0
  same 'rmmod obdecho' "$(calls rmmod)"
  echo 'obdecho 49152 0 - Live 0x0' >"$ROOT/proc/modules"
  : >"$CALLS"
  program lustre-server AllowOnTargets=yes MiB=1024
  exited 0
  same '' "$(calls rmmod)"
  FREE_KIB=2000000 program lustre-server AllowOnTargets=yes MiB=1024
  refused no-room
  FREE_KIB=unknown program lustre-server AllowOnTargets=yes
  refused no-room
  FAILS=1 program lustre-server AllowOnTargets=yes MiB=16
  exited 1
  : >"$RECORDED"
  program lustre-server AllowOnTargets=yes
  refused unsupported 'serves no object storage target'
}
