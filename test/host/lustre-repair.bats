#!/usr/bin/env bats
# Stubs are written as text; bats sets status and output; each test has its own environment.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154
# sas-grid-serve with ldiskfs targets that the server before left with errors, or that an e2fsck has: what is mounted,
# repaired and told.

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
  stub tunefs.lustre 'case ${2: -1} in a) number=0 ;; b) number=1 ;; c) number=2 ;;
    esac; sed "s/OST0000/OST000$number/" "$RECORDINGS/tunefs_dryrun_ost.out"'
  stub mount 'printf "%s %s lustre rw 0 0\n" "$3" "$4" >>"$SAS_GRID_ROOT/proc/mounts"'
  stub dumpe2fs 'grep -q "${2: -1}" "$SAS_GRID_ROOT/damaged" &&
    echo "${TELLS-Filesystem state:         clean with errors}" || echo "Filesystem state:         clean"'
  stub e2fsck "$REPAIRS"
  echo ab >"$ROOT/damaged"
  DEVICE=$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0
  export SAS_GRID_SERVE_SECONDS=20
}

# One that runs beside another fails.
REPAIRS='[[ $1 == -fp ]] || exit 0; mkdir "$SAS_GRID_ROOT/repairs" || exit 8
  sed -i "s/${2: -1}//" "$SAS_GRID_ROOT/damaged"; rmdir "$SAS_GRID_ROOT/repairs"; exit 1'

serve_three() {
  serve --volumes vol-0a,vol-0b,vol-0c "$@"
}

# done_to: what was checked and mounted, by letters of volumes, in its order for each.
done_to() {
  calls '(mount|e2fsck -f)' | sed -E 's/^(mount|e2fsck).*vol0(.).*/\2 \1/' | sort -s -k 1,1 | paste -sd ' '
}

# again: as after a fail-over.
again() {
  : >"$CALLS"
  : >"$ROOT/proc/mounts"
}

@test "targets with recorded errors are repaired before they are mounted, one by one, while others are mounted" {
  serve_three
  exited 0
  same 'a e2fsck a mount b e2fsck b mount c mount' "$(done_to)"
  [[ $(calls e2fsck) == "e2fsck -fp ${DEVICE}a"* ]]
  again
  serve_three
  exited 0
  same 'a mount b mount c mount' "$(done_to)"
}

@test "an error of the journal, or a count that is left, is a recorded error" {
  for tells in 'Journal errno:            -5' 'FS Error count:           5'; do
    again
    echo b >"$ROOT/damaged"
    TELLS=$tells serve_three
    exited 0
    same 'a mount b e2fsck b mount c mount' "$(done_to)"
  done
}

@test "where dumpe2fs cannot read, the mount is the judge" {
  stub dumpe2fs 'exit 1'
  serve_three
  exited 0
  same 'a mount b mount c mount' "$(done_to)"
}

@test "a target that stays damaged is never mounted, is told with the way out, and keeps no other from its turn" {
  stub e2fsck '[[ $1 != -fp || $2 != *a ]] || { echo "UNEXPECTED INCONSISTENCY"; exit 4; }; '"$REPAIRS"
  serve_three
  exited 1
  same 'a e2fsck b e2fsck b mount c mount' "$(done_to)"
  failed=$ROOT/run/sas-grid/e2fsck-sasfs-OST0000.failed
  told='sasfs-OST0000 is damaged beyond automatic repair.'
  told+=" By hand: e2fsck -f ${DEVICE}a; to try e2fsck -p once more: rm $failed"
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
  same 'a mount' "$(done_to)"
  [[ ! -e $failed ]]
}

# takes_until_end: the repair of the volume whose letter is in $ROOT/damaged.
takes_until_end() {
  stub e2fsck '[[ $1 == -fp ]] || exit 0; until [[ -e $SAS_GRID_ROOT/end ]]; do sleep 0.05; done;
    : >"$SAS_GRID_ROOT/damaged"'
}

