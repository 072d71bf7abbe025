# shellcheck shell=bash
# Waiting with a bound.

# wait_until SECONDS COMMAND...: repeats the command until it succeeds; fails when the time is up.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep "${SAS_GRID_POLL:-1}"
  done
}
