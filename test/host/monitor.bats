#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-monitor and sas-grid-lustre-status.

load helpers

setup() {
  make_host
  export SAS_GRID_SAMPLE=0 OSS_STATE=serving
}

# Of the client's log, only the records that tell where targets are; their form is the Lustre manual's.
client_log() {
  cat >"$STUBS/log" <<'END'
- { index: 3, event: setup, device: sasfs-clilov, UUID:  }
- { index: 9, event: add_uuid, nid: 10.77.0.11@tcp(0x200000a4d000b), node: 10.77.0.11@tcp }
- { index: 11, event: setup, device: sasfs-MDT0000-mdc, UUID: sasfs-MDT0000_UUID, node: 10.77.0.11@tcp }
- { index: 16, event: add_uuid, nid: 10.77.0.12@tcp(0x200000a4d000c), node: 10.77.0.12@tcp }
- { index: 18, event: setup, device: sasfs-OST0000-osc, UUID: sasfs-OST0000_UUID, node: 10.77.0.12@tcp }
END
}

# A management server at 10.77.0.10; its metadata server at .11 and its object storage server at .12 answer.
mgs() {
  settings lustre-mgs <<'END'
FSNAME=sasfs
MGS_NID=10.77.0.10@tcp
MONITORING=true
MONITORING_PORT=8080
END
  client_log
  stub lctl 'case $* in
    *llog_print*) cat "$STUBS/log" ;;
    *live*) sed -n "/^fsname/,/^# rc/p" "$RECORDINGS/lctl_get_param_mds_tunables.out" ;;
    *health_check) echo healthy ;;
    esac'
  stub curl 'case $* in
    *10.77.0.11:8988/) printf "server\tmds-00\thealthy\ntarget\tsasfs-MDT0000\tserving\t99.5\t12\t-\t-\n"
      printf "client\t%s\n" 10.77.0.13 10.77.0.12 ;;
    *10.77.0.12:8988/) printf "server\toss-00\t%s\n" "${OSS_HEALTH:-healthy}"
      printf "target\tsasfs-OST0000\t%s\t1024.0\t61\t812.4\t433.0\n" "$OSS_STATE" ;;
    *) exit 7 ;;
    esac'
}

# field EXPRESSION: prints it, of the page's JSON as s.
field() {
  node -e 'const s = JSON.parse(require("fs").readFileSync(process.argv[1]));
    const target = (n) => s.targets.find((t) => t.name === n);
    console.log(String(eval(process.argv[2])))' "$ROOT/var/www/sas-grid/status.json" "$1"
}

page() {
  cat "$ROOT/var/www/sas-grid/index.html"
}

@test "the page has servers, targets, space, throughput and clients, as HTML and as JSON" {
  mgs
  run "$BIN/sas-grid-monitor"
  exited 0
  same 'OK: servers healthy, targets serving' "$(field s.health)"
  same 'mgs,mds-00,oss-00' "$(field 's.servers.map((x) => x.name)')"
  same '10.77.0.10,10.77.0.11,10.77.0.12' "$(field 's.servers.map((x) => x.address)')"
  same 'MGS,sasfs-MDT0000,sasfs-OST0000' "$(field 's.targets.map((x) => x.name)')"
  same '["sasfs-OST0000","oss-00","serving",1024,61,812.4,433]' \
    "$(field 'JSON.stringify(Object.values(target("sasfs-OST0000")))')"
  same 'name,server,state,GiB,usedPercent,readMBps,writeMBps' "$(field 'Object.keys(target("sasfs-OST0000"))')"
  same null "$(field 'target("sasfs-MDT0000").readMBps')"
  same 10.77.0.13 "$(field s.clients)"
  [[ $(page) == *'<p class=ok>OK: '*'624.6 of 1024.0 GiB used, 812.4 MB/s read, 433.0 MB/s written'* ]]
  row='<td class=t>sasfs-OST0000<td class=t>oss-00<td class=ok>serving<td class=n>1024.0<td class=n>61<td'
  [[ $(page) == *"$row"* ]]
  [[ $(page) == *'1 clients'*10.77.0.13* ]]
  [[ -z $(calls 'lctl set|lctl conf|mount|umount') ]]
}