@test "a long repair goes on after the call, keeps no other target waiting, and a later call mounts its target" {
  export SAS_GRID_SERVE_SECONDS=0
  echo b >"$ROOT/damaged"
  takes_until_end
  # Each call gets further, also past the one that is put right: one target, then a second, then a third.
  for letter in a b c; do
    until [[ $(calls '(mount|e2fsck)') == *"vol0$letter"* ]]; do
      serve_three
      exited 75
    done
    [[ $letter == a ]] || break
  done
  until grep -q repaired "$ROOT/run/sas-grid/work/sasfs-OST0001"; do sleep 0.05; done
  serve_three
  exited 75
  [[ ${output##*serve: } == 'sasfs-OST0001 is still being repaired; call again' ]]
  touch "$ROOT/end"
  SAS_GRID_SERVE_SECONDS=60 serve_three
  exited 0
  same 'a mount b e2fsck b mount c mount' "$(done_to)"
}

@test "whoever waits for a repair goes on as soon as it has ended; a call that is no repair keeps the next one out" {
  export SAS_GRID_SERVE_SECONDS=0
  echo a >"$ROOT/damaged"
  takes_until_end
  serve_three
  exited 75
  (sleep 6 && touch "$ROOT/end") 3>&- &
  SAS_GRID_SERVE_SECONDS=60 serve_three
  exited 0
  flock "$ROOT/run/sas-grid/serve.lock" sleep 8 3>&- &
  until ! flock -n "$ROOT/run/sas-grid/serve.lock" true; do sleep 0.05; done
  serve_three
  exited 75
  [[ $output == *'another call is still at work'* ]]
  wait
}

@test "a mount that protection keeps waiting goes on after the call, which tells for how long" {
  : >"$ROOT/damaged"
  export SAS_GRID_SERVE_SECONDS=0
  stub e2mmpstatus 'echo "    mmp_check_interval: 10"'
  stub mount '[[ $3 != *b ]] || until [[ -e $SAS_GRID_ROOT/end ]]; do sleep 0.05; done;
    printf "%s %s lustre rw 0 0\n" "$3" "$4" >>"$SAS_GRID_ROOT/proc/mounts"'
  until [[ $(calls mount) == *vol0b* ]]; do
    serve_three
    exited 75
  done
  serve_three
  exited 75
  # Twice 2 x 10 + 1 s, less what has passed.
  [[ ${output##*serve: } =~ ^'sasfs-OST0001 is still being mounted, for '([0-9]+)' s at most; call again'$ ]]
  ((BASH_REMATCH[1] <= 42))
  touch "$ROOT/end"
  SAS_GRID_SERVE_SECONDS=60 serve_three
  exited 0
  same 'a mount b mount c mount' "$(done_to)"
}

@test "a target whose e2fsck was refused, since one runs or was cut off, is told with the way out; others have a turn" {
  stub e2fsck '[[ $1 != -fp || $2 != *a ]] || exit 12; '"$REPAIRS"
  stub e2mmpstatus 'echo "e2mmpstatus: MMP: e2fsck being run while trying to open $1" >&2; exit 1'
  serve_three
  exited 75
  same "an e2fsck of ${DEVICE}a runs, or was cut off.\
 If none runs: tune2fs -f -E clear_mmp ${DEVICE}a && e2fsck -f ${DEVICE}a" "${output##*serve: }"
  same 'a e2fsck b e2fsck b mount c mount' "$(done_to)"
  # No person is asked to repair what another server has mounted.
  stub e2mmpstatus 'cat "$RECORDINGS/e2mmpstatus_mounted.err" >&2; exit 1'
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

@test "what is blank or half formatted is formatted, and not repaired" {
  echo abc >"$ROOT/damaged"
  stub mkfs.lustre ': >"$SAS_GRID_ROOT/damaged"'
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
  same '' "$(calls '(e2fsck|e2mmpstatus)')"
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

@test "a target that met errors since it was mounted is an error that names the way out; one of no error is served" {
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
  told='sasfs-OST0001 is mounted, but it has met errors, and may have stopped writing:'
  [[ $output == *"$told this server has to be replaced, terminate it" ]]
}
