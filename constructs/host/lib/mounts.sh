# shellcheck shell=bash
# Mounts as systemd units, so that what needs one can require it.

# mounted DIRECTORY [TYPE]: whether something, of that type if given, is mounted there.
mounted() {
  awk -v dir="$ROOT$1" -v type="${2:-}" '$2 == dir && (!type || $3 == type) {n++} END {exit !n}' "$ROOT/proc/mounts"
}

# mount_unit WHAT WHERE TYPE OPTIONS [AFTER]: writes the unit when it changed, and mounts.
mount_unit() {
  local unit file
  unit=$(systemd-escape --path --suffix=mount "$2")
  file=$ROOT/etc/systemd/system/$unit
  printf '[Unit]\nDescription=%s on %s\nAfter=%s\n\n[Mount]\nWhat=%s\nWhere=%s\nType=%s\nOptions=%s\n' \
    "$1" "$2" "${5:-local-fs-pre.target}" "$1" "$2" "$3" "$4" | write_file "$file"
  systemctl daemon-reload
  systemctl start "$unit"
}
