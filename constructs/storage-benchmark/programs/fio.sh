#!/bin/bash
# shellcheck disable=SC2034,SC2153,SC2154 # variables of the document and of common/*.sh
# fio on the file system of Directory, each of Jobs: 'sequential' writes files and reads them back; 'mixed' has half of
# the processes read files and the others write others at the same time, as steps of SAS do in SASWORK; 'metadata'
# makes, looks at and removes many small files. Stands after common/*.sh in its document.
#
# Exit codes: 0 done; 75 refused; anything else failed.
set -u

# run_fio PHASE ARGUMENT...: one run of fio, whose output is in STATE/fio.err and STATE/fio.json.
run_fio() {
  local code=0
  shift
  STARTED=$(now)
  "${AS[@]}" fio --output-format=json --directory="$OWN" --group_reporting --fallocate=none --create_serialize=0 "$@" \
    >"$STATE/fio.json" 2>"$STATE/fio.err" </dev/null &
  wait $! || code=$?
  ENDED=$(now) CODE=$code
}

# tell_fio PHASE: what fio says besides comes before its JSON.
tell_fio() {
  cat "$STATE/fio.json" >>"$STATE/fio.err"
  raw "$STATE/fio.err" tool=fio "version=$VERSION" "phase=$1" "exitCode:=$CODE"
  # fio cuts its message off after a long file name: the number is before it (ENOSPC, EDQUOT).
  ! grep -qE 'No space left on device|Disk quota exceeded|\berr=(28|122)/' "$STATE/fio.err" || refuse disk-full "$SG_Directory had no room left during the phase $1"
  ((CODE == 0)) || give_up "fio failed in the phase $1"
}

# fio_phase PHASE ARGUMENT...: what moves bytes from its beginning to its end; with fio's start, which its own figures do not have.
fio_phase() {
  run_fio "$@"
  tell_fio "$1"
  tell_phase "$1" "$STARTED" "$ENDED" "$(awk -F '[:,]' '/"io_bytes"/ {sum += $2} END {printf "%.0f", sum}' "$STATE/fio.json")" "$PROCESSES"
}

# stream NAME DIRECTION PROCESSES: arguments for whole files, one for each process, in blocks as SAS has them.
stream() {
  printf '%s\n' "--name=$1" "--rw=$2" "--numjobs=$3" --ioengine=psync --bs=64k "--size=${FILE_MIB}m"
}

write_files() {
  mapfile -t ARGUMENTS < <(stream sequential write "$PROCESSES")
  ARGUMENTS+=(--end_fsync=1)
}

sequential() {
  write_files
  fio_phase write "${ARGUMENTS[@]}"
  drop_caches || note 'caches were not dropped before the phase read'
  mapfile -t ARGUMENTS < <(stream sequential read "$PROCESSES")
  fio_phase read "${ARGUMENTS[@]}"
  WRITTEN=yes
}

# What one process wrote shortly before would be in the cache for a reader of the same file: readers have files of their own.
mixed() {
  local writers half=$(((PROCESSES + 1) / 2))
  if [[ -z $WRITTEN ]]; then
    write_files
    run_fio mixed "${ARGUMENTS[@]}"
    ((CODE == 0)) || tell_fio mixed
  fi
  drop_caches || note 'caches were not dropped before the phase mixed'
  mapfile -t ARGUMENTS < <(stream mixed-read read "$half")
  mapfile -t writers < <(stream mixed-write write "$half")
  # shellcheck disable=SC2016 # fio's own variables
  fio_phase mixed "${ARGUMENTS[@]}" --filename_format='sequential.$jobnum.0' --time_based "--runtime=$SG_Seconds" \
    "${writers[@]}" --new_group --filename_format='mixed.$jobnum.0' --time_based "--runtime=$SG_Seconds" --end_fsync=1
}

small_files() {
  local engine small=("--numjobs=$PROCESSES" "--nrfiles=$SG_Files" --filesize=4k --openfiles=64 --bs=4k)
  for engine in filecreate filestat filedelete; do
    # fio before 3.30 or so has no engine that deletes.
    if fio --enghelp="$engine" 2>&1 | grep -qE 'not found|not loadable'; then
      note "this fio has no engine $engine: what it measures was left out"
      continue
    fi
    run_fio metadata "--name=$engine" "--ioengine=$engine" "${small[@]}"
    tell_fio metadata
    empty_place
    drop_caches || true
  done
  run_fio metadata --name=write-small-files --ioengine=psync --rw=write --create_on_open=1 --fsync_on_close=1 "${small[@]}"
  tell_fio metadata
}

begin
number FileMiB 0 67108864
number Processes 0 4096
number Seconds 1 86400
number Files 1 1000000
word Jobs '(sequential|mixed|metadata)(,(sequential|mixed|metadata))*' "of 'sequential', 'mixed' and 'metadata', with commas between"
command -v fio >/dev/null || refuse no-tool 'fio is not installed'
VERSION=$(fio --version 2>/dev/null) WRITTEN=''
sizes
see_directory
not_busy moved
# Large files, of which mixed runs have half as many again, are gone before the small ones are made.
LARGE=$((PROCESSES + (PROCESSES + 1) / 2)) SMALL=0
[[ ,$SG_Jobs, != *,metadata,* ]] || SMALL=$((PROCESSES * SG_Files))
need_inodes $((SMALL > LARGE ? SMALL : LARGE))
enter_place
others_write
# Small files take a block each, and as much for their names.
need_room "$LARGE" $((SMALL > 0 ? SMALL * 8 / 1024 + 1 : 0))
start_guard
watch_room
drop_caches && DROPPED=true || DROPPED=false
tell_setup fio random 64
wait_for_start
[[ ,$SG_Jobs, != *,sequential,* ]] || sequential
[[ ,$SG_Jobs, != *,mixed,* ]] || mixed
empty_place
[[ ,$SG_Jobs, != *,metadata,* ]] || small_files
record 'done'
