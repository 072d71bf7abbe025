# shellcheck shell=bash
# Messages with a tag, and the exit codes that all scripts share.

shopt -s inherit_errexit
# What tools say is read, and disks have an order.
export LC_ALL=C.UTF-8

# Everything lies under another root in tests.
ROOT=${SAS_GRID_ROOT:-}
TAG=${0##*/}

# shellcheck disable=SC2034 # the scripts that source this file use them
readonly EXIT_ERROR=1 EXIT_OLD_EPOCH=3 EXIT_REFUSED=4 EXIT_USAGE=64 EXIT_NOT_YET=75

# What was said last is in SAID.
# shellcheck disable=SC2034
log() {
  SAID=$*
  printf '%s: %s\n' "$TAG" "$*" >&2
  [[ ! -S $ROOT/dev/log ]] || logger -t "$TAG" -- "$*" || true
}

# die CODE MESSAGE...
die() {
  local code=$1
  shift
  log "$*"
  exit "$code"
}

# A tool's exit code must not be taken for one of ours.
set -E
trap 'log "failed ($?): $BASH_COMMAND"; exit "$EXIT_ERROR"' ERR

# The comment block under the shebang is the help text.
show_help() {
  sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p;}' "$0"
}
