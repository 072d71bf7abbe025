#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-serve with ldiskfs targets that the server before left with errors, or that an e2fsck has: what is mounted, repaired and told.

load helpers
load server

# Three whole targets. The file $ROOT/damaged has the letters of those with recorded errors, which e2fsck takes out.
setup() {
  make_server
  ebs vol0a data
  ebs vol0b data
  ebs vol0c data
  sed -i s/VOLUMES_PER_SLOT=1/VOLUMES_PER_SLOT=3/ "$ROOT/etc/sas-grid/lustre-oss.env"
  stub wipefs 'echo 0x438,uuid,,ext4'
  stub blkid 'echo TYPE=ext4'
  stub tunefs.lustre 'case ${2: -1} in a) number=0 ;; b) number=1 ;; c) number=2 ;; esac; sed "s/OST0000/OST000$number/" "$RECORDINGS/tunefs_dryrun_ost.out"'
  stub mount 'printf "%s %s lustre rw 0 0\n" "$3" "$4" >>"$SAS_GRID_ROOT/proc/mounts"'
  stub dumpe2fs 'grep -q "${2: -1}" "$SAS_GRID_ROOT/damaged" && echo "${TELLS-Filesystem state:         clean with errors}" || echo "Filesystem state:         clean"'
  stub e2fsck "$REPAIRS"
  echo ab >"$ROOT/damaged"
  DEVICE=$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0
  export SAS_GRID_SERVE_SECONDS=20
}

REPAIRS='sed -i "s/${2: -1}//" "$SAS_GRID_ROOT/damaged"; exit 1'

serve_three() {
  serve --volumes vol-0a,vol-0b,vol-0c "$@"
}

# done_to: what was mounted and checked, in its order, as letters of volumes.
done_to() {
  calls '(mount|e2fsck)' | sed -E 's/^(mount|e2fsck).*vol0(.).*/\1 \2/' | paste -sd ' '
}

# again: as after a fail-over.
again() {
  : >"$CALLS"
  : >"$ROOT/proc/mounts"
}

@test "targets with recorded errors are repaired before they are mounted, one after the other, when all others are mounted" {
  serve_three
  exited 0
  same 'mount c e2fsck a mount a e2fsck b mount b' "$(done_to)"
  [[ $(calls e2fsck) == "e2fsck -fp ${DEVICE}a"* ]]
  again
  serve_three
  exited 0
  same 'mount a mount b mount c' "$(done_to)"
}

@test "an error of the journal, or a count that is left, is a recorded error" {
  for tells in 'Journal errno:            -5' 'FS Error count:           5'; do
    again
    echo b >"$ROOT/damaged"
    TELLS=$tells serve_three
    exited 0
    same 'mount a mount c e2fsck b mount b' "$(done_to)"
  done
}

@test "where dumpe2fs cannot read, the mount is the judge" {
  stub dumpe2fs 'exit 1'
  serve_three
  exited 0
  same 'mount a mount b mount c' "$(done_to)"
}

