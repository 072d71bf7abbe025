#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # commands are written as text; bats sets status and output
# The repair of an ext4 before it is mounted, with the real e2fsprogs and file systems in files.

load helpers

setup() {
  make_host
  PATH=$PATH:/usr/sbin:/sbin
  mkdir -p "$ROOT/run/sas-grid"
  IMAGE=$ROOT/image SAID=$ROOT/run/sas-grid/e2fsck-target
  truncate -s 16M "$IMAGE"
  mkfs.ext4 -q -F "$IMAGE"
}

# repair: as sas-grid-serve does it.
repair() {
  run bash -c 'set -euo pipefail
    for part in log wait repair; do source "$0/constructs/host/lib/$part.sh"; done
    if repaired "$1" target "$2"; then exit 0; else exit 10; fi' "$REPOSITORY" "$IMAGE" "$SAID"
}

# noted LINE: whether dumpe2fs tells it.
noted() {
  dumpe2fs -h "$IMAGE" 2>/dev/null | grep -q "$1"
}

# journal_at BYTE: where that byte of the journal's superblock is in the image.
journal_at() {
  local block size
  block=$(debugfs -R 'blocks <8>' "$IMAGE" 2>/dev/null | awk '{print $1}')
  size=$(dumpe2fs -h "$IMAGE" 2>/dev/null | awk '/^Block size/ {print $3}')
  echo $((block * size + $1))
}

@test "a sound file system is not checked" {
  repair
  exited 0
  [[ ! -e $SAID ]]
}

@test "errors that ext4 noted are repaired, and the kernel starts to count anew" {
  debugfs -w -R 'ssv state 3' "$IMAGE"
  debugfs -w -R 'ssv error_count 1' "$IMAGE"
  noted 'with errors'
  noted 'FS Error count'
  repair
  exited 0
  [[ -s $SAID ]]
  ! noted 'with errors' && ! noted 'FS Error count'
}

@test "so is an error that only the journal knows of, and a count that is all that is left" {
  printf '\377\377\377\373' | dd of="$IMAGE" bs=1 seek="$(journal_at 32)" conv=notrunc status=none
  noted '^Journal errno:'
  repair
  exited 0
  ! noted '^Journal errno:' || false
  debugfs -w -R 'ssv error_count 1' "$IMAGE"
  repair
  exited 0
  ! noted 'FS Error count' || false
}

@test "what e2fsck -p leaves to a person is told by each call, and repaired by the command that is told" {
  debugfs -w -R 'ssv state 3' "$IMAGE"
  # Of the root directory nothing is left.
  debugfs -w -R 'clri <2>' "$IMAGE"
  repair
  exited 10
  [[ $output == *'UNEXPECTED INCONSISTENCY'* && -e $SAID.failed ]]
  repair
  exited 10
  [[ $output == *'UNEXPECTED INCONSISTENCY'* ]]
  e2fsck -f -y "$IMAGE" || (($? < 4))
  repair
  exited 0
  [[ ! -e $SAID.failed ]]
}

@test "an e2fsck that was cut off left multiple-mount protection on, which is seen, and ended as the runbook has it" {
  mkfs.ext4 -q -F -O mmp,^metadata_csum "$IMAGE"
  debugfs -w -R 'ssv state 3' "$IMAGE"
  at=$(dumpe2fs -h "$IMAGE" 2>/dev/null | awk \
    '/^MMP block number/ {block = $NF} /^Block size/ {size = $NF} END {print block * size + 4}')
  # EXT4_MMP_SEQ_FSCK
  printf '\120\115\115\342' | dd of="$IMAGE" bs=1 seek="$at" conv=notrunc status=none
  repair
  exited 10
  [[ $output == *'e2fsck being run'* && ! -e $SAID.failed ]]
  used='for part in log repair; do source "$0/constructs/host/lib/$part.sh"; done; in_use_by "$1"'
  same e2fsck "$(bash -c "$used" "$REPOSITORY" "$IMAGE" 2>/dev/null)"
  tune2fs -f -E clear_mmp "$IMAGE"
  same '' "$(bash -c "$used" "$REPOSITORY" "$IMAGE" 2>/dev/null)"
  repair
  exited 0
}
