#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# Whether a server of a grid can do its work: mounts, the way to the file servers, scratch, names, the clock.

load helpers

setup() {
  make_host
  settings grid-node < <(printf '%s\n' HOST_NAME=node1 DOMAIN=sas-grid.internal \
    HOSTS=control=10.0.0.1,node1=10.0.0.2 SHARED_MOUNT=/sasdata)
  settings nfs-client <<<$'SERVER=172.16.4.50\nEXPORT=/export/sasdata\nMOUNT_POINT=/sasdata'
  settings scratch <<<$'SASWORK_PATH=/saswork\nUTILLOC_PATH=/utilloc'
  mkdir -p "$ROOT"/{sasdata,saswork,utilloc,opt/cdk-sas-grid/bin}
  printf '%s\n' "172.16.4.50:/e $ROOT/sasdata nfs4 rw 0 0" "/dev/md1 $ROOT/saswork xfs rw 0 0" \
    "/dev/md2 $ROOT/utilloc xfs rw 0 0" >"$ROOT/proc/mounts"
  echo node1 >"$ROOT/etc/hostname"
  printf '%s\n' '127.0.0.1 localhost' '10.0.0.1 control.sas-grid.internal control' '10.0.0.2 n node1 # 10.9.9.9' \
    '127.0.1.1 node1' >"$ROOT/etc/hosts"
  echo '4000.00 1.00' >"$ROOT/proc/uptime"
  # The lines of chronyc(1), "tracking", that count.
  stub chronyc 'printf "%s\n" "Stratum         : 4" \
    "System time     : ${OFF_BY:-0.000002} seconds slow of NTP time" "Leap status     : ${LEAP:-Normal}"'
  stub df 'printf "%s\n" "Use% IUse%" "${USED:-7%} ${INODES:-1%}"'
  # What asks the port of NFS, and what asks the mount.
  stub timeout 'while [[ $1 == -* || $1 =~ ^[0-9]+$ || $1 == KILL ]]; do shift; done; [[ $1 != bash ]] ||
    exit "${PORT:-0}"; exec "$@"'
}

# lustre: the same host, as a client of Lustre. Its tools say what a real client said.
lustre() {
  rm "$ROOT/etc/sas-grid/nfs-client.env"
  settings lustre-client <<<$'FSNAME=sasfs\nMGS_NID=10.77.0.11@tcp\nMOUNT_POINT=/sasdata'
  sed -i 's/ nfs4 / lustre /' "$ROOT/proc/mounts"
  stub lctl 'case $* in
  ping*) [[ " ${LOST:-} " != *" $2 "* ]] ;;
  *import*) cat "$RECORDINGS/osc_import_before_kill.out" ;;
  *state*) [[ -z ${OFF:-} ]] || echo "osc.sasfs-OST0000-osc-ffff88800deca800.active=0";
  cat "${SAID:-$RECORDINGS/${STATE:-osc_state_after_recovery}.out}" ;;
  esac'
}

health() {
  run bash "$REPOSITORY/constructs/host/documents/node-health.sh"
}

# unhealthy REASON: it said so with this reason, and schedulers hear it.
unhealthy() {
  exited 20
  same "node1 unhealthy ${2-7} $1" "$output"
  [[ $(head -n 1 "$ROOT/run/sas-grid/health") =~ ^unhealthy\ [0-9]+$ ]]
  grep -qxF "$1" "$ROOT/run/sas-grid/health"
}

@test "a server with all that it needs is healthy, and says so to schedulers" {
  health
  exited 0
  same 'node1 healthy 7' "$output"
  [[ $(cat "$ROOT/run/sas-grid/health") =~ ^healthy\ [0-9]+$ ]]
  run "$ROOT/opt/cdk-sas-grid/bin/sas-grid-health"
  exited 0
  same '' "$(find "$ROOT/saswork" "$ROOT/utilloc" -type f)"
}

@test "schedulers are told of a server that is not healthy, not looked at for long, or never looked at" {
  health
  command=$ROOT/opt/cdk-sas-grid/bin/sas-grid-health
  stub sleep 'kill "$PPID"'
  run "$command" elim
  same '1 sas_grid_health 1' "$output"
  echo "healthy $(($(date +%s) - 901))" >"$ROOT/run/sas-grid/health"
  run "$command"
  exited 1
  run "$command" elim
  same '1 sas_grid_health 0' "$output"
  echo "unhealthy $(date +%s)" >"$ROOT/run/sas-grid/health"
  run "$command"
  exited 1
  rm "$ROOT/run/sas-grid/health"
  run "$command"
  exited 1
}

