# shellcheck shell=bash
# The slot's network interface: found by its address, configured so that answers leave by it.

# slot_interface ADDRESS: prints the MAC address of the interface that EC2 gave the address; fails when none has it.
slot_interface() {
  local file mac
  for file in "$ROOT"/sys/class/net/*/address; do
    mac=$(<"$file")
    metadata "network/interfaces/macs/$mac/local-ipv4s" 2>/dev/null | grep -xF "$1" >/dev/null || continue
    echo "$mac"
    return
  done
  return 1
}

# device_of MAC: prints the kernel's name of an interface.
device_of() {
  grep -lxF "$1" "$ROOT"/sys/class/net/*/address | sed 's,/address$,,; s,.*/,,; q'
}

# configure_interface ADDRESS MAC: prints the device. A second interface in the same subnet needs its own routing table,
# and must not answer for the first one's address.
configure_interface() {
  local device cidr gateway table network
  device=$(device_of "$2")
  cidr=$(metadata "network/interfaces/macs/$2/subnet-ipv4-cidr-block")
  network=${cidr##*.}
  # EC2's router has the subnet's second address.
  gateway=${cidr%.*}.$((${network%/*} + 1))
  table=$((1000 + $(<"$ROOT/sys/class/net/$device/ifindex")))
  # NetworkManager, and systemd-networkd with netplan, cloud-init or amazon-ec2-net-utils, let go of the interface now
  # and whenever they read their files. Of those that match, networkd takes the first by name.
  changed "$ROOT/etc/NetworkManager/conf.d/sas-grid.conf" <<<$'[keyfile]\nunmanaged-devices=mac:'"$2" || :
  changed "$ROOT/etc/systemd/network/00-sas-grid.network" <<<$'[Match]\nMACAddress='"$2"$'\n[Link]\nUnmanaged=yes' || :
  networkctl reload &>/dev/null || :
  # It takes a moment to let go.
  ! nmcli device set "$device" managed no &>/dev/null || sleep "${SAS_GRID_POLL:-2}"
  sysctl -qw "net.ipv4.conf.$device.rp_filter=2"
  # EC2 gives its jumbo frames by DHCP only ("Network maximum transmission unit (MTU) for your EC2 instance").
  ip link set "$device" mtu 9001 up
  # What is there stays, for clients may be connected, but not as a lease that nobody renews.
  [[ -n $(ip -4 address show dev "$device" to "$1") ]] || ip address flush dev "$device"
  ip address replace "$1/${cidr#*/}" dev "$device" noprefixroute
  ip route replace "$cidr" dev "$device" src "$1" table "$table"
  ip route replace default via "$gateway" dev "$device" src "$1" table "$table"
  if [[ -z $(ip rule show from "$1" table "$table") ]]; then
    # One that is left from an earlier attachment points to another table, and LNet (where there is one) is bound to a
    # device that is gone.
    [[ -z $(ip rule show from "$1") ]] || unbind_lnet 2>/dev/null || :
    ip rule del from "$1" &>/dev/null || :
    # Kernels' own rules are not networkd's to take away, whichever interface it configures and whatever it has read of
    # its settings. RHEL's nm-cloud-setup has main asked before rules that name no priority, and there the subnet is the
    # first interface's.
    ip rule add from "$1" table "$table" protocol kernel priority 1000
  fi
  echo "$device"
}
