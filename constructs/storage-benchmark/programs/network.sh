#!/bin/bash
# shellcheck disable=SC2034,SC2153,SC2154 # variables of the document and of common/*.sh
# What the network between the hosts of a wave gives: by iperf3, or by LNet's self-test. All of them run this at the
# same time with the same Peers, in which each finds its own address. Each serves; in the first round each sends to the
# next in the list, in the second to the one after that, and so on. With LNet one host after the other drives the rest.
# Stands after common/*.sh in its document.
#
# Exit codes: 0 done; 75 refused; anything else failed.
set -u

# place: prints this host's place in Peers.
place() {
  local own n
  own=" $(metadata local-ipv4) $(hostname -I 2>/dev/null) "
  for n in "${!PEERS[@]}"; do
    [[ $own != *" ${PEERS[n]} "* ]] || { printf '%s' "$n" && return; }
  done
  return 1
}

# at SECONDS: waits until so long after the beginning of all hosts.
at() {
  local seconds
  seconds=$(awk -v at="$((BEGINNING + $1))" -v now="$(now)" 'BEGIN {left = at - now; printf "%.2f", (left > 0 ? left : 0)}')
  pause "$seconds"
}

# serve: one client after the other, as long as the rounds last.
serve() {
  local left
  while left=$((BEGINNING + LENGTH - $(date +%s))) && ((left > 0)); do
    timeout "$left" iperf3 -s -1 -B "${PEERS[SELF]}" -p "$SG_Port" >/dev/null 2>&1 || sleep 0.5
  done
}

# send PEER: the other side may begin a little later.
send() {
  local try code=0
  for try in 1 2 3 4 5; do
    code=0
    timeout $((SG_Seconds + ROUND_MORE - 3)) iperf3 -c "$1" -p "$SG_Port" -t "$SG_Seconds" -P "$SG_Streams" -J --connect-timeout 3000 \
      >"$STATE/out" 2>&1 </dev/null &
    wait $! || code=$?
    if ((try == 5)) || ! grep -qE 'unable to connect|server is busy' "$STATE/out"; then break; fi
    pause 1
  done
  raw "$STATE/out" tool=iperf3 "version=$VERSION" "peer=$1" "exitCode:=$code"
  # It may end with 0 after an error.
  ((code == 0)) && ! grep -q '"error"' "$STATE/out"
}

by_iperf3() {
  local round answered=0 server
  command -v iperf3 >/dev/null || refuse no-tool 'iperf3 is not installed'
  VERSION=$(iperf3 --version 2>/dev/null | head -n 1)
  LENGTH=$(((${#PEERS[@]} - 1) * (SG_Seconds + ROUND_MORE)))
  serve &
  server=$!
  for ((round = 1; round < ${#PEERS[@]}; round++)); do
    at $(((round - 1) * (SG_Seconds + ROUND_MORE)))
    ! send "${PEERS[(SELF + round) % ${#PEERS[@]}]}" || answered=$((answered + 1))
  done
  # Others still send to this host.
  at "$LENGTH"
  wait "$server"
  ((answered > 0)) ||
    refuse unsupported "no other host takes connections on TCP port $SG_Port: let the security groups of the hosts, and their own firewalls, allow it among them"
}

# drive: the hosts but this one are servers, and this one reads from and writes to all of them.
drive() {
  local n code=0 others=()
  for n in "${!PEERS[@]}"; do ((n == SELF)) || others+=("${PEERS[n]}@$SG_LnetNetwork"); done
  export LST_SESSION=$$
  {
    lst new_session --timeout $((SG_Seconds + 60)) sas-grid-benchmark &&
      lst add_group clients "${PEERS[SELF]}@$SG_LnetNetwork" && lst add_group servers "${others[@]}" && lst add_batch bulk &&
      lst add_test --batch bulk --concurrency 8 --distribute "1:${#others[@]}" --from clients --to servers brw write size=1M &&
      lst add_test --batch bulk --concurrency 8 --distribute "1:${#others[@]}" --from clients --to servers brw read size=1M && lst run bulk
  } >"$STATE/lst" 2>&1 </dev/null || code=$?
  if ((code == 0)); then
    timeout "$SG_Seconds" lst stat clients >"$STATE/out" 2>&1 </dev/null &
    wait $! || code=$?
    # It goes on until it is ended.
    ((code != 124)) || code=0
    lst stop bulk >/dev/null 2>&1 </dev/null
  else
    cat "$STATE/lst" >"$STATE/out"
  fi
  lst end_session >/dev/null 2>&1 </dev/null
  raw "$STATE/out" tool=lnet-selftest "peer=$(IFS=, && printf '%s' "${others[*]}")" "exitCode:=$code"
  return "$code"
}

by_lnet() {
  local driven=0
  command -v lst >/dev/null || refuse no-tool 'lst is not installed; it is in the package lustre-client or lustre'
  [[ -e $ROOT/sys/module/lnet_selftest ]] || AT_END='modprobe -r lnet_selftest'
  modprobe lnet_selftest >"$STATE/out" 2>&1 || refuse unsupported "the module lnet_selftest cannot be loaded: $(tail -n 1 "$STATE/out")"
  at $((SELF * (SG_Seconds + ROUND_MORE)))
  drive || driven=$?
  at $((${#PEERS[@]} * (SG_Seconds + ROUND_MORE)))
  ((driven == 0)) || give_up "LNet's self-test failed: $(tail -n 1 "$STATE/lst")"
}

begin
number Seconds 1 3600
number Port 1024 65535
number Streams 1 128
word Mode 'iperf3|lnet' "'iperf3' or 'lnet'"
word LnetNetwork '[a-z0-9]{2,16}' "the name of an LNet network, 'tcp' for example"
word Peers '[0-9A-Fa-f:.]+(,[0-9A-Fa-f:.]+)+' 'the IP addresses of two or more hosts, with commas between'
IFS=, read -ra PEERS <<<"$SG_Peers"
# What a round takes besides its seconds: starting, and clocks that differ.
ROUND_MORE=${SAS_GRID_BENCHMARK_ROUND:-15}
SELF=$(place) || bad_parameter "none of the addresses $SG_Peers is this host's"
start_guard
wait_for_start
BEGINNING=$((SG_StartAt > 0 ? SG_StartAt : $(date +%s)))
if [[ $SG_Mode == lnet ]]; then by_lnet; else by_iperf3; fi
record 'done'
