bats_require_minimum_version 1.5.0
# The slot's interface beside the real network managers: whatever happens to them, answers leave by it.

load helpers

# beside MANAGER PROGRAM...: skipped where the programs, or the right to make namespaces, are missing.
beside() {
  local program
  for program in "${@:2}" dbus-daemon ip ss python3; do
    type -P "$program" >/dev/null || skip "no $program here"
  done
  # Where the kernel cannot, as in some containers.
  unshare -mn --propagation private bash -ec '
    mount -t sysfs -o ro sysfs /sys && mount --bind /etc /etc && mount -t tmpfs tmpfs /run
    mkdir /run/netns && ip netns add other && ip link add here type veth peer name there netns other
    ip link set here up && ip -n other link set there up && [[ $(</sys/class/net/here/carrier) == 1 ]]' 2>/dev/null ||
    skip 'no network namespaces here'
  TMPDIR=$BATS_TEST_TMPDIR run --separate-stderr unshare -mn --propagation private \
    bash "$BATS_TEST_DIRNAME/network-managers.bash" "$1"
  printf '%s\n' "$output" "$stderr"
  exited 0
  # Each line after the first, which is before anything was configured.
  [[ $(tail -n +2 <<<"$output" | grep -c ': ') -ge 6 ]]
  same '' "$(tail -n +2 <<<"$output" | grep ': ' | grep -v ': dev ens6, answered$' || true)"
}

@test "systemd-networkd: carrier loss, leases, reload, restart, first interface anew, netplan, amazon-ec2-net-utils" {
  beside networkd /lib/systemd/systemd-networkd networkctl
}

@test "NetworkManager: carrier loss, leases, reload, restart, the first interface anew" {
  beside network-manager NetworkManager nmcli
}
