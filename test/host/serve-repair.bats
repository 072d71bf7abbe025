#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# The program of the document that tells a server what to serve, with the real e2fsck on file systems in files: what is
# repaired after a snapshot, and what is for a person.

load helpers
load server
load nfs

# The program as the document has it: without comments and indentation.
setup_file() {
  cat >"$BATS_FILE_TMPDIR/print.ts" <<END
import { bareHostProgram } from '$REPOSITORY/constructs/private/command-document';
const { interpreter, program } = bareHostProgram('serve.sh');
console.log([interpreter, program].join('\\n'));
END
  "$REPOSITORY/node_modules/.bin/tsx" "$BATS_FILE_TMPDIR/print.ts" >"$BATS_FILE_TMPDIR/serve.sh"
}

# A target with the stubs of an object storage server; e2fsck and what looks at file systems are real.
setup() {
  make_server
  mkdir -p "$ROOT/opt" && ln -s "$REPOSITORY/constructs/host" "$ROOT/opt/cdk-sas-grid"
  DEVICE=$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a
  SAID=$ROOT/run/sas-grid/e2fsck-sasfs-OST0000
  stub wipefs 'echo 0x438,uuid,,ext4'
  stub blkid 'echo TYPE=ext4'
  stub tunefs.lustre 'cat "$RECORDINGS/tunefs_dryrun_ost.out"'
  stub mount 'printf "%s %s lustre rw 0 0\n" "$3" "$4" >>"$SAS_GRID_ROOT/proc/mounts"'
  real_tools
  PATH=$PATH:/usr/sbin:/sbin
  image "$DEVICE"
  export SAS_GRID_REPAIR_SECONDS=60
}

real_tools() {
  local tool
  for tool in e2fsck dumpe2fs e2mmpstatus; do stub "$tool" "PATH=/usr/sbin:/sbin:/usr/bin:/bin exec $tool \"\$@\""; done
}

# image FILE [OPTION]...: an ext4 with four files.
image() {
  local number
  rm -f "$1"
  truncate -s 32M "$1"
  mkfs.ext4 -q -F "${@:2}" "$1"
  for number in 1 2 3 4; do
    head -c 16000 /dev/zero | tr '\0' "$number" >"$BATS_TEST_TMPDIR/f$number"
    debugfs -w -R "write $BATS_TEST_TMPDIR/f$number f$number" "$1" &>/dev/null
  done
}

# edit COMMAND...: of debugfs, on the target.
edit() {
  local command
  for command in "$@"; do debugfs -w -R "$command" "$DEVICE" &>/dev/null; done
}

# What an error and a kill while files grow leave: files on the list of orphans, which e2fsck does not trust.
orphans() {
  edit 'sif f1 dtime 13' 'sif f2 dtime 14' 'ssv state 3' 'ssv error_count 1'
}

