# shellcheck shell=bash disable=SC2034
# systemd-networkd, with what images and tools bring: a file for all interfaces (Amazon Linux, Debian), one for this
# (netplan, amazon-ec2-net-utils).

NETWORKD=/lib/systemd/systemd-networkd
ALL=$'[Match]\nName=ens*\n[Network]\nDHCP=ipv4\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n'
AFTERWARDS=(reload reconfigure_first restart netplan_writes net_utils_writes)

start() {
  printf '%s' "$ALL" >/etc/systemd/network/80-ec2.network
  begin
}

begin() {
  mkdir -p /run/systemd/netif/{links,leases,lldp} /run/systemd/network
  chown -R systemd-network:systemd-network /run/systemd/netif
  "$NETWORKD" >>"$TMPDIR/networkd" 2>&1 &
  networkd=$!
  until_is settled ens5
}

settled() {
  [[ $(networkctl --no-legend list "$1" 2>/dev/null) == *configured* ]]
}

reload() {
  networkctl reload
  until_is settled ens5
}

restart() {
  kill "$networkd"
  wait "$networkd" || true
  begin
}

reconfigure_first() {
  networkctl reconfigure ens5
  until_is settled ens5
}

netplan_writes() {
  printf '%s' "${ALL/ens\*/ens6}" >/run/systemd/network/10-netplan-ens6.network
  reload
}

net_utils_writes() {
  printf '%s[RoutingPolicyRule]\nFrom=%s\nPriority=10001\nTable=10001\n[Route]\nTable=10001\nGateway=_dhcp4\n' \
    "${ALL/ens\*/ens6}" "$ADDRESS" \
    >/run/systemd/network/70-ens6.network
  reload
  restart
}
