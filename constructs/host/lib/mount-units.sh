# shellcheck shell=bash
# Mounts as systemd units, so that what needs one can require it.

# write_mount WHAT WHERE TYPE OPTIONS [AFTER]: writes the mount unit and prints its name.
write_mount() {
  local unit
  unit=$(systemd-escape --path --suffix=mount "$2")
  printf '[Unit]\nDescription=%s on %s\nAfter=%s\n\n[Mount]\nWhat=%s\nWhere=%s\nType=%s\nOptions=%s\n' \
    "$1" "$2" "${5:-local-fs-pre.target}" "$1" "$2" "$3" "$4" | write_file "$ROOT/etc/systemd/system/$unit"
  printf '%s\n' "$unit"
}

# mount_unit WHAT WHERE TYPE OPTIONS [AFTER]: mounts by a unit.
mount_unit() {
  local unit
  unit=$(write_mount "$@")
  systemctl daemon-reload
  systemctl start "$unit"
}
