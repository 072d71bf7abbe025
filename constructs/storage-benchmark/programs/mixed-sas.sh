#!/bin/bash
# shellcheck disable=SC2034,SC2153,SC2154 # variables of the document and of common/*.sh
# The mixed workload of the papers (000, 001), scaled down: steps that compute, that fill memory and that read and write
# files, in their proportions of 10, 2 and 7, so many at a time; with SAS where it is on the search path, else with
# programs in its place. mixed_sas.py says what it prints of each step. Stands after common/*.sh in its document.
#
# Exit codes: 0 done; 75 refused; anything else failed.
set -u

# find_python: PYTHON, 3.6 or later. Of RHEL 8, the system's own may be the only one.
find_python() {
  for PYTHON in python3 /usr/libexec/platform-python; do
    "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 6))' >/dev/null 2>&1 && return
  done
  refuse no-tool 'there is no Python 3.6 or later'
}

# workload ACTION: its output is in STATE/out, what went wrong in STATE/err.
workload() {
  local code=0
  "${AS[@]}" "$PYTHON" -B "$STATE/mixed_sas.py" "$1" "$OWN" "$SG_InputMiB" "$SG_Streams" "$SG_Jobs" "$SG_Scale" ${SAS:+"$SAS"} \
    >"$STATE/out" 2>"$STATE/err" </dev/null &
  wait $! || code=$?
  ((code != 0)) || return 0
  cat "$STATE/err" >&2
  ! grep -qE 'No space left on device|Disk quota exceeded|insufficient space' "$STATE/err" || refuse disk-full "$SG_Directory had no room left"
  give_up "the workload failed: $(tail -n 1 "$STATE/err")"
}

begin
number InputMiB 1 1048576
number Streams 1 1024
number Jobs 19 10000
number Scale 1 1000
find_python
SAS=$(command -v sas) || SAS=''
VERSION=$("$PYTHON" --version 2>&1)
[[ -n $SAS ]] || note "there is no SAS on this host: programs in its place compute, read and write ($VERSION)"
[[ -z $SAS ]] || VERSION=SAS
# 7 of 19 jobs have an input of their own; those that run have up to two copies of theirs.
INPUTS=$((SG_Jobs * 7 / 19 + 1))
PROCESSES=$SG_Streams FILE_MIB=$SG_InputMiB SG_FileMiB=$SG_InputMiB REDUCED=false
((INPUTS * SG_InputMiB >= 2 * MEMORY_MIB)) || REDUCED=true
see_directory
not_busy moved
enter_place
others_write
need_room $((INPUTS + 3 * (SG_Streams < INPUTS ? SG_Streams : INPUTS)))
start_guard
watch_room
attach mixed_steps.py
attach mixed_sas.py
workload prepare
drop_caches && DROPPED=true || DROPPED=false
tell_setup mixed-sas random 64
wait_for_start
STARTED=$(now)
workload run
ENDED=$(now)
raw "$STATE/out" tool=time "version=$VERSION" phase=workload exitCode:=0
tell_phase workload "$STARTED" "$ENDED" "$(awk -F '[:,}]' '{for (n = 1; n < NF; n++) if ($n ~ /"bytes(Read|Written)"/) sum += $(n + 1)} END {printf "%.0f", sum}' "$STATE/out")" "$SG_Streams"
record 'done'
