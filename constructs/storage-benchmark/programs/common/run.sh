# shellcheck shell=bash disable=SC2034,SC2153,SC2154
# How a program runs: alone on its host, at its time, and without a trace on whichever way out.

OWN='' PLACED='' STATE='' WATCH='' GUARD='' AT_END='' KEEP_INODES=0
AS=()

# begin: one program at a time, whose traps are set before anything is made.
begin() {
  word RunId '[A-Za-z0-9][A-Za-z0-9-]{0,63}' 'letters, digits and hyphens'
  number StartAt 0 99999999999
  number TimeoutSeconds 30 172800
  word User '[a-z_][a-z0-9_-]{0,31}' 'the name of an account'
  as_user
  see_host
  tell_host
  mkdir -p "$ROOT/run/sas-grid" || give_up 'it cannot write to /run'
  # What a killed program left running holds the lock as well.
  exec 9>"$ROOT/run/sas-grid/benchmark.lock" || give_up 'it cannot write to /run'
  flock -n 9 || refuse busy 'another program of the benchmark runs on this host'
  STATE=$ROOT/run/sas-grid/benchmark-$SG_RunId
  # All that this program starts carries this, so that it can be found again.
  export SAS_GRID_BENCHMARK=$SG_RunId/$HOST
  trap finish EXIT
  trap 'exit 143' TERM
  trap 'exit 130' INT
  trap 'exit 129' HUP
  end_marked
  rm -rf -- "$STATE"
  mkdir -m 755 "$STATE" || give_up 'it cannot write to /run'
}

# as_user: AS is what runs a command as User, in the same process.
as_user() {
  [[ $SG_User != root ]] || return 0
  id -u "$SG_User" >/dev/null 2>&1 || bad_parameter "User is '$SG_User', which this host does not know"
  AS=(setpriv --reuid "$SG_User" --regid "$(id -g "$SG_User")" --init-groups --)
}

