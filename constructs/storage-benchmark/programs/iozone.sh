#!/bin/bash
# shellcheck disable=SC2034,SC2153,SC2154 # variables of the document and of common/*.sh
# The IOzone command of the NFS paper (003): write and rewrite, then read and reread, with the final sync in the times,
# files of twice the memory, records of 1 MiB. Where no remote shell is named, each host runs its own threads, and all
# hosts of a wave begin together. With RemoteShell this host drives the Clients as in the paper (-+m). Stands after
# common/*.sh in its document.
#
# Exit codes: 0 done; 75 refused; anything else failed.
set -u

# iozone_test TEST PHASE: test 0 writes and rewrites, and keeps the files (-w); test 1 reads and rereads them.
iozone_test() {
  local code=0 free started ended command=(iozone -w -e -s "${FILE_MIB}m" -r "${SG_RecordKiB}k" -i "$1" -t "$TOTAL") n
  if [[ -n $SG_Clients ]]; then
    command+=(-+m "$STATE/hosts")
  else
    command+=(-F)
    for ((n = 0; n < TOTAL; n++)); do command+=("$OWN/$n"); done
  fi
  started=$(now)
  RSH=$SG_RemoteShell "${AS[@]}" "${command[@]}" >"$STATE/out" 2>&1 </dev/null &
  wait $! || code=$?
  ended=$(now)
  raw "$STATE/out" tool=iozone "version=$VERSION" "phase=$2" "exitCode:=$code" "startedAt:=$started" "endedAt:=$ended"
  # It ends with 0 after errors, too, and does not say which they were.
  if ((code != 0)) || grep -qE '^Error (writing|reading)' "$STATE/out" || ! grep -q 'Children see throughput' "$STATE/out"; then
    read -r _ free < <(room)
    ((${free:-0} >= KEEP_MIB / 2)) || refuse disk-full "$SG_Directory had no room left during the phase $2"
    give_up "iozone failed in the phase $2"
  fi
}

# distribute: a line for each thread: the client, its directory, its iozone. The directory is the one of this host, which the clients share.
distribute() {
  local client n
  for client in ${SG_Clients//,/ }; do
    timeout 30 "$SG_RemoteShell" ${REMOTE_OPTIONS[@]+"${REMOTE_OPTIONS[@]}"} "$client" "test -d '$SG_Directory/$BASE/${OWN#./}' && command -v iozone" </dev/null >"$STATE/remote" 2>&1 ||
      refuse unsupported "$SG_RemoteShell to $client does not find iozone and $SG_Directory/$BASE/${OWN#./} there: $(tail -n 1 "$STATE/remote")"
    for ((n = 0; n < SG_Threads; n++)); do
      printf '%s %s %s\n' "$client" "$SG_Directory/$BASE/${OWN#./}" "$(tail -n 1 "$STATE/remote")" >>"$STATE/hosts"
    done
  done
  TOTAL=$(wc -l <"$STATE/hosts")
}

begin
number FileMiB 0 67108864
number RecordKiB 4 16384
number Threads 0 4096
word Clients '|[0-9A-Fa-f:.]+(,[0-9A-Fa-f:.]+)*' 'IP addresses with commas between, or nothing'
word RemoteShell 'none|ssh|rsh' "'none', 'ssh' or 'rsh'"
command -v iozone >/dev/null || refuse no-tool 'iozone is not installed; no distribution for RHEL has it: see the README'
[[ -z $SG_Clients || $SG_RemoteShell != none ]] ||
  refuse unsupported 'Clients are driven through a remote shell, and RemoteShell names none: leave Clients empty, and run it on all hosts in one wave'
[[ $SG_RemoteShell != ssh ]] && REMOTE_OPTIONS=() || REMOTE_OPTIONS=(-o BatchMode=yes -o ConnectTimeout=10)
VERSION=$(iozone -v 2>/dev/null | awk '/Revision/ {print $(NF - 1)}')
SG_Processes=$((SG_Threads > 0 ? SG_Threads : 1)) SG_Threads=$SG_Processes
sizes
TOTAL=$PROCESSES
see_directory
not_busy moved
enter_place
others_write
[[ -z $SG_Clients ]] || distribute
need_room "$TOTAL"
start_guard
watch_room
# Of the clients that it drives this host cannot drop the caches.
drop_caches && [[ -z $SG_Clients ]] && DROPPED=true || DROPPED=false
tell_setup iozone zero "$SG_RecordKiB"
wait_for_start
iozone_test 0 write
drop_caches || note 'caches were not dropped before the phase read'
iozone_test 1 read
record 'done'
