#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # the inner shell's; bats sets status and output
# What the health probe sees of the way to its clients, asked of a real kernel. The simulation has it from here
# (proof/simulation/hosts/way.ts).

load helpers

setup() {
  unshare -n ip link add ens6 type veth peer name switch 2>/dev/null || skip 'no network namespaces here'
  make_host
  mkdir -p "$ROOT/export/sas"
  ebs vol0a
  printf 'SLOT=nfs-00\nEPOCH=2\nADDRESS=172.16.4.21\nVOLUMES=vol-0a\n' >"$ROOT/etc/sas-grid/slot.env"
  echo EXPORT_NAME=sas | settings nfs-server
  echo "/dev/x $ROOT/export/sas ext4 rw,noatime 0 0" >"$ROOT/proc/mounts"
  echo '4000.00 1.00' >"$ROOT/proc/uptime"
  # The service itself is well, and the kernel is asked.
  stub timeout 'exit 0'
  rm "$STUBS/ip"
}

# after COMMAND...: what the probe says when the slot's interface was set up, as lib/network.sh does it, and the command
# was run.
after() {
  PROBE=$REPOSITORY/constructs/host/documents/probe.sh run unshare -n bash -ec '
    ip link add ens5 type veth peer name other && ip link set other up && ip link set ens5 up
    ip address add 172.16.4.9/24 dev ens5 && ip route add default via 172.16.4.1 dev ens5
    ip link add ens6 type veth peer name switch && ip link set switch up && ip link set ens6 up
    ip address add 172.16.4.21/24 dev ens6 noprefixroute
    ip route add 172.16.4.0/24 dev ens6 src 172.16.4.21 table 1003
    ip route add default via 172.16.4.1 dev ens6 src 172.16.4.21 table 1003
    ip rule add from 172.16.4.21 table 1003 protocol kernel
    eval "$1"
    bash "$PROBE"' - "$*"
}

says() {
  same "nfs-00 2 $1" "${output% }"
}

ELSEWHERE='fails answers from 172.16.4.21 would leave by dev ens5, not by ens6'

@test "the way as it is set up serves" {
  after :
  says serves
}

@test "routes or the rule that are gone are seen, also when the link was down for a moment" {
  after ip rule del from 172.16.4.21
  says "$ELSEWHERE"
  after ip route flush table 1003
  says "$ELSEWHERE"
  after 'ip link set ens6 down; ip link set ens6 up'
  says "$ELSEWHERE"
}

@test "an address that is gone is seen" {
  after ip address flush dev ens6
  says 'fails no interface has the address 172.16.4.21'
}

@test "a carrier that is lost is not seen: the kernel goes on naming the interface" {
  after 'ip link set switch down; [[ $(ip -o link show ens6) == *NO-CARRIER* ]]'
  says serves
}

@test "packets that are dropped on their way are not seen: the kernel is asked for a route, and sends nothing" {
  type -P nft >/dev/null || skip 'no nft here'
  after 'nft add table ip t; nft "add chain ip t out {type filter hook output priority 0; policy drop;}"'
  says serves
}
