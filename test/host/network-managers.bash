#!/bin/bash
# network-managers.bash MANAGER: a host with two interfaces in one subnet, as a storage server has them, in namespaces
# of its own, with the real MANAGER. Puts the slot's address on the second interface with the host's own software, and
# does to it what happens on EC2. Prints a line after each, how an answer of the slot would leave.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
export SAS_GRID_ROOT=$TMPDIR/root SAS_GRID_POLL=0.2
ROOT=$SAS_GRID_ROOT
ADDRESS=172.16.4.21
ETH0=02:00:00:00:00:20 ETH1=02:00:00:00:00:21

trap 'jobs -p | xargs -r kill 2>/dev/null' EXIT

# until_is COMMAND...: a machine at work may take long.
until_is() {
  local end=$((SECONDS + 600))
  until "$@"; do
    ((SECONDS < end)) || { echo "never: $*" >&2 && exit 1; }
    sleep 0.1
  done
}

# Another host of the subnet, which is also EC2's router and DHCP server.
make_subnet() {
  mount -t tmpfs tmpfs /run
  mkdir -p /run/dbus /run/netns
  ip netns add router
  ip -n router link add br0 type bridge
  local device
  for device in ens5 ens6; do
    ip link add "$device" type veth peer name "to-$device" netns router
    ip -n router link set "to-$device" master br0 up
  done
  ip link set lo up
  ip link set ens5 address "$ETH0"
  ip link set ens6 address "$ETH1"
  ip -n router address add 172.16.4.1/24 dev br0
  ip -n router link set br0 up
  ip netns exec router python3 "$here/../../proof/lab/sas_grid_lab/dhcp_server.py" br0 20 172.16.4.1 \
    "$ETH0=172.16.4.20" "$ETH1=$ADDRESS" >"$TMPDIR/dhcp" &
  until_is grep -q ready "$TMPDIR/dhcp"
  # As in a container: networkd waits for no udev. After 'ip netns', which mounts one that can be written to.
  mount -t sysfs -o ro sysfs /sys
}

make_host() {
  mkdir -p "$ROOT/etc/systemd/network" "$ROOT/etc/NetworkManager/conf.d" "$TMPDIR/bin"
  cp /etc/os-release "$ROOT/etc/os-release"
  ln -s /sys "$ROOT/sys"
  ln -s /proc "$ROOT/proc"
  # Whatever the managers would write of this machine, its resolv.conf for example, they cannot.
  mount --bind /etc /etc
  mount -o remount,bind,ro /etc
  [[ ! -d /var/lib/NetworkManager ]] || mount -t tmpfs tmpfs /var/lib/NetworkManager
  mount --bind "$ROOT/etc/systemd" /etc/systemd
  [[ ! -d /etc/NetworkManager ]] || mount --bind "$ROOT/etc/NetworkManager" /etc/NetworkManager
  # The metadata service.
  # shellcheck disable=SC2016 # the stub's
  printf '#!/bin/bash\ncase ${*: -1} in\n*/local-ipv4s) [[ $* != *%s* ]] || echo %s ;;\n%s\nesac\n' \
    "$ETH1" "$ADDRESS" '*/subnet-ipv4-cidr-block) echo 172.16.4.0/24 ;;' >"$TMPDIR/bin/curl"
  chmod +x "$TMPDIR/bin/curl"
  PATH=$TMPDIR/bin:$PATH
  dbus-daemon --system --nofork --nopidfile >"$TMPDIR/dbus" 2>&1 &
  until_is test -S /run/dbus/system_bus_socket
}

has_addresses() {
  [[ $(ip -4 -o address show dev ens5) == *172.16.4.20/* && $(ip -4 -o address show dev ens6) == *$ADDRESS/* ]]
}

# way WHEN: by what an answer leaves to a client far away, and to one beside it, and what that one gets.
way() {
  local far near
  far=$(for client in 192.0.2.1 172.16.4.1; do
    ip -o route get "$client" from "$ADDRESS" 2>&1 | grep -o 'dev [a-z0-9]*' || echo none
  done | sort -u | paste -sd'|')
  near=none
  # shellcheck disable=SC2016 # the inner shell's
  ! ip netns exec router timeout 20 bash -c ': </dev/tcp/$0/2049' "$ADDRESS" 2>/dev/null || near=answered
  printf '%s: %s, %s\n' "$1" "$far" "$near"
}

# shellcheck disable=SC2034 # the host's software reads them
configure() {
  local EXIT_NOT_YET=75 LIB=$here/../../constructs/host/lib
  # The host's own software.
  # shellcheck source=/dev/null
  for part in log wait distro settings network; do source "$LIB/$part.sh"; done
  SAS_GRID_WAIT=600
  configure_interface "$ADDRESS" "$(slot_interface "$ADDRESS")"
}

listening() {
  [[ -n $(ss -Hltn src "$ADDRESS") ]]
}

carrier() {
  [[ $(cat /sys/class/net/ens6/carrier 2>/dev/null) == "$1" ]]
}

lose_carrier() {
  ip -n router link set to-ens6 down
  until_is carrier 0
  # Longer than a manager waits before it gives up what depends on the carrier.
  sleep 10
  ip -n router link set to-ens6 up
  until_is carrier 1
}

renewed() {
  (($(grep -c "$ETH0 3" "$TMPDIR/dhcp") > $1))
}

# The lease of the first interface is renewed, twice.
outlast_lease() {
  local known
  known=$(grep -c "$ETH0 3" "$TMPDIR/dhcp")
  until_is renewed $((known + 1))
}

# What RHEL's nm-cloud-setup puts before the rules of others as soon as EC2 tells of a second interface (its main.c):
# the first interface is in main, and has the same subnet.
cloud_setup() {
  ip rule add priority 30350 table main suppress_prefixlength 0
}

make_subnet
make_host
# shellcheck source=/dev/null
source "$here/network-managers/$1.bash"
start
until_is has_addresses
way 'managed'
configure
python3 -m http.server 2049 --bind "$ADDRESS" >/dev/null 2>&1 &
until_is listening
way 'configured'
lose_carrier
way 'carrier lost for 10 s'
outlast_lease
way 'leases renewed'
cloud_setup
way 'main asked first'
for what in "${AFTERWARDS[@]}"; do
  "$what"
  until_is has_addresses
  way "$what"
done
