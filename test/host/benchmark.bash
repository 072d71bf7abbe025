# shellcheck shell=bash disable=SC2034,SC2154
# Programs of the benchmark, as their documents have them: they really write, read and measure, below another root.

load helpers

# assemble: the documents as scripts, once for a file of tests.
assemble() {
  "$BATS_TEST_DIRNAME/../../node_modules/.bin/tsx" "$BATS_TEST_DIRNAME/benchmark-documents.ts" \
    "$BATS_FILE_TMPDIR" 2>/dev/null
}

# make_benchmark_host: a host with /saswork, whose kernel tells little and whose memory is small.
make_benchmark_host() {
  export SAS_GRID_ROOT=$BATS_TEST_TMPDIR/root STUBS=$BATS_TEST_TMPDIR/stubs CALLS=$BATS_TEST_TMPDIR/calls
  export SAS_GRID_BENCHMARK_LOOK=0.2
  ROOT=$SAS_GRID_ROOT
  # Programs look for processes of their run on all of this machine: another run of these tests at the same time is none
  # of it.
  export RUN=test-$$-${EPOCHREALTIME/[!0-9]/-}
  mkdir -p "$ROOT"/{saswork,etc,run,proc/sys/vm,dev} "$STUBS"
  : >"$CALLS"
  printf 'MemTotal: 16384 kB\n' >"$ROOT/proc/meminfo"
  printf 'processor : 0\nprocessor : 1\n' >"$ROOT/proc/cpuinfo"
  printf 'PRETTY_NAME="Test Linux 9"\n' >"$ROOT/etc/os-release"
  echo "/dev/md0 $ROOT/saswork xfs rw,noatime 0 0" >"$ROOT/proc/mounts"
  : >"$ROOT/proc/sys/vm/drop_caches"
  PATH=$STUBS:$PATH
  metadata_of i-0123456789abcdef0
  stub lscpu 'printf "# CORE,SOCKET\n0,0\n1,0\n"'
}

# metadata_of INSTANCE [ADDRESS]: what the metadata service says.
metadata_of() {
  stub curl "case \$* in */api/token*) echo token ;; */instance-id) echo $1 ;; */instance-type) echo m7i.large ;;
    */local-ipv4) echo ${2:-10.0.0.1} ;; *) exit 22 ;; esac"
}

# script NAME [PARAMETER=VALUE]...: prints the path of the document's script with these parameters.
script() {
  local name=$1 file key value assignment
  file=$BATS_TEST_TMPDIR/$name-$RANDOM.sh
  cp "$BATS_FILE_TMPDIR/$name.sh" "$file"
  shift
  declare -A values=()
  while IFS='=' read -r key value; do values[$key]=$value; done <"$BATS_FILE_TMPDIR/$(basename "${file%-*}").defaults"
  values[RunId]=$RUN
  [[ ! -v values[Directory] ]] || values[Directory]=/saswork
  [[ ! -v values[BusyMBps] ]] || values[BusyMBps]=0
  [[ ! -v values[FileMiB] ]] || values[FileMiB]=1
  for assignment; do values[${assignment%%=*}]=${assignment#*=}; done
  for key in "${!values[@]}"; do
    value=${values[$key]//&/\\&}
    sed -i "s|^SG_$key='{{ $key }}'\$|SG_$key='${value//|/\\|}'|" "$file"
  done
  printf '%s\n' "$file"
}

# program NAME [PARAMETER=VALUE]...: runs it to its end.
program() {
  local file
  file=$(script "$@")
  run --separate-stderr timeout 120 bash "$file"
}

# told KIND [FIELD]...: of each record of a kind in the output, these fields with spaces between.
told() {
  local kind=$1
  shift
  printf '%s\n' "$output" | sed -n 's/^##sas-grid-benchmark //p' | node -e '
    const [kind, ...fields] = process.argv.slice(1);
    for (const line of require("node:fs").readFileSync(0, "utf8").trimEnd().split("\n").filter(Boolean)) {
      const record = JSON.parse(line);
      if (record.kind === kind) console.log(fields.map((field) => record[field]).join(" "));
    }' "$kind" "$@"
}

# refused REASON [TEXT]: the program refused for that reason, left nothing, and said why.
refused() {
  exited 75
  same "$1" "$(told refused reason)"
  [[ $(told refused text) == *"${2:-}"* ]] || {
    told refused text >&2
    return 1
  }
  nothing_left
}

# nothing_left: of the run, in its directory, in /run and, a moment later, among the processes: the guard sees the end
# and goes.
nothing_left() {
  local left n
  left=$(find "$ROOT/saswork" -mindepth 1 ! -path '*/saswork/other*')$(find "$ROOT/run" -name 'benchmark-*')
  # Where a condition calls this, the first difference would be forgotten.
  same '' "$left" || return
  for ((n = 0; n < 50; n++)); do
    left=$(grep -lz "^SAS_GRID_BENCHMARK=$RUN/" /proc/[0-9]*/environ 2>/dev/null || true)
    [[ -n $left ]] || return 0
    sleep 0.1
  done
  same '' "$left"
}

# within SECONDS COMMAND...: until it succeeds.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || {
      printf 'not within its time: %s\n' "$*" >&2
      return 1
    }
    sleep 0.1
  done
}