# marked: prints the processes of this run on this host, besides the shell that asks.
marked() {
  local file pid
  for file in $(env -u SAS_GRID_BENCHMARK grep -lzxF -- "SAS_GRID_BENCHMARK=$SAS_GRID_BENCHMARK" /proc/[0-9]*/environ 2>/dev/null); do
    pid=${file#/proc/}
    [[ ${pid%/*} == "$$" ]] || printf '%s\n' "${pid%/*}"
  done
}

# end_marked: ends them, with a word before.
end_marked() {
  local step pids signal=TERM none=0
  # What is being started carries the mark a moment later: nobody has to be seen twice.
  for ((step = 0; step < 40 && none < 2; step++)); do
    ((step < 1)) || sleep 0.1
    pids=$(marked)
    none=$((none + 1))
    [[ -n $pids ]] || continue
    none=0
    ((step <= 20)) || signal=KILL
    # shellcheck disable=SC2086
    kill -s "$signal" $pids 2>/dev/null
  done
}

# finish: the way out of every program, with the command AT_END.
finish() {
  local code=$? jobs
  trap '' TERM INT HUP USR1
  # Subshells of this shell carry no mark.
  jobs=$(jobs -p)
  # shellcheck disable=SC2086
  [[ -z $jobs ]] || kill $jobs 2>/dev/null
  [[ -z $WATCH ]] || kill "$WATCH" 2>/dev/null
  end_marked
  $AT_END >/dev/null 2>&1
  if [[ -n $PLACED ]] && ! leave_place; then
    note "files of this run could not be removed from $SG_Directory"
    ((code != 0)) || code=1
  fi
  [[ -z $STATE ]] || rm -rf -- "$STATE"
  [[ -z $GUARD ]] || kill -- "-$GUARD" 2>/dev/null
  exit "$code"
}

# start_guard: Systems Manager ends what took too long, or is cancelled, with a signal that no trap sees. A process in a session of its own
# removes then what is left; and it ends the program in time for its own trap to do so.
start_guard() {
  local started
  command -v setsid >/dev/null || return 0
  started=$(cut -d ' ' -f 22 "/proc/$$/stat")
  env -u SAS_GRID_BENCHMARK setsid bash -c "$(declare -p ROOT BASE OWN STATE AS SG_RunId HOST)
    $(declare -f marked end_marked remove_all leave_place)
    SECONDS=$SECONDS
    until ((SECONDS > $SG_TimeoutSeconds - 20)) && kill $$ 2>/dev/null; do
      [[ \$(cut -d ' ' -f 22 /proc/$$/stat 2>/dev/null) == $started ]] || break
      sleep 1
    done
    while [[ \$(cut -d ' ' -f 22 /proc/$$/stat 2>/dev/null) == $started ]]; do sleep 1; done
    SAS_GRID_BENCHMARK=$SAS_GRID_BENCHMARK
    end_marked
    [[ ! -e \$OWN ]] || leave_place
    rm -rf -- \"\$STATE\"" guard </dev/null >/dev/null 2>&1 9>&- &
  GUARD=$!
  disown "$GUARD"
}

# watch_room: ends the program when others fill the file system meanwhile; and shows other runs that somebody is at work here, who may only read.
watch_room() {
  local main=$$ looks=0
  timeout 60 "${AS[@]}" touch -- "$OWN/at-work" 2>/dev/null
  trap 'refuse disk-full "others have filled $SG_Directory meanwhile: less than half of what has to stay free is left"' USR1
  (
    exec 9>&-
    while sleep 2; do
      read -r _ free < <(room)
      [[ -z ${free:-} ]] || ((free >= KEEP_MIB / 2)) || kill -s USR1 "$main"
      ((KEEP_INODES == 0)) || read -r _ left < <(inodes .)
      [[ -z ${left:-} ]] || ((left >= KEEP_INODES / 2)) || kill -s USR1 "$main"
      ((++looks % 15)) || timeout 60 "${AS[@]}" touch -- "$OWN/at-work" 2>/dev/null
    done
  ) </dev/null >/dev/null 2>&1 &
  WATCH=$!
  disown "$WATCH"
}

# sizes: PROCESSES, and FILE_MIB, the size of the file of each. Left to this host, all files together have twice its memory, which no cache of it
# holds; REDUCED says that they have less. SAS's own test writes as much as the memory for each core: for 48 cores with 768 GiB that would be 36 TiB.
sizes() {
  local enough
  PROCESSES=$((SG_Processes > 0 ? SG_Processes : CORES))
  enough=$(((2 * MEMORY_MIB + PROCESSES - 1) / PROCESSES))
  FILE_MIB=$((SG_FileMiB > 0 ? SG_FileMiB : enough))
  ((FILE_MIB > 0)) || bad_parameter 'this host does not tell how much memory it has: FileMiB has to be given'
  REDUCED=false
  ((FILE_MIB >= enough && enough > 0)) || REDUCED=true
}

# tell_setup TEST DATA BLOCK-KIB
tell_setup() {
  record setup "test=$1" "directory=$SG_Directory" "fileSystemType=${TYPE:-}" "device=${DEVICE:-}" "options=${OPTIONS:-}" \
    "processes:=$PROCESSES" "fileMiB:=$FILE_MIB" "blockKiB:=$3" "reduced:=$REDUCED" "data=$2" "cachesDropped:=$DROPPED" "freeMiB:=$FREE"
}

# pause SECONDS: sleeps so that a signal is heard at once.
pause() {
  sleep "$1" 9>&- &
  wait $!
}

# wait_for_start: until StartAt, when all hosts of a wave begin.
wait_for_start() {
  local seconds
  ((SG_StartAt > 0)) || return 0
  seconds=$(awk -v at="$SG_StartAt" -v now="$(now)" 'BEGIN {printf "%.2f", at - now}')
  ((${seconds%.*} <= 900)) || bad_parameter "StartAt is $seconds s from now by this host's clock; at most 900 s are waited for"
  if [[ $seconds == -* ]]; then
    [[ $seconds == -[01].* ]] || note "this host began ${seconds#-} s after the time at which all were to begin"
    return 0
  fi
  pause "$seconds"
}

# drop_caches: what was read or written is not in this host's memory any more. Fails where that cannot be done.
drop_caches() {
  timeout 600 sync -f . 2>/dev/null
  # Pages of Lustre go with their locks.
  [[ ${TYPE:-} != lustre ]] || lctl set_param 'ldlm.namespaces.*.lru_size=clear' >/dev/null 2>&1
  [[ -w $ROOT/proc/sys/vm/drop_caches ]] || return 1
  echo 3 2>/dev/null >"$ROOT/proc/sys/vm/drop_caches"
}

DD_VERSION=$(dd --version 2>&1 | head -n 1)

# "wait" always has the processes that it is to wait for: without them bash 5.2 waited now and then for the guard as well, which waits for it.
# phase NAME PROCESSES FUNCTION: FUNCTION <n>, which is a dd, runs so many times at once.
phase() {
  local name=$1 count=$2 function=$3 n started ended code bytes=0 full='' failed='' pids=()
  times >"$STATE/before"
  started=$(now)
  for ((n = 0; n < count; n++)); do
    {
      "$function" "$n" >"$STATE/$n.out" 2>&1
      echo $? >"$STATE/$n.code"
    } &
    pids+=($!)
  done
  # When one fails, the others need not go on.
  for ((n = 0; n < count; n++)); do
    wait -n
    ! grep -qvx 0 "$STATE"/*.code 2>/dev/null || { end_marked && break; }
  done
  wait "${pids[@]}"
  ended=$(now)
  times >"$STATE/after"
  for ((n = 0; n < count; n++)); do
    code=$(cat "$STATE/$n.code" 2>/dev/null)
    raw "$STATE/$n.out" tool=dd "version=$DD_VERSION" "phase=$name" "process:=$n" "exitCode:=${code:-1}"
    [[ $code == 0 ]] || failed=yes
    ! grep -qE 'No space left on device|Disk quota exceeded|ENOSPC' "$STATE/$n.out" || full=yes
    bytes=$((bytes + $(dd_bytes "$STATE/$n.out")))
  done
  rm -f "$STATE"/*.out "$STATE"/*.code
  [[ -z $full ]] || refuse disk-full "$SG_Directory had no room left during the phase $name"
  [[ -z $failed ]] || give_up "dd failed in the phase $name"
  tell_phase "$name" "$started" "$ended" "$bytes" "$count" "$STATE/before" "$STATE/after"
}

# tell_phase NAME STARTED ENDED BYTES PROCESSES [BEFORE AFTER]: the last two are files with the output of "times", which this shell has to write itself.
tell_phase() {
  local user='' system=''
  [[ -z ${7:-} ]] || read -r user system < <(awk '
    function seconds(text) {split(text, part, /[ms]/); return part[1] * 60 + part[2]}
    FNR == 2 {user = seconds($1) - user; system_time = seconds($2) - system_time}
    END {printf "%.2f %.2f\n", user, system_time}' "$6" "$7")
  record phase "phase=$1" "startedAt:=$2" "endedAt:=$3" "bytes:=$4" "processes:=$5" "userSeconds:=$user" "systemSeconds:=$system"
}

# dd_bytes FILE: prints the bytes that dd says it has copied.
dd_bytes() {
  awk '/^[0-9]+ bytes/ {sum += $1} END {printf "%.0f\n", sum}' "$1"
}
