#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status, output and stderr
# What IOZone on one host says for the judge to tell whether hosts ran together, and whether memory answered.

load benchmark

setup_file() {
  assemble
}

setup() {
  bats_require_minimum_version 1.5.0
  make_benchmark_host
  stub iozone '[[ $1 == -v ]] || { sleep 0.3; echo "Children see throughput"; }'
}

@test "it tells from when to when each of its runs took, one after the other" {
  program iozone
  exited 0
  same 'write read' "$(told raw phase | tr '\n' ' ' | sed 's/ $//')"
  told raw startedAt endedAt | awk '{if ($1 < end || $2 < $1 + 0.3) exit 1; end = $2} END {if (NR != 2) exit 1}'
}

@test "it says that caches were dropped only where they are its own" {
  program iozone
  exited 0
  same true "$(told setup cachesDropped)"
  stub ssh 'echo /usr/bin/iozone'
  program iozone Clients=10.0.0.1,10.0.0.2 RemoteShell=ssh
  exited 0
  same false "$(told setup cachesDropped)"
}
