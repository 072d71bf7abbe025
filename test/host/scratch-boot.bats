#!/usr/bin/env bats
# shellcheck disable=SC2013,SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-scratch at the next boots: after a reboot, a stop, a crash in the middle, and whatever the kernel did before
# it.

load helpers
load scratch

setup() {
  scratch_host
}

@test "a second run changes nothing" {
  run "$BIN/sas-grid-scratch"
  : >"$CALLS"
  run "$BIN/sas-grid-scratch"
  exited 0
  same '' "$(calls '(mkfs|mount|systemctl|mdadm --(create|assemble|stop)) ')"
}

@test "a reboot assembles what was made, under the device that the kernel gives it" {
  run "$BIN/sas-grid-scratch"
  boot
  run "$BIN/sas-grid-scratch"
  exited 0
  same 2 "$(calls 'mdadm --assemble' | wc -l)"
  same '' "$(calls '(mdadm --create|mkfs)')"
  same 2 "$(calls 'mount -t xfs' | wc -l)"
}

@test "blank disks after a stop are made anew, whatever was on the disks before" {
  run "$BIN/sas-grid-scratch"
  boot
  for number in 1 2 3 4; do
    rm "$BY_ID/$STORE$number"
    disk "${STORE}${number}A"
  done
  run "$BIN/sas-grid-scratch"
  exited 0
  same 2 "$(calls 'mdadm --create' | wc -l)"
  same 2 "$(calls mkfs.xfs | wc -l)"
}

@test "an array that the kernel has already started is taken under the kernel's name" {
  for number in 1 2; do member $number saswork && member $((number + 2)) utilloc; done
  held md125 clean 1 2
  label=utilloc held md126 read-auto 3 4
  run "$BIN/sas-grid-scratch"
  exited 0
  same '' "$(calls '(mdadm --(assemble|create|stop)|mkfs)')"
  same "mdadm --readwrite $ROOT/dev/md126" "$(calls 'mdadm --readwrite')"
  same "mount -t xfs -o noatime,nodiratime $ROOT/dev/md125 $ROOT/saswork" "$(calls 'mount .*/saswork$')"
  same "$ROOT/dev/md125" "$(readlink "$ROOT/run/sas-grid/saswork")"
}

@test "an array that the kernel began with some of its disks is stopped and assembled whole" {
  for number in 1 2; do member $number saswork && member $((number + 2)) utilloc; done
  held md127 inactive 2
  run "$BIN/sas-grid-scratch"
  exited 0
  same "mdadm --stop $ROOT/dev/md127" "$(calls 'mdadm --stop')"
  same "mdadm --assemble $ROOT/dev/md/saswork $BY_ID/${STORE}1 $BY_ID/${STORE}2" "$(calls 'mdadm --assemble.*saswork')"
}

@test "an array that cannot be assembled is an error in bounded time, and nothing is made" {
  member 1 saswork && member 2 saswork
  stub mdadm 'case $1 in --examine) echo MD_NAME=any:saswork ;; *) exit 1 ;; esac'
  SAS_GRID_ASSEMBLE_WAIT=0 run "$BIN/sas-grid-scratch"
  exited 1
  [[ $output == *'cannot assemble saswork'* ]]
  same '' "$(calls '(mkfs|mount|mdadm --create)')"
}

@test "a crash while the array is made is made good at the next boot" {
  cp "$STUBS/mdadm" "$STUBS/whole"
  stub mdadm '[[ $1 == --create ]] || exec "$STUBS/whole" "$@"
echo md:any:saswork | dd of="${*: -1}" conv=notrunc status=none; exit 9'
  run "$BIN/sas-grid-scratch"
  exited 1
  same '' "$(calls '(mkfs|mount)')"
  boot
  mv "$STUBS/whole" "$STUBS/mdadm"
  # The kernel found the one disk that was written.
  held md127 inactive 2
  run "$BIN/sas-grid-scratch"
  exited 0
  same "mdadm --stop $ROOT/dev/md127" "$(calls 'mdadm --stop')"
  [[ $output == *'saswork was half made; making it again'* ]]
  [[ -n $(calls 'mdadm --create.*saswork') && ! -e $ROOT/etc/sas-grid/making/saswork ]]
}

