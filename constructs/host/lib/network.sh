# shellcheck shell=bash
# The slot's network interface: found by its address, configured so that answers leave by it.

# slot_interface ADDRESS: prints the MAC address of the interface that EC2 gave the address; fails when none has it.
slot_interface() {
  local file mac addresses
  for file in "$ROOT"/sys/class/net/*/address; do
    mac=$(<"$file")
    [[ $mac != 00:00:00:00:00:00 ]] || continue
    addresses=$(metadata "network/interfaces/macs/$mac/local-ipv4s" 2>/dev/null) || continue
    [[ " ${addresses//$'\n'/ } " == *" $1 "* ]] || continue
    printf '%s\n' "$mac"
    return
  done
  return 1
}

# device_of MAC: prints the kernel's name of an interface.
device_of() {
  local file
  file=$(grep -lxF "$1" "$ROOT"/sys/class/net/*/address | head -n 1)
  file=${file%/address}
  printf '%s\n' "${file##*/}"
}

# leave_alone DEVICE MAC: NetworkManager and systemd-networkd must not undo what is configured here, now or when they restart.
leave_alone() {
  changed "$ROOT/etc/NetworkManager/conf.d/90-sas-grid.conf" <<<$'[keyfile]\nunmanaged-devices=mac:'"$2" || :
  changed "$ROOT/etc/systemd/networkd.conf.d/90-sas-grid.conf" <<<$'[Network]\nManageForeignRoutes=no\nManageForeignRoutingPolicyRules=no' || :
  # It takes a moment to let go.
  ! nmcli device set "$1" managed no >/dev/null 2>&1 || sleep "${SAS_GRID_POLL:-2}"
}

# configure_interface ADDRESS MAC: prints the device. A second interface in the same subnet needs its own routing table,
# and must not answer for the first one's address.
configure_interface() {
  local device cidr gateway table octets network
  device=$(device_of "$2")
  cidr=$(metadata "network/interfaces/macs/$2/subnet-ipv4-cidr-block")
  network=${cidr%/*}
  IFS=. read -ra octets <<<"$network"
  # EC2's router has the subnet's second address.
  gateway=${octets[0]}.${octets[1]}.${octets[2]}.$((octets[3] + 1))
  table=$((1000 + $(<"$ROOT/sys/class/net/$device/ifindex")))
  leave_alone "$device" "$2"
  sysctl -q -w "net.ipv4.conf.$device.rp_filter=2"
  # EC2 gives its jumbo frames by DHCP only ("Network maximum transmission unit (MTU) for your EC2 instance").
  ip link set dev "$device" mtu 9001 up
  # What is there stays, for clients may be connected, but not as a lease that nobody renews.
  [[ -n $(ip -4 address show dev "$device" to "$1") ]] || ip address flush dev "$device"
  ip address replace "$1/${cidr#*/}" dev "$device" noprefixroute
  ip route replace "$cidr" dev "$device" src "$1" table "$table"
  ip route replace default via "$gateway" dev "$device" src "$1" table "$table"
  if [[ -z $(ip rule show from "$1" table "$table") ]]; then
    # One that is left from an earlier attachment points to another table, and LNet (where there is one) is bound to a device that is gone.
    [[ -z $(ip rule show from "$1") ]] || unbind_lnet 2>/dev/null || true
    ip rule del from "$1" >/dev/null 2>&1 || true
    ip rule add from "$1" table "$table"
  fi
  printf '%s\n' "$device"
}