@test "a server that is silent, and its targets, are told at the top" {
  mgs
  stub curl 'case $* in
    *10.77.0.11*) printf "server\tmds-00\thealthy\ntarget\tsasfs-MDT0000\tserving\t99.5\t12\t-\t-\n" ;;
    *) exit 28 ;; esac'
  run "$BIN/sas-grid-monitor"
  exited 0
  same 'PROBLEM: 10.77.0.12: NO ANSWER; sasfs-OST0000: UNKNOWN' "$(field s.health)"
  same null "$(field 'target("sasfs-OST0000").GiB')"
  [[ $(page) == *'<p class=bad>PROBLEM: 10.77.0.12: NO ANSWER; sasfs-OST0000: UNKNOWN'* ]]
  [[ $(calls curl) == *'--max-time 20'* ]]
}

@test "a server without its target, an unhealthy one, and a target that recovers are told apart" {
  mgs
  stub curl 'case $* in *.11:*) printf "server\tmds-00\thealthy\n" ;;
    *.12:*) printf "server\toss-00\tNOT HEALTHY\n" ;; esac'
  run "$BIN/sas-grid-monitor"
  same 'PROBLEM: oss-00: NOT HEALTHY; sasfs-MDT0000: NOT SERVED; sasfs-OST0000: UNKNOWN' "$(field s.health)"
  mgs
  OSS_STATE='recovering, 1/2 clients are back, 150 s left' run "$BIN/sas-grid-monitor"
  same 'RECOVERING: sasfs-OST0000: recovering, 1/2 clients are back, 150 s left' "$(field s.health)"
  [[ $(page) == *'<p class=warn>RECOVERING'* ]]
}

@test "a management server that does not serve, or whose Lustre says nothing, is told" {
  mgs
  stub lctl 'exit 1'
  run "$BIN/sas-grid-monitor"
  exited 0
  [[ $(field s.health) == 'PROBLEM: mgs: '*'; MGS: UNKNOWN' ]]
}

@test "what another server answers cannot put markup or broken JSON into the page" {
  mgs
  stub curl 'case $* in *.12:*)
    printf "server\t<script>\"\\\\\thealthy\ntarget\tsasfs-OST0000\t<b>\"\t1.2.3\tx\t-\t1e\nclient\t\"<i>\n" ;; esac'
  run "$BIN/sas-grid-monitor"
  exited 0
  same 'script' "$(field 'target("sasfs-OST0000").server')"
  [[ $(page) != *'<script'* && $(page) != *'<i>'* && $(page) != *'<b>'* ]]
}

@test "a page that was there stays whole, and servers that left are gone from the next" {
  mgs
  run "$BIN/sas-grid-monitor"
  sed -i /10.77.0.12/d "$STUBS/log"
  run "$BIN/sas-grid-monitor"
  same 'mgs,mds-00' "$(field 's.servers.map((x) => x.name)')"
  same 'UNKNOWN' "$(field 'target("sasfs-OST0000").state')"
}

@test "nginx serves the page on its port, beside no other default server, and restarts only when something changed" {
  mgs
  mkdir -p "$ROOT/etc/nginx/sites-enabled"
  echo 'server { listen 80 default_server; }' >"$ROOT/etc/nginx/nginx.conf"
  : >"$ROOT/etc/nginx/sites-enabled/default"
  run "$BIN/sas-grid-monitor"
  exited 0
  grep -q 'listen 8080 default_server; root .*/var/www/sas-grid;' "$ROOT/etc/nginx/conf.d/sas-grid.conf"
  same 'server { listen 80; }' "$(cat "$ROOT/etc/nginx/nginx.conf")"
  [[ ! -e $ROOT/etc/nginx/sites-enabled/default && -n $(calls 'systemctl restart nginx') ]]
  : >"$CALLS"
  run "$BIN/sas-grid-monitor"
  same 'systemctl is-active --quiet nginx.service' "$(calls systemctl)"
  # A start that failed once is tried again.
  stub systemctl '[[ $1 != is-active ]]'
  run "$BIN/sas-grid-monitor"
  exited 0
  [[ -n $(calls 'systemctl restart nginx') ]]
}

