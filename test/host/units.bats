#!/usr/bin/env bats
# shellcheck disable=SC2013,SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# The systemd units.

load helpers

@test "systemd accepts the units" {
  type systemd-analyze >/dev/null 2>&1 || skip 'systemd-analyze is not installed'
  root=$BATS_TEST_TMPDIR/root
  mkdir -p "$root/etc/systemd/system" "$root/opt/cdk-sas-grid"
  cp -r "$BIN" "$root/opt/cdk-sas-grid/"
  cp "$REPOSITORY"/constructs/host/systemd/* "$root/etc/systemd/system/"
  for unit in "$root"/etc/systemd/system/*; do
    # Its exit code is 0 even when it complains.
    found=$(cd "$root/etc/systemd/system" && SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --man=no --root="$root" "${unit##*/}" 2>&1 |
      grep -v -E 'Unit [a-z-]+\.(target|service|slice) not found|network-online.target|Failed to (load|add)|systemd-udev-settle' || true)
    same '' "$found"
  done
}

@test "every unit's program is in the repository" {
  for program in $(sed -n 's,^ExecStart=/opt/cdk-sas-grid/bin/\([^ ]*\).*,\1,p' "$REPOSITORY"/constructs/host/systemd/*); do
    [[ -x $BIN/$program ]]
  done
}

@test "every script says what it does and has all the commands it sources" {
  for script in "$BIN"/*; do
    run "$script" --help
    exited 0
    [[ $output == Usage:* ]]
  done
}
