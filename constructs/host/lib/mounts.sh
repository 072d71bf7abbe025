# shellcheck shell=bash
# What is mounted.

# mounted DIRECTORY [TYPE]: whether something, of that type if given, is mounted there.
mounted() {
  awk -v dir="$ROOT$1" -v type="${2:-}" '$2 == dir && (!type || $3 == type) {n++} END {exit !n}' "$ROOT/proc/mounts"
}
