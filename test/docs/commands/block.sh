# shellcheck shell=bash
# Runs one block of commands in what the blocks before it have left, and leaves the same for the next one.
# Usage: bash block.sh STATE BLOCK FAILED: the file with variables and functions, that with the commands, and that which
# gets a line for each command that failed.

# Variables that bash itself owns cannot be set, which is no matter.
# shellcheck disable=SC1090
[[ ! -f $1 ]] || source "$1" 2>/dev/null
STATE=$1 BLOCK=$2 FAILED=$3
set --

on_exit() {
  trap - ERR EXIT
  {
    declare -p
    declare -f
  } >"$STATE.new" && mv "$STATE.new" "$STATE"
}
on_error() {
  local code=$?
  printf '%s: %s\n' "$code" "${BASH_COMMAND%%$'\n'*}" >>"$FAILED"
}
trap on_exit EXIT
trap on_error ERR
set -E -o pipefail
# shellcheck disable=SC1090
source "$BLOCK"