@test "a file system that is not mounted, is another one, or answers with an error" {
  sed -i '1d' "$ROOT/proc/mounts"
  health
  unhealthy 'mount: /sasdata is not mounted as nfs4'
  echo "systemd-1 $ROOT/sasdata autofs rw 0 0" >>"$ROOT/proc/mounts"
  health
  unhealthy 'mount: /sasdata is not mounted as nfs4'
  mv "$ROOT/etc/sas-grid/nfs-client.env" "$ROOT/nfs"
  health
  unhealthy 'mount: /sasdata is not mounted'
  mv "$ROOT/nfs" "$ROOT/etc/sas-grid/nfs-client.env"
  echo "10.9.9.9@tcp:/x $ROOT/sasdata lustre rw 0 0" >>"$ROOT/proc/mounts"
  health
  unhealthy 'mount: /sasdata is not mounted as nfs4'
  stub stat 'exit 1'
  health
  unhealthy 'mount: /sasdata does not answer, or with an error'
}

@test "a mount that hangs is left behind once, and all else is looked at" {
  stub stat 'echo $$ >"$SAS_GRID_ROOT/hanging"; exec /bin/sleep 60'
  SAS_GRID_PROBE_SECONDS=1 USED=96% health
  exited 20
  same "node1 unhealthy 96 mount: a look at it (shared) hangs for 1 s; \
scratch-full: /saswork is 96 % full; scratch-full: /utilloc is 96 % full" "$output"
  SAS_GRID_PROBE_SECONDS=3 health
  unhealthy 'mount: an earlier look at it (shared) hangs'
  stub stat
  kill "$(cat "$ROOT/hanging")"
  flock -w 10 "$ROOT/run/sas-grid/health.shared.lock" true
  health
  exited 0
}

@test "a file server that cannot be reached is a reason of its own" {
  PORT=1 health
  unhealthy 'unreachable: 172.16.4.50:2049 does not answer'
  lustre
  LOST=10.77.0.12@tcp health
  unhealthy 'unreachable: 10.77.0.12@tcp does not answer'
  LOST=10.77.0.11@tcp health
  unhealthy 'unreachable: 10.77.0.11@tcp does not answer'
}

@test "of several addresses of one server any does" {
  lustre
  settings lustre-client <<<$'FSNAME=sasfs\nMGS_NID=10.77.0.10@tcp:10.77.0.11@tcp\nMOUNT_POINT=/sasdata'
  LOST=10.77.0.10@tcp health
  exited 0
  LOST='10.77.0.10@tcp 10.77.0.11@tcp' health
  unhealthy 'unreachable: 10.77.0.10@tcp, 10.77.0.11@tcp does not answer'
}

@test "a client of Lustre whose servers are idle is healthy" {
  lustre
  for state in osc_state_after_recovery osc_state_idle; do
    STATE=$state health
    exited 0
  done
}

@test "a client that lost a server is not, but for one that was turned off by hand, or of another file system" {
  lustre
  sed 's/current_state: .*/current_state: DISCONN/' "$RECORDINGS/osc_state_after_recovery.out" >"$ROOT/lost"
  export SAID=$ROOT/lost
  health
  unhealthy 'lustre: sasfs-OST0000 is DISCONN'
  sed -i 's/sasfs-/other-/' "$ROOT/lost"
  health
  exited 0
  sed -i 's/other-OST0000-osc-[0-9a-f]*/sasfs-OST0000-osc-ffff88800deca800/' "$ROOT/lost"
  OFF=yes health
  exited 0
}

@test "a client that was evicted is told for half an hour, to people and not to schedulers" {
  lustre
  local recorded name evicted target ago
  # By a recovery that was ended early, and by its server alone.
  for recorded in 'after_abort_recov 1795195606 sasfs-OST0000 60' 'after_abort_recov 1795195606 sasfs-OST0000 1801' \
    'evicted 1795730583 sasfs-OST0001 60' 'evicted 1795730583 sasfs-OST0001 1801'; do
    read -r name evicted target ago <<<"$recorded"
    sed "s/$evicted/$(($(date +%s) - ago))/" "$RECORDINGS/osc_state_$name.out" >"$ROOT/evicted"
    SAID=$ROOT/evicted health
    if ((ago > 1800)); then
      exited 0
    else
      exited 20
      same 'node1 unhealthy 7 evicted: this client lost what it had open of '"$target" "$output"
    fi
    [[ $(head -n 1 "$ROOT/run/sas-grid/health") == 'healthy '* ]]
  done
}