@test "a target that stays damaged is never mounted, is told with the way out, and keeps no other from its turn" {
  stub e2fsck '[[ $2 != *a ]] || { echo "UNEXPECTED INCONSISTENCY"; exit 4; }; '"$REPAIRS"
  serve_three
  exited 1
  same 'mount c e2fsck a e2fsck b mount b' "$(done_to)"
  failed=$ROOT/run/sas-grid/e2fsck-sasfs-OST0000.failed
  told="sasfs-OST0000 is damaged beyond automatic repair. By hand: e2fsck -f ${DEVICE}a; to try e2fsck -p once more: rm $failed"
  [[ $output == *'UNEXPECTED INCONSISTENCY'* && ${output##*serve: } == "$told" ]]
  : >"$CALLS"
  serve_three
  exited 1
  [[ $output == *'UNEXPECTED INCONSISTENCY'* && ${output##*serve: } == "$told" ]]
  same '' "$(done_to)"
  # When somebody has repaired it, it is mounted, and of the next errors nothing is known.
  : >"$ROOT/damaged"
  serve_three
  exited 0
  same 'mount a' "$(done_to)"
  [[ ! -e $failed ]]
}

@test "a repair that takes long goes on after the call, and what it repaired is mounted by a later one" {
  export SAS_GRID_SERVE_SECONDS=0
  echo c >"$ROOT/damaged"
  stub e2fsck 'until [[ -e $SAS_GRID_ROOT/end ]]; do sleep 0.05; done; : >"$SAS_GRID_ROOT/damaged"'
  # Each call gets further: one target, another, the repair.
  for told in '1 of 3 targets are mounted so far' '2 of 3 targets are mounted so far' 'sasfs-OST0002 is still being repaired; call again' 'oss-00 is still being repaired; call again'; do
    serve_three
    exited 75
    [[ $output == *"$told"* ]]
    mkdir -p "$ROOT/proc/77" && echo e2fsck >"$ROOT/proc/77/comm"
  done
  touch "$ROOT/end"
  until [[ ! -s $ROOT/damaged ]]; do sleep 0.05; done
  serve_three
  exited 0
  same 'mount a mount b e2fsck c mount c' "$(done_to)"
}

@test "whoever waits for a repair goes on as soon as it has ended; a call that is no repair keeps the next one out" {
  export SAS_GRID_SERVE_SECONDS=0
  echo c >"$ROOT/damaged"
  stub e2fsck 'until [[ -e $SAS_GRID_ROOT/end ]]; do sleep 0.05; done; : >"$SAS_GRID_ROOT/damaged"'
  for call in 1 2 3; do serve_three; done
  exited 75
  mkdir -p "$ROOT/proc/77" && echo e2fsck >"$ROOT/proc/77/comm"
  (sleep 6 && touch "$ROOT/end") 3>&- &
  SAS_GRID_SERVE_SECONDS=60 serve_three
  exited 0
  same 'mount a mount b e2fsck c mount c' "$(done_to)"
  rm -r "$ROOT/proc/77"
  flock "$ROOT/run/sas-grid/serve.lock" sleep 8 3>&- &
  sleep 0.5
  serve_three
  exited 75
  [[ $output == *'another call is still at work'* ]]
  wait
}

@test "a target that is put aside first keeps no call from mounting another" {
  export SAS_GRID_SERVE_SECONDS=0
  echo a >"$ROOT/damaged"
  serve_three
  exited 75
  [[ $output == *'1 of 3 targets are mounted so far'* ]]
  same 'mount b' "$(done_to)"
}

@test "a target whose e2fsck was refused, since one runs or was cut off, is told with the way out; of the others each has its turn" {
  stub e2fsck '[[ $2 != *a ]] || exit 12; '"$REPAIRS"
  stub e2mmpstatus 'echo "e2mmpstatus: MMP: e2fsck being run while trying to open $1" >&2; exit 1'
  serve_three
  exited 75
  [[ ${output##*serve: } == "an e2fsck of ${DEVICE}a runs, or was cut off. If none runs: tune2fs -f -E clear_mmp ${DEVICE}a && e2fsck -f ${DEVICE}a" ]]
  same 'mount c e2fsck a e2fsck b mount b' "$(done_to)"
  # No person is asked to repair what another server has mounted.
  stub e2mmpstatus 'echo "e2mmpstatus: MMP: device currently active while trying to open $1" >&2; exit 1'
  serve_three
  exited 75
  [[ $output == *'vol0a is mounted elsewhere'* && $output != *damaged* ]]
}

@test "damage of one target is an error, though an e2fsck of the next only has to be waited for" {
  stub e2fsck '[[ $2 != *a ]] || exit 4; exit 12'
  stub e2mmpstatus '[[ $1 != *b ]] || { echo "e2mmpstatus: MMP: e2fsck being run while trying to open $1"; exit 1; }'
  serve_three
  exited 1
  [[ $output == *'OST0000 is damaged beyond automatic repair'*"an e2fsck of ${DEVICE}b runs"* ]]
}

@test "a mount that is refused for an e2fsck that runs, or was cut off, is told as such, whatever the kernel calls it" {
  : >"$ROOT/damaged"
  stub e2mmpstatus 'echo "e2mmpstatus: MMP: e2fsck being run while trying to open $1" >&2; exit 1'
  for code in 16 22; do
    stub mount "exit $code"
    serve_three
    exited 75
    [[ $output == *"an e2fsck of ${DEVICE}a runs, or was cut off"*clear_mmp* && $output != *'mounted elsewhere'* ]]
  done
}

@test "what is blank or half formatted is not looked at" {
  echo abc >"$ROOT/damaged"
  mkdir -p "$ROOT/etc/sas-grid/formatting"
  stub tunefs.lustre 'echo "checking for existing Lustre data: not found"; exit 19'
  for volume in vol-0a vol-0b vol-0c; do echo 3 >"$ROOT/etc/sas-grid/formatting/$volume"; done
  serve_three --may-format
  exited 0
  again
  blank_disks
  for letter in a b c; do ebs "vol0$letter"; done
  serve_three --may-format
  exited 0
  same 3 "$(calls mkfs.lustre | wc -l)"
  same '' "$(calls '(dumpe2fs|e2fsck|e2mmpstatus)')"
}

@test "zfs: a pool is not looked at with the tools of ext4, also when it cannot be mounted" {
  sed -i s/BACKEND=ldiskfs/BACKEND=zfs/ "$ROOT/etc/sas-grid/lustre-oss.env"
  echo id >"$ROOT/etc/hostid"
  stub zpool '[[ $1 != get ]] || echo on'
  stub tunefs.lustre 'sed "s/OST0000/OST000${2:12:1}/" "$RECORDINGS/tunefs_dryrun_ost.out"'
  echo abct >"$ROOT/damaged"
  serve_three
  exited 0
  same 3 "$(calls mount | wc -l)"
  again
  for code in 16 22; do
    stub mount "exit $code"
    serve_three
    [[ $status -eq $((code == 16 ? 75 : 1)) ]]
  done
  same '' "$(calls '(dumpe2fs|e2fsck|e2mmpstatus)')"
}

@test "a target that has met errors since it was mounted is an error that names the way out; one of no error is served" {
  : >"$ROOT/damaged"
  serve_three
  exited 0
  counter=$ROOT/sys/fs/ldiskfs/nvme-Amazon_Elastic_Block_Store_vol0b/errors_count
  mkdir -p "${counter%/*}"
  echo 0 >"$counter"
  serve_three
  exited 0
  echo 2 >"$counter"
  serve_three
  exited 1
  [[ $output == *'sasfs-OST0001 is mounted, but it has met errors, and may have stopped writing: this server has to be replaced, terminate it' ]]
}