@test "a crash while the file system is made is made good at the next boot" {
  cp "$STUBS/mkfs.xfs" "$STUBS/whole"
  stub mkfs.xfs 'file_system saswork >"${*: -1}"; exit 9'
  run "$BIN/sas-grid-scratch"
  exited 1
  same '' "$(calls mount)"
  boot
  mv "$STUBS/whole" "$STUBS/mkfs.xfs"
  run "$BIN/sas-grid-scratch"
  exited 0
  same "mkfs.xfs -q -K -b size=4096 -L saswork -f $ROOT/dev/md127" "$(calls 'mkfs.xfs.*saswork')"
  [[ -n $(calls 'mount .*/saswork$') && ! -e $ROOT/etc/sas-grid/making/saswork ]]
}

# failed_once: the tools for the file system were missing, so that it stayed half made.
failed_once() {
  cp "$STUBS/mkfs.xfs" "$STUBS/whole"
  stub mkfs.xfs 'exit 127'
  run "$BIN/sas-grid-scratch"
  exited 1
  [[ -e $ROOT/etc/sas-grid/making/saswork ]]
  mv "$STUBS/whole" "$STUBS/mkfs.xfs"
  : >"$CALLS"
}

@test "what an administrator made of half made arrays meanwhile is not made again" {
  failed_once
  # A file system on the array, without our label.
  file_system mine >"$ROOT/dev/md127"
  run "$BIN/sas-grid-scratch"
  exited 4
  [[ $output == *'md127 carries xfs, not xfs called saswork'* ]]
  # Another array on the same disks; a file system on one of them.
  boot
  for content in 'md:host:0
' 'somebody was here'; do
    disk "${STORE}2" "$content"
    run "$BIN/sas-grid-scratch"
    exited 4
    [[ $output == *"${STORE}2 carries foreign data"* ]]
  done
  same '' "$(calls '(mkfs|mdadm --(create|stop))')"
}

@test "what an administrator made of one half made disk meanwhile is not made again" {
  sed -i 's/SASWORK_DISKS=2/SASWORK_DISKS=1/;s/UTILLOC_DISKS=2/UTILLOC_DISKS=0/' "$ROOT/etc/sas-grid/scratch.env"
  failed_once
  file_system mine >"$BY_ID/${STORE}1"
  run "$BIN/sas-grid-scratch"
  exited 4
  same '' "$(calls 'mkfs')"
  # A part of our own file system, which nothing recognizes yet, and a whole one.
  for content in '' "$(file_system saswork)"; do
    disk "${STORE}1" "$content"
    run "$BIN/sas-grid-scratch"
    exited 0
    [[ -n $(calls 'mkfs.*-f ') ]]
    boot
    echo "$BY_ID/${STORE}1" >"$ROOT/etc/sas-grid/making/saswork"
  done
}

@test "of two runs at once the second waits, and finds all made" {
  cp "$STUBS/mkfs.xfs" "$STUBS/whole"
  stub mkfs.xfs 'sleep 1; exec "$STUBS/whole" "$@"'
  "$BIN/sas-grid-scratch" 3>&- &
  for try in {1..100}; do
    [[ -z $(calls mkfs) ]] || break
    sleep 0.05
  done
  run "$BIN/sas-grid-scratch"
  exited 1
  [[ $output == *'another call is still at work'* ]]
  SAS_GRID_WAIT=20 run "$BIN/sas-grid-scratch"
  exited 0
  wait
  same 2 "$(calls 'mdadm --create' | wc -l)"
  same 2 "$(calls mkfs | sort -u | wc -l)"
  same '' "$(calls 'mdadm --stop')"
}

@test "a run that was killed with the new file system mounted does not keep the next from it" {
  failed_once
  echo "$ROOT/dev/md127 $ROOT/run/sas-grid/new xfs rw 0 0" >>"$ROOT/proc/mounts"
  mv "$STUBS/mdadm" "$STUBS/whole"
  # An array with something mounted is busy.
  stub mdadm '[[ $1 != --stop || ! -s $SAS_GRID_ROOT/proc/mounts ]] || exit 1; exec "$STUBS/whole" "$@"'
  run "$BIN/sas-grid-scratch"
  exited 0
}

