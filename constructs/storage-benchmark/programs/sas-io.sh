#!/bin/bash
# shellcheck disable=SC2034,SC2153,SC2154 # variables of the document and of common/*.sh
# What SAS's own I/O test for RHEL measures (rhel_iotest.sh, SAS KB0039548), on this host: one process for each physical
# core writes a file in blocks of 64 KiB one after the other, with a sync at the end; then each reads its file. Unlike
# there, caches are dropped before files are read, and all is done again with data that cannot be compressed. Stands
# after common/*.sh in its document.
#
# Exit codes: 0 done; 75 refused; anything else failed.
set -u

begin
number FileMiB 0 67108864
number Processes 0 4096
number BlockKiB 4 16384
word Data 'zero|random|both' "'zero', 'random' or 'both'"
sizes

write_zero() {
  "${AS[@]}" dd if=/dev/zero of="$OWN/$1" bs="${SG_BlockKiB}k" count="$BLOCKS" conv=fsync
}

read_back() {
  "${AS[@]}" dd if="$OWN/$1" of=/dev/null bs="${SG_BlockKiB}k"
}

# Data that cannot be compressed, without end: 64 MiB of it again and again. Their length is no multiple of any block's, so that no block is
# written twice. dd alone would stop at the end of its input; through a pipe it costs a fraction of what /dev/urandom does.
random_data() {
  while cat "$STATE/random"; do :; done 2>/dev/null
}

write_random() {
  random_data | "${AS[@]}" dd of="$OWN/$1" bs="${SG_BlockKiB}k" count="$BLOCKS" iflag=fullblock conv=fsync
  return "${PIPESTATUS[1]}"
}

source_alone() {
  random_data | dd of=/dev/null bs="${SG_BlockKiB}k" count=$((131072 / SG_BlockKiB)) iflag=fullblock 2>/dev/null
}

# make_random: makes that data, and measures how fast it comes when all processes ask for it: no file system can look faster than that.
make_random() {
  local started n pids=()
  head -c $((64 * 1024 * 1024 + 4099)) /dev/urandom >"$STATE/random" || give_up 'it cannot write to /run'
  started=$(now)
  for ((n = 0; n < PROCESSES; n++)); do
    source_alone &
    pids+=($!)
  done
  wait "${pids[@]}"
  note "the source of random data gives $(awk -v from="$started" -v to="$(now)" -v n="$PROCESSES" \
    'BEGIN {printf "%.0f", n * 134.217728 / (to - from)}') MB/s to $PROCESSES processes at once"
}

# measure DATA WRITE READ: writes and reads with this data, in phases of these names.
measure() {
  empty_place
  drop_caches && DROPPED=true || DROPPED=false
  tell_setup sas-io "$1" "$SG_BlockKiB"
  phase "$2" "$PROCESSES" "write_$1"
  drop_caches || [[ $DROPPED == false ]] || note "caches were not dropped before the phase $3"
  phase "$3" "$PROCESSES" read_back
}

see_directory
not_busy moved
enter_place
others_write
need_room "$PROCESSES"
BLOCKS=$((FILE_MIB * 1024 / SG_BlockKiB))
((BLOCKS > 0)) || bad_parameter "a file of $FILE_MIB MiB has no block of $SG_BlockKiB KiB"
start_guard
watch_room
[[ $SG_Data == zero ]] || make_random
wait_for_start
[[ $SG_Data == random ]] || measure zero write read
[[ $SG_Data == zero ]] || measure random write-random-data read-random-data
record 'done'