# tell [FINDING SNAPSHOTS]: as the document does.
tell() {
  FINDING=${1:-} SNAPSHOTS=${2:-} run bash "$BATS_FILE_TMPDIR/serve.sh" --slot oss-00 --epoch 3 \
    --address 172.16.4.21 --volumes vol-0a
  last=${output##*$'\n'}
  finding=${last##*finding }
}

content_is_whole() {
  local number
  for number in 1 2 3 4; do
    debugfs -R "dump f$number $BATS_TEST_TMPDIR/found" "$DEVICE" &>/dev/null
    cmp -n 16000 "$BATS_TEST_TMPDIR/f$number" "$BATS_TEST_TMPDIR/found"
  done
}

@test "a sound target is served, and what e2fsck -p repairs is, too, with nothing more said" {
  tell
  exited 0
  : >"$ROOT/proc/mounts"
  edit 'ssv state 3' 'ssv error_count 1'
  tell
  exited 0
  [[ ! -e $SAID.failed && ! -e $SAID.would ]]
}

@test "what sas-grid-serve ends with otherwise is passed on, with the end of its words" {
  touch "$ROOT/etc/sas-grid/install-failed"
  tell
  exited 1
  [[ $last == *'the software could not be installed'* ]]
}

@test "files on a list that is not trusted: told, left alone, and repaired after the snapshot, with all data" {
  orphans
  before=$(sha256sum <"$DEVICE")
  tell
  exited 5
  told='serve: sasfs-OST0000 is damaged, and e2fsck would do only what loses nothing:'
  [[ $last == "$told it may be repaired once a snapshot"*'completed; finding '* ]]
  [[ $finding =~ ^[0-9a-f]{16}$ && ${#last} -le 300 && $(<"$ROOT/proc/mounts") == '' ]]
  first=$finding after_p=$(sha256sum <"$DEVICE")
  # The same is said again, of the same damage, and nothing is looked at or changed any more.
  : >"$CALLS"
  tell
  exited 5
  same "$first" "$finding"
  same '' "$(calls e2fsck)"
  same "$after_p" "$(sha256sum <"$DEVICE")"
  # Not of another finding, nor without a snapshot of each volume.
  tell 0123456789abcdef snap-0123456789abcdef0
  exited 5
  tell "$first" ''
  exited 5
  tell "$first" snap-0123456789abcdef0,snap-0123456789abcdef1
  exited 5
  same "$after_p" "$(sha256sum <"$DEVICE")"
  tell "$first" snap-0123456789abcdef0
  exited 0
  [[ $(<"$ROOT/proc/mounts") == *sasfs-OST0000* && ! -e $SAID.failed && ! -e $SAID.would ]]
  run e2fsck -fn "$DEVICE"
  exited 0
  content_is_whole
}

@test "the same damage after a repair has another finding: snapshots of before count for nothing" {
  orphans
  tell
  first=$finding
  tell "$first" snap-0123456789abcdef0
  exited 0
  : >"$ROOT/proc/mounts"
  orphans
  tell "$first" snap-0123456789abcdef0
  exited 5
  [[ $finding != "$first" ]]
}

# judged: prints what is not on the list of what e2fsck -fn says of the target, as the program does.
judged() {
  local code=0
  mkdir -p "${SAID%/*}"
  echo mark >"$SAID.would"
  LC_ALL=C e2fsck -fn "$DEVICE" >>"$SAID.would" 2>&1 || code=$?
  echo "exit $code" >>"$SAID.would"
  judge
}

judge() {
  sed '/^\[\[ -e \$program/,$d' "$BATS_FILE_TMPDIR/serve.sh" >"$BATS_TEST_TMPDIR/functions"
  bash -c 'source "$0"; verdict "$1"; echo "$found"' "$BATS_TEST_TMPDIR/functions" "$SAID" 2>/dev/null
}

# each_is LINE JUDGEMENT: the line is among what e2fsck says, and of all of it the judgement is that.
each_is() {
  local found
  found=$(judged)
  grep -qE "$1" "$SAID.would" || {
    cat "$SAID.would" >&2
    return 1
  }
  same "$2" "$found"
}

# Enough to have e2fsck -p leave it to a person, whatever else there is.
LISTED='corrupted orphan linked list found'

# mends: the repair does what is listed, and the file system is sound.
mends() {
  edit 'sif f4 dtime 15' 'ssv state 3'
  tell
  exited 5
  tell "$finding" snap-0123456789abcdef0
  exited 0
  run e2fsck -fn "$DEVICE"
  exited 0
  : >"$ROOT/proc/mounts"
}

@test "listed, and repaired: lists, times, counts and bitmaps of a file system" {
  orphans
  each_is "$LISTED" ''
  each_is '^Inode 13 was part of the orphaned inode list' ''
  each_is '^Inode 13 is in use, but has dtime set' ''
  mends
  edit 'unlink f1' 'sif <12> links_count 0'
  each_is '^Deleted inode 12 has zero dtime' ''
  each_is '^Block bitmap differences:  -\(' ''
  each_is '^Inode bitmap differences:  -12$' ''
  mends
  image "$DEVICE"
  edit 'sif f2 size 9320'
  each_is '^Inode 13, i_size is 9320, should be 16384' ''
  mends
  edit 'sif f3 i_blocks 10'
  each_is '^Inode 14, i_blocks is 10, should be 32' ''
  mends
  edit 'freei <13>'
  each_is '^Inode bitmap differences:  \+13' ''
  each_is '^Free inodes count wrong for group #0 \(2033, counted=2034\)' ''
  mends
  edit 'freeb 2330 3'
  each_is '^Block bitmap differences:  \+\(2330--2332\)' ''
  each_is '^Free blocks count wrong' ''
  mends
  edit 'ssv free_blocks_count 100' 'ssv free_inodes_count 100'
  each_is '^Free inodes count wrong \(100, counted=8177\)' ''
  mends
  edit 'set_block_group 0 used_dirs_count 77' 'set_block_group 0 checksum calc'
  each_is '^Directories count wrong for group #0 \(77, counted=2\)' ''
  mends
}

@test "listed, and repaired: usage of users, and the mark of a list of orphans that is empty" {
  image "$DEVICE" -O quota
  edit 'sif f3 uid 7'
  each_is '^\[QUOTA WARNING\] Usage inconsistent for ID 0' ''
  each_is '^\[QUOTA WARNING\] Missing quota entry ID 7' ''
  each_is '^Update quota info for quota type 0' ''
  mends
  image "$DEVICE" -O orphan_file || skip 'this e2fsprogs knows no orphan file'
  edit 'feature orphan_present'
  each_is '^Feature orphan_present is set but orphan file is clean' ''
  mends
}

# refused WHY COMMAND...: listed damage with this besides is left to a person, with nothing changed, also when somebody
# says that there is a snapshot.
refused() {
  image "$DEVICE"
  orphans
  edit "${@:2}"
  rm -f "$SAID"*
  tell
  exited 1
  [[ $last =~ $1 && $last == *"After a snapshot: e2fsck -f $DEVICE" && $last != *finding* ]] || {
    echo "$last" >&2
    return 1
  }
  # The workflow keeps 300 characters; an id of a real volume is 14 longer.
  told=${last//"$ROOT"/}
  ((${#told} <= 286))
  local before
  before=$(sha256sum <"$DEVICE")
  for finding in 0123456789abcdef ''; do
    tell "$finding" snap-0123456789abcdef0
    exited 1
  done
  same "$before" "$(sha256sum <"$DEVICE")"
  [[ $(<"$ROOT/proc/mounts") == '' && -s $SAID.would ]]
}

# a_real_target_said FILE: e2fsck says what that of a real Lustre said of an OST after an error and a kill.
a_real_target_said() {
  stub dumpe2fs 'echo "Filesystem state:         clean with errors"'
  stub e2mmpstatus
  stub e2fsck "case \$1 in
    -fp) cat '$RECORDINGS/e2fsck_fp_ost_after_error.out'; exit 4 ;;
    -fn) cat '$RECORDINGS/$1'; exit $2 ;;
  esac"
}

@test "what a real target says after an error and a kill is listed: Lustre's own orphans, sizes, bitmaps and counts" {
  a_real_target_said e2fsck_fn_ost_after_error.out 4
  tell
  exited 5
  [[ $last == *'it may be repaired once a snapshot of each volume is completed; finding '* ]]
}

@test "what a real target says of a file and a directory that were overwritten is for a person" {
  a_real_target_said e2fsck_fn_ost_damaged_file.out 12
  tell
  exited 1
  why='e2fsck could not work; Inode 277 has corrupt extent header.; all: '
  [[ $last == *"is for a person: e2fsck would do more than is safe ($why"* ]]
}

@test "one thing that may lose something, besides what is listed, is for a person" {
  refused 'Root inode is not a directory' 'clri <2>'
  refused "Entry 'f3'" 'clri f3'
  refused 'Multiply-claimed|multiply-claimed|additional passes' 'sif f3 block[4] 2330' 'sif f4 flags 0' \
    'sif f4 block[0] 2330'
  refused 'Unattached inode 14' 'unlink f3'
  refused 'ref count is 7' 'sif f3 links_count 7'
  refused 'lost\+found|Unconnected' 'unlink lost+found'
  refused 'illegal block|extent' 'sif f3 block[5] 99999999'
  refused "would shorten a file" 'sif f3 size 17592186044416000'
  # This e2fsck -p repairs before it gets to the list of orphans.
  edit 'set_block_group 0 checksum 77'
  [[ $(judged) == *checksum* ]]
}

@test "what e2fsck would do and cannot be read, or is cut off, is for a person" {
  orphans
  same '' "$(judged)"
  for ending in 'exit 8' 'exit 12' 'exit 124' ''; do
    sed -i "\$s/.*/$ending/" "$SAID.would"
    same 'e2fsck could not work' "$(judge)"
  done
  sed -i '$d' "$SAID.would"
  same 'e2fsck could not work' "$(judge)"
  rm "$SAID.would"
  same $'e2fsck could not work\nwhat e2fsck said cannot be read' "$(judge)"
}

@test "e2fsck stops at what nobody has said before: nothing is mounted, and it is not tried again" {
  orphans
  tell
  # What e2fsck -p would do by itself, a name of a file that is gone, is not on the list.
  stub e2fsck 'if [[ $1 == -fn ]]; then exec /usr/sbin/e2fsck "$@"; fi
[[ -z ${E2FSCK_CONFIG:-} ]] || /usr/sbin/debugfs -w -R "clri f3" "$2" &>/dev/null
exec /usr/sbin/e2fsck "$@"'
  tell "$finding" snap-0123456789abcdef0
  exited 1
  [[ $last == *"sasfs-OST0000 is for a person"*"After a snapshot: e2fsck -f $DEVICE" ]]
  [[ -e $SAID.failed && $(<"$ROOT/proc/mounts") == '' ]]
  # The name is still there.
  [[ $(debugfs -R 'ls /' "$DEVICE" 2>/dev/null) == *f3* ]]
  : >"$CALLS"
  tell "$finding" snap-0123456789abcdef0
  exited 1
  same '' "$(calls e2fsck)"
}

@test "a repair, or a look, that takes long goes on beside the call, which says so; meanwhile no other gets in" {
  orphans
  export SAS_GRID_REPAIR_SECONDS=0 SAS_GRID_SERVE_SECONDS=60
  stub e2fsck '[[ $* == -fp* && -z ${E2FSCK_CONFIG:-} ]] || sleep 3; exec /usr/sbin/e2fsck "$@"'
  tell
  exited 75
  same 'serve: sasfs-OST0000 is still being repaired; call again' "$last"
  # The program itself says the same, as it does of its own repairs, and then waits for the end.
  tell
  exited 5
  tell "$finding" snap-0123456789abcdef0
  exited 75
  same 'serve: sasfs-OST0000 is still being repaired; call again' "$last"
  SAS_GRID_SERVE_SECONDS=0 serve
  exited 75
  [[ $output == *'sasfs-OST0000 is still being repaired; call again' ]]
  tell
  exited 0
  content_is_whole
  [[ -z $(ls "$ROOT/run/sas-grid/work" 2>/dev/null) ]]
}

@test "a target of another epoch, or whose mark a person has taken away, is not repaired" {
  orphans
  tell
  first=$finding
  sed -i 's/EPOCH=3/EPOCH=4/' "$ROOT/etc/sas-grid/slot.env"
  tell "$first" snap-0123456789abcdef0
  exited 3
  sed -i 's/EPOCH=4/EPOCH=3/' "$ROOT/etc/sas-grid/slot.env"
  rm "$SAID.failed"
  tell "$first" snap-0123456789abcdef0
  exited 5
  [[ $finding != "$first" ]]
}

@test "an export: its pool is active while e2fsck looks and repairs, and the command for a person activates it" {
  image "$BATS_TEST_TMPDIR/data"
  make_nfs_server
  interface
  complete_pool
  DEVICE=$ROOT/dev/sas-grid-nfs-00/data
  mkdir -p "${DEVICE%/*}"
  stub vgchange 'data=$SAS_GRID_ROOT/dev/sas-grid-nfs-00/data
case $* in *"-a y"*) mv "$BATS_TEST_TMPDIR/data" "$data" ;; *"-a n"*) mv "$data" "$BATS_TEST_TMPDIR/data" ;; esac
mkdir -p "$SAS_GRID_ROOT/sys/block/data/slaves";
  touch "$SAS_GRID_ROOT"/sys/block/data/slaves/nvme-Amazon_Elastic_Block_Store_vol0{a,b}'
  stub dumpe2fs '[[ $2 == */state ]] && echo "Filesystem state: clean" ||
    PATH=/usr/sbin:/sbin:/usr/bin:/bin exec dumpe2fs "$@"'
  stub e2fsck '[[ $2 == */state ]] || PATH=/usr/sbin:/sbin:/usr/bin:/bin exec e2fsck "$@"'
  nfs() {
    FINDING=${1:-} SNAPSHOTS=${2:-} run bash "$BATS_FILE_TMPDIR/serve.sh" --slot nfs-00 --epoch 3 \
      --address 172.16.4.21 --volumes vol-0a,vol-0b
    last=${output##*$'\n'} finding=${output##*finding }
  }
  mv "$BATS_TEST_TMPDIR/data" "$DEVICE" && orphans && mv "$DEVICE" "$BATS_TEST_TMPDIR/data"
  nfs
  exited 5
  [[ $last == *'data of sas-grid-nfs-00 is damaged'* && -e $BATS_TEST_TMPDIR/data && ! -e $DEVICE ]]
  # Half of the volumes have a snapshot.
  nfs "$finding" snap-0123456789abcdef0
  exited 5
  nfs "$finding" snap-0123456789abcdef0,snap-0123456789abcdef1
  exited 0
  [[ ! -e $ROOT/run/sas-grid/e2fsck.failed && $(<"$ROOT/proc/mounts") == *"$DEVICE"* ]]
  run e2fsck -fn "$DEVICE"
  exited 0
}

@test "a file that has lost its blocks is for a person, though e2fsck only corrects counts" {
  orphans
  edit 'sif f3 block[0] 0xf30a'
  tell
  exited 1
  [[ $output == *'is for a person'*'lost blocks'* ]]
}

@test "what cannot be judged is for a person" {
  orphans
  judged >/dev/null
  stub grep '[[ $* != *-avxE* ]] || exit 2; exec /usr/bin/grep "$@"'
  tell
  exited 1
  [[ $output == *'cannot be judged'* ]]
}

@test "what changed since the snapshot is not repaired" {
  orphans
  tell
  exited 5
  first=${output##*finding }
  edit 'ssv free_blocks_count 7'
  tell "$first" snap-0123456789abcdef0
  exited 5
  [[ ${output##*finding } != "$first" && ! -e $SAID.did ]]
}