@test "without monitoring nothing is written" {
  mgs
  sed -i s/true/false/ "$ROOT/etc/sas-grid/lustre-mgs.env"
  run "$BIN/sas-grid-monitor"
  exited 0
  [[ ! -e $ROOT/var/www ]]
}

# The form of stats is the Lustre manual's; the second look finds 250 MB read and 50 MB written in two seconds.
oss() {
  printf 'SLOT=oss-00\nEPOCH=3\n' >"$ROOT/etc/sas-grid/slot.env"
  cp "$RECORDINGS/proc_mounts_oss.out" "$ROOT/proc/mounts"
  export RECOVERY=$1
  stub lctl '
    look() {
      printf "obdfilter.sasfs-OST0000.stats=\n"
      printf "snapshot_time             %s.5 secs.nsecs\nstart_time 1.0 secs.nsecs\n" "$1"
      printf "read_bytes                27 samples [bytes] 4096 1048576 %s\n" "$2"
      printf "write_bytes               16 samples [bytes] 1 1048576 %s 44\n" "$3"
      echo "get_info                  3735777 samples [reqs]"
    }
    if [[ $* == *health_check* ]]; then
      echo health_check=healthy
      cat "$RECORDINGS/$RECOVERY"
      printf "osd-zfs.sasfs-OST0000.kbytestotal=1817600\nosd-zfs.sasfs-OST0000.kbytesavail=1672192\n"
      look 1795195300 14421705314304 1000
    else
      look 1795195302 14421955314304 50001000
    fi'
}

@test "an object storage server tells its slot, health, space and throughput" {
  oss recovery_status_complete.out
  run "$BIN/sas-grid-lustre-status"
  exited 0
  same "$(printf 'server\toss-00\thealthy\ntarget\tsasfs-OST0000\tserving\t1.7\t8\t125.0\t25.0')" "$output"
}

@test "a target in recovery tells how many clients are back" {
  oss recovery_status_recovering.out
  run "$BIN/sas-grid-lustre-status"
  [[ $output == *$'sasfs-OST0000\trecovering, 1/2 clients are back, 150 s left\t1.7'* ]]
  oss recovery_status_start.out
  run "$BIN/sas-grid-lustre-status"
  [[ $output == *$'sasfs-OST0000\trecovering\t1.7'* ]]
}

@test "a metadata server tells its clients, itself not among them" {
  cp "$RECORDINGS/proc_mounts_mds.out" "$ROOT/proc/mounts"
  stub lctl '[[ $* != *health_check* ]] || { echo health_check=healthy;
    sed -n "/exports.*uuid$/s/$/=8c2d/p" "$RECORDINGS/lctl_list_param_mds.out" | grep ^mdt; }'
  run "$BIN/sas-grid-lustre-status"
  same 'client,10.77.0.12 client,10.77.0.13' "$(grep ^client <<<"$output" | sort | tr '\t\n' ', ' | sed 's/ $//')"
  [[ $output == *$'target\tsasfs-MDT0000\tserving\t-\t-\t-\t-'* ]]
}

@test "a server whose Lustre is unhealthy, silent or hangs says so in bounded time" {
  stub lctl 'printf "health_check=\ndevice sasfs-OST0000 reported unhealthy\nNOT HEALTHY\n"'
  run "$BIN/sas-grid-lustre-status"
  [[ $output == *'device sasfs-OST0000 reported unhealthy NOT HEALTHY'* ]]
  stub lctl 'exit 1'
  run "$BIN/sas-grid-lustre-status"
  exited 0
  same "$(printf 'server\t\tLUSTRE DOES NOT ANSWER')" "$output"
  grep -q '^  timeout -k 1 5 lctl' "$BIN/sas-grid-lustre-status"
}

@test "a request is read, whatever it asks for, and answered" {
  oss recovery_status_complete.out
  run bash -c 'printf "POST /../etc/shadow HTTP/1.1\r\nHost: x\r\n\r\nmore" | "$0" --http' "$BIN/sas-grid-lustre-status"
  same $'HTTP/1.0 200 OK\r' "${lines[0]}"
  [[ $output == *$'target\tsasfs-OST0000\tserving'* && $output != *root:* ]]
}
