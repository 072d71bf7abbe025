#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# The health probe of an NFS server: one that hangs, one that only has too much to do, and one that knows no slot any
# more.

load helpers

setup() {
  make_host
  address_on_eth1
  COUNTERS=$ROOT/proc/net/rpc/nfsd
  mkdir -p "$ROOT/export/sas" "${COUNTERS%/*}"
  ebs vol0a
  printf 'SLOT=nfs-00\nEPOCH=2\nADDRESS=172.16.4.21\nVOLUMES=vol-0a\n' >"$ROOT/etc/sas-grid/slot.env"
  echo EXPORT_NAME=sas | settings nfs-server
  echo "/dev/x $ROOT/export/sas ext4 rw,noatime 0 0" >"$ROOT/proc/mounts"
  echo '4000.00 1.00' >"$ROOT/proc/uptime"
  counted 1000
  # What happens while the null call waits, and how that ends.
  stub timeout '[[ -z ${LATER:-} ]] || sed -i "s/^rpc .*/rpc $LATER 0 0 0 0/" "$SAS_GRID_ROOT/proc/net/rpc/nfsd";
    exit "${ENDS-124}"'
}

# counted CALLS: /proc/net/rpc/nfsd, of which the word rpc and the number after it are used.
counted() {
  printf '%s\n' 'rc 0 0 1234' 'io 5 6' 'th 16 0' 'net 9999 0 9999 12' "rpc $1 0 0 0 0" 'proc4 2 1 99' >"$COUNTERS"
}

probe() {
  run bash "$REPOSITORY/constructs/host/documents/probe.sh"
}

@test "nfsd that answers serves, whatever it counts" {
  ENDS=0 LATER=1001 probe
  exited 0
  same 'nfs-00 2 serves' "${output% }"
}

@test "a slot whose answers would leave by another interface, or whose address is gone, is not served" {
  ENDS=0 WAY=eth0 probe
  exited 20
  same 'nfs-00 2 fails answers from 172.16.4.21 would leave by dev eth0, not by eth1' "${output% }"
  stub ip
  ENDS=0 probe
  exited 20
  same 'nfs-00 2 fails no interface has the address 172.16.4.21' "${output% }"
}

@test "a slot whose disk the kernel has dropped is not served, though it is mounted" {
  rm "$ROOT"/dev/disk/by-id/*vol0a
  ENDS=0 probe
  exited 20
  same 'nfs-00 2 fails the disk of vol-0a is gone' "${output% }"
}

@test "nfsd that does not answer in time, but takes up other calls, is busy and not broken" {
  LATER=1002 probe
  exited 75
  same 'nfs-00 2 unsure nfsd is busy: no answer on 172.16.4.21 in 10 s, but it took up 2 calls' "${output% }"
}

@test "nfsd that takes up nothing, or the probe's own call only, fails" {
  for later in '' 1000 1001; do
    LATER=$later probe
    exited 20
    same 'nfs-00 2 fails nfsd does not answer on 172.16.4.21' "${output% }"
    counted 1000
  done
}

@test "nfsd that refuses the connection, or answers with an error, fails, however much it counts" {
  ENDS=1 LATER=5000 probe
  exited 20
}

@test "the kernel's counter begins anew after 32 bits" {
  counted 4294967295
  LATER=0 probe
  exited 20
  counted 4294967290
  LATER=4 probe
  exited 75
  [[ $output == *'took up 10 calls'* ]]
}

@test "without a counter nfsd that does not answer fails" {
  rm "$COUNTERS"
  probe
  exited 20
  echo 'net 1 0 1 1' >"$COUNTERS"
  probe
  exited 20
}

@test "an ext4 that has met an error and goes on being called rw fails; one that counts none is not asked to write" {
  mkdir -p "$ROOT/sys/fs/ext4/x"
  stub sync 'exit 1'
  echo 0 >"$ROOT/sys/fs/ext4/x/errors_count"
  ENDS=0 probe
  exited 0
  same '' "$(calls sync)"
  echo 1 >"$ROOT/sys/fs/ext4/x/errors_count"
  ENDS=0 probe
  exited 20
  same 'nfs-00 2 fails /export/sas has become read-only after an error' "${output% }"
  stub sync
  ENDS=0 probe
  exited 0
}

@test "a host that knows no slot fails when it has been up for long, and may still be told one just after its start" {
  rm "$ROOT/etc/sas-grid/slot.env"
  ENDS=0 probe
  exited 20
  same '- 0 fails this host knows no slot: its root volume may have been replaced' "${output% }"
  echo '899.00 1.00' >"$ROOT/proc/uptime"
  ENDS=0 probe
  exited 75
  same '- 0 unsure it started 899 s ago: this host knows no slot: its root volume may have been replaced' "${output% }"
}

@test "a host of whose slot only a part is left knows none" {
  echo SLOT=nfs-00 >"$ROOT/etc/sas-grid/slot.env"
  ENDS=0 probe
  exited 20
  [[ $output == '- 0 fails this host knows no slot'* ]]
}