@test "the mark of a half made array means nothing for other disks" {
  mkdir -p "$ROOT/etc/sas-grid/making"
  echo "$BY_ID/${STORE}8 $BY_ID/${STORE}9" >"$ROOT/etc/sas-grid/making/saswork"
  disk "${STORE}1" 'somebody was here'
  run "$BIN/sas-grid-scratch"
  exited 4
  same '' "$(calls '(mdadm --create|mkfs)')"
}

@test "an array whose file system was never begun gets one" {
  member 1 saswork && member 2 saswork
  held md127 clean 1 2
  : >"$ROOT/dev/md127" && truncate -s 1M "$ROOT/dev/md127"
  run "$BIN/sas-grid-scratch"
  exited 0
  same '' "$(calls 'mdadm --(create|assemble).*saswork')"
  [[ -n $(calls 'mkfs.xfs.*saswork') ]]
}

@test "what somebody else mounted there is refused and keeps its mode" {
  chmod 755 "$ROOT/saswork"
  printf '/dev/other %s xfs rw 0 0\n' "$ROOT/saswork" >"$ROOT/proc/mounts"
  run "$BIN/sas-grid-scratch"
  exited 4
  [[ $output == *'/dev/other is mounted on /saswork'* ]]
  same 755 "$(stat -c %a "$ROOT/saswork")"
}

@test "whoever requires the mount waits for the service, not for a device" {
  run "$BIN/sas-grid-scratch"
  unit=$ROOT/etc/systemd/system/saswork.mount
  for line in After=sas-grid-scratch.service DefaultDependencies=no What=/run/sas-grid/saswork Where=/saswork \
    Type=xfs Options=noatime,nodiratime; do
    grep -qx "$line" "$unit"
  done
  same 'systemctl daemon-reload' "$(calls 'systemctl' | sort -u)"
}

@test "the mode is right before anybody sees the new file system" {
  run "$BIN/sas-grid-scratch"
  same "mount -t xfs $ROOT/dev/md127 $ROOT/run/sas-grid/new
umount $ROOT/run/sas-grid/new
mount -t xfs -o noatime,nodiratime $ROOT/dev/md127 $ROOT/saswork" "$(calls 'u?mount ' | head -3)"
  same 1777 "$(stat -c %a "$ROOT/run/sas-grid/new")"
}

@test "the scheduler and huge pages are set; a scheduler that the kernel refuses is an error" {
  mkdir -p "$ROOT/sys/block/${STORE}1/queue" "$ROOT/sys/kernel/mm/transparent_hugepage"
  echo mq-deadline >"$ROOT/sys/block/${STORE}1/queue/scheduler"
  echo always | tee "$ROOT"/sys/kernel/mm/transparent_hugepage/{enabled,defrag}
  run "$BIN/sas-grid-scratch"
  exited 0
  same none "$(cat "$ROOT/sys/block/${STORE}1/queue/scheduler")"
  same 'never never' "$(cat "$ROOT"/sys/kernel/mm/transparent_hugepage/{enabled,defrag} | xargs)"
  rm "$ROOT/sys/block/${STORE}1/queue/scheduler"
  ln -s /dev/full "$ROOT/sys/block/${STORE}1/queue/scheduler"
  run "$BIN/sas-grid-scratch"
  exited 1
}

@test "on Debian and on RHEL the same is done" {
  for release in debian-12 rhel-9; do
    cp "$RECORDINGS/os-release/$release" "$ROOT/etc/os-release"
    for number in 1 2 3 4; do disk "$STORE$number"; done
    boot
    rm -rf "$ROOT/etc/systemd"
    run "$BIN/sas-grid-scratch"
    exited 0
    calls '.*' >"$BATS_TEST_TMPDIR/$release"
  done
  cmp "$BATS_TEST_TMPDIR"/{debian-12,rhel-9}
}
