#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status, output and stderr
# What goes before and after the tests of a run: tools are installed, what was left is removed.

load benchmark

setup_file() {
  assemble
}

setup() {
  bats_require_minimum_version 1.5.0
  make_benchmark_host
  SELF=i-0123456789abcdef0
}

# left RUN HOST: a file of that run and host.
left() {
  mkdir -p "$ROOT/saswork/.sas-grid-benchmark/$1/$2"
  : >"$ROOT/saswork/.sas-grid-benchmark/$1/$2/0"
}

@test "only what this run left on this host is removed" {
  left "$RUN" "$SELF"
  left "$RUN" i-0999999999
  left other-run "$SELF"
  mkdir -p "$ROOT/run/sas-grid/benchmark-$RUN" "$ROOT/run/sas-grid/benchmark-other-run"
  program clean-up Directories=/saswork
  exited 0
  same $'./other-run/i-0123456789abcdef0/0\n./'"$RUN/i-0999999999/0" \
    "$(cd "$ROOT/saswork/.sas-grid-benchmark" && find . -type f | sort)"
  same benchmark-other-run "$(ls "$ROOT/run/sas-grid")"
}

@test "what is in somebody else's directory is left as it is" {
  ((EUID == 0)) || skip 'needs root'
  left "$RUN" "$SELF"
  chown 12345 "$ROOT/saswork/.sas-grid-benchmark"
  program clean-up Directories=/saswork
  exited 1
  [[ $output == *'/saswork/.sas-grid-benchmark belongs to somebody else than root: it was left as it is'* ]]
  [[ -e $ROOT/saswork/.sas-grid-benchmark/$RUN/$SELF/0 ]]
  same .sas-grid-benchmark "$(ls -A "$ROOT/saswork")"
}

@test "what all hosts of a run left goes only when that is asked for, and never another run's" {
  left "$RUN" i-0999999999
  left other-run i-0999999999
  program clean-up Directories=/saswork
  exited 0
  [[ -e $ROOT/saswork/.sas-grid-benchmark/$RUN/i-0999999999/0 ]]
  program clean-up Directories=/saswork All=yes
  exited 0
  same other-run "$(ls "$ROOT/saswork/.sas-grid-benchmark")"
}

@test "empty directories above go as well; other files do not" {
  left "$RUN" "$SELF"
  : >"$ROOT/saswork/other"
  program clean-up Directories=/saswork
  exited 0
  same other "$(ls -A "$ROOT/saswork")"
  # Again, and where there was nothing.
  program clean-up Directories=/saswork
  exited 0
  program clean-up
  exited 0
}

@test "each of several directories is cleaned, also when one is not there" {
  left "$RUN" "$SELF"
  mkdir -p "$ROOT/utilloc/.sas-grid-benchmark/$RUN/$SELF"
  program clean-up Directories=/saswork,/nowhere,/utilloc
  exited 1
  [[ $(told note text) == *'/nowhere is not there'* ]]
  [[ ! -e $ROOT/saswork/.sas-grid-benchmark && ! -e $ROOT/utilloc/.sas-grid-benchmark ]]
}

@test "processes of this run on this host are ended, others are not" {
  SAS_GRID_BENCHMARK=$RUN/$SELF sleep 60 3>&- &
  ours=$!
  SAS_GRID_BENCHMARK=$RUN/i-0999999999 sleep 60 3>&- &
  others=$!
  SAS_GRID_BENCHMARK=$RUN-2/$SELF sleep 60 3>&- &
  others+=" $!"
  program clean-up
  exited 0
  code=0
  wait "$ours" || code=$?
  same 143 "$code"
  # shellcheck disable=SC2086
  kill $others
}

@test "a link in the place of its directory is not followed" {
  mkdir -p "$BATS_TEST_TMPDIR/elsewhere/$RUN/$SELF"
  ln -s "$BATS_TEST_TMPDIR/elsewhere" "$ROOT/saswork/.sas-grid-benchmark"
  program clean-up Directories=/saswork
  exited 1
  [[ -d $BATS_TEST_TMPDIR/elsewhere/$RUN/$SELF ]]
  rm "$ROOT/saswork/.sas-grid-benchmark"
  mkdir "$ROOT/saswork/.sas-grid-benchmark"
  ln -s "$BATS_TEST_TMPDIR/elsewhere/$RUN" "$ROOT/saswork/.sas-grid-benchmark/$RUN"
  program clean-up Directories=/saswork
  exited 1
  [[ -d $BATS_TEST_TMPDIR/elsewhere/$RUN/$SELF ]]
}

@test "wrong parameters are named, and nothing is removed" {
  left "$RUN" "$SELF"
  for parameter in RunId=. "RunId=$RUN/.." 'Directories=/saswork,' Directories=saswork 'Directories=/saswork /' \
    Directories=/saswork/../saswork All=maybe; do
    program clean-up "$parameter"
    exited 64
    [[ $stderr == *"${parameter%%=*}"* ]]
  done
  [[ -e $ROOT/saswork/.sas-grid-benchmark/$RUN/$SELF/0 ]]
}

# without_tools: the search path has little of the system, since this machine may have the tools that are asked for.
without_tools() {
  local tool
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  for tool in awk bash basename cat chmod date env grep head lscpu mktemp rm sed sleep stat sort tail timeout tr \
    uname wc; do
    ln -sf "$(command -v "$tool")" "$BATS_TEST_TMPDIR/bin/$tool"
  done
  PATH=$STUBS:$BATS_TEST_TMPDIR/bin
}

# install TOOLS: in place of "program", whose own tools are not on that path.
install() {
  local file path=$PATH
  file=$(script install "Tools=$1")
  without_tools
  run --separate-stderr bash "$file"
  PATH=$path
}

@test "tools that are there are told, the others installed with the host's own package manager" {
  stub fio 'echo fio-3.35'
  stub dnf 'case $* in *iperf3*) printf "#!/bin/bash\necho iperf 3.9\n" >"$STUBS/iperf3"; chmod +x "$STUBS/iperf3" ;;
    *) exit 1 ;; esac'
  install fio,iperf3
  exited 0
  same $'fio: fio-3.35\niperf3: iperf 3.9' "$(told note text | grep -v memory)"
  same 'dnf -q -y install iperf3' "$(calls dnf)"
  stub dnf 'exit 1'
  install fio,iperf3
  exited 0
  same '' "$(calls dnf | grep -v iperf3)"
}

@test "what cannot be installed is named" {
  stub apt-get '[[ $* != *install* ]] || { echo "E: Unable to locate package ${*: -1}"; exit 100; }'
  install iozone
  exited 75
  same no-tool "$(told refused reason)"
  [[ $(told note text) == *'E: Unable to locate package iozone3'* ]]
  [[ $(calls 'apt-get -o DPkg::Lock::Timeout=300') == *install* ]]
  rm "$STUBS/apt-get"
  install fio
  exited 75
  [[ $(told note text) == *'none of dnf, yum and apt-get'* ]]
  install ''
  exited 0
}