@test "scratch that is not mounted, full of bytes or of inodes, or read-only" {
  sed -i '\, /*[^ ]*/saswork ,d' "$ROOT/proc/mounts"
  health
  unhealthy 'scratch: /saswork is not mounted'
  echo "/dev/md1 $ROOT/saswork xfs rw 0 0" >>"$ROOT/proc/mounts"
  INODES=95% health
  exited 20
  same 'node1 unhealthy 95 scratch-full: /saswork is 95 % full; scratch-full: /utilloc is 95 % full' "$output"
  USED=94% INODES=- health
  exited 0
  same 'node1 healthy 94' "$output"
  stub mktemp 'exit 1'
  health
  exited 20
  same 'node1 unhealthy 7 scratch: /saswork cannot be written; scratch: /utilloc cannot be written' "$output"
  rm "$ROOT/etc/sas-grid/scratch.env"
  health
  exited 0
  same 'node1 healthy -' "$output"
}

@test "software of others says itself whether it works" {
  local check=$ROOT/opt/cdk-sas-grid/bin/check-beegfs-client
  printf '%s\n' '#!/bin/bash' 'exit 1' >"$check"
  chmod 755 "$check"
  settings beegfs-client <<<'MANAGEMENT=10.0.0.9'
  health
  exited 0
  echo 'ROLES=grid-node beegfs-client' >"$ROOT/etc/sas-grid/roles"
  printf '%s\n' '#!/bin/bash' '[[ $MANAGEMENT == 10.0.0.9 ]]' >"$check"
  health
  exited 0
  printf '%s\n' '#!/bin/bash' 'echo "no management service"; echo more >&2; exit 3' >"$check"
  health
  unhealthy 'software: beegfs-client no management service'
  printf '%s\n' '#!/bin/bash' 'exit 1' >"$check"
  health
  unhealthy 'software: beegfs-client does not work, and does not say why'
}

@test "another name than its own, and a hosts file that says otherwise first" {
  echo ip-10-0-0-2.ec2.internal >"$ROOT/etc/hostname"
  health
  unhealthy "name: the host is called 'ip-10-0-0-2.ec2.internal', not node1"
  echo node1.sas-grid.internal >"$ROOT/etc/hostname"
  sed -i '1i 127.0.1.1 node1' "$ROOT/etc/hosts"
  health
  unhealthy 'hosts-file: /etc/hosts does not say that node1 is 10.0.0.2'
  sed -i '1s/.*/# 127.0.1.1 node1/' "$ROOT/etc/hosts"
  health
  exited 0
  sed -i '/control/d' "$ROOT/etc/hosts"
  health
  unhealthy 'hosts-file: /etc/hosts does not say that control is 10.0.0.1'
}

@test "a clock that is off or not synchronised is a reason; one of which nobody says so is not" {
  OFF_BY=2.5 health
  unhealthy 'time: the clock is 2.5 s off'
  LEAP='Not synchronised' health
  unhealthy 'time: chrony is not synchronised'
  stub chronyc 'exit 1'
  stub timedatectl 'echo "System clock synchronized: no"'
  health
  unhealthy 'time: the clock is not synchronised'
  stub timedatectl 'echo "     NTP synchronized: yes"'
  health
  exited 0
  stub timedatectl 'exit 1'
  health
  exited 75
  same 'node1 unsure 7 nobody says whether the clock is in step' "$output"
  [[ $(head -n 1 "$ROOT/run/sas-grid/health") == 'healthy '* ]]
}

@test "a server that has just started cannot tell yet, and gets no work yet" {
  echo '899.00 1.00' >"$ROOT/proc/uptime"
  sed -i '1d' "$ROOT/proc/mounts"
  health
  exited 75
  same 'node1 unsure 7 mount: /sasdata is not mounted as nfs4; it started 899 s ago' "$output"
  [[ $(head -n 1 "$ROOT/run/sas-grid/health") == 'unhealthy '* ]]
}

@test "a host that is no server of a grid says nothing of itself" {
  rm "$ROOT/etc/sas-grid/grid-node.env"
  health
  exited 75
  [[ ! -e $ROOT/run ]]
}
