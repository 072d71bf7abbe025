#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-mount-nfs: the mount of an NFS export.

load helpers

setup() {
  make_host
  settings nfs-client <<'XEND'
SERVER=172.16.4.50
EXPORT=/export/sasdata
MOUNT_POINT=/sasdata
NCONNECT=16
XEND
  stub systemd-escape 'echo "${*: -1}" | sed "s,^/,,;s,$,.${2#--suffix=},"'
  # The mount unit mounts; an answer of the server is what timeout finds.
  stub systemctl '[[ $* != start*sasdata.mount ]] ||
    echo "172.16.4.50:/export/sasdata $SAS_GRID_ROOT/sasdata nfs4 rw,nconnect=16,hard 0 0" \
      >>"$SAS_GRID_ROOT/proc/mounts"'
  stub timeout
  stub nfsconf
  stub mountpoint 'echo 0:54'
  mkdir -p "$ROOT/sys/class/bdi/0:54"
  echo 128 >"$ROOT/sys/class/bdi/0:54/read_ahead_kb"
}

@test "the export is mounted hard, by version 4.2, over many connections, with an automount in front" {
  run "$BIN/sas-grid-mount-nfs"
  exited 0
  grep -qx What=172.16.4.50:/export/sasdata "$ROOT/etc/systemd/system/sasdata.mount"
  same 'Options=sloppy,nfsvers=4.2,hard,nconnect=16,timeo=600,retrans=2,rsize=1048576,wsize=1048576,noatime,_netdev' \
    "$(grep Options "$ROOT/etc/systemd/system/sasdata.mount")"
  grep -qx Where=/sasdata "$ROOT/etc/systemd/system/sasdata.automount"
  same 'systemctl daemon-reload
systemctl start sasdata.automount sasdata.mount' "$(calls systemctl)"
  same 'nfsconf --set nfsrahead nfs4 15360' "$(calls nfsconf)"
  same 15360 "$(cat "$ROOT/sys/class/bdi/0:54/read_ahead_kb")"
}

@test "the client's identity is the instance's before it mounts, also on a host of an image that was made of another" {
  boots_as i-0123
  mkdir -p "$ROOT/sys/module/nfs/parameters" "$ROOT/etc/modprobe.d"
  echo i-0fed >"$ROOT/sys/module/nfs/parameters/nfs4_unique_id"
  echo 'options nfs nfs4_unique_id=i-0fed' >"$ROOT/etc/modprobe.d/sas-grid-nfs.conf"
  # What mounts sees it already.
  stub systemctl '[[ $* != start*sasdata.mount ]] ||
    { cat "$SAS_GRID_ROOT/sys/module/nfs/parameters/nfs4_unique_id" >"$CALLS.seen"
    echo "172.16.4.50:/export/sasdata $SAS_GRID_ROOT/sasdata nfs4 rw,nconnect=16,hard 0 0" \
      >>"$SAS_GRID_ROOT/proc/mounts"; }'
  run "$BIN/sas-grid-mount-nfs"
  exited 0
  same i-0123 "$(<"$CALLS.seen")"
  same 'options nfs nfs4_unique_id=i-0123' "$(<"$ROOT/etc/modprobe.d/sas-grid-nfs.conf")"
}

@test "an identity that cannot be written keeps no mount away, and is told" {
  boots_as i-0123
  mkdir -p "$ROOT/sys/module/nfs/parameters/nfs4_unique_id"
  run "$BIN/sas-grid-mount-nfs"
  exited 0
  [[ $output == *"warning: i-0123 could not be made this client's NFSv4 identity"* ]]
}

@test "a service that has no version 4.2 is mounted with the one it has" {
  echo NFS_VERSION=4.1 >>"$ROOT/etc/sas-grid/nfs-client.env"
  run "$BIN/sas-grid-mount-nfs"
  exited 0
  grep -q '^Options=sloppy,nfsvers=4.1,hard,' "$ROOT/etc/systemd/system/sasdata.mount"
}

@test "further options come last" {
  echo MOUNT_OPTIONS=nosuid >>"$ROOT/etc/sas-grid/nfs-client.env"
  run "$BIN/sas-grid-mount-nfs"
  exited 0
  [[ $(grep Options "$ROOT/etc/systemd/system/sasdata.mount") == *,_netdev,nosuid ]]
}

@test "a kernel that ignores nconnect is told of; a mount that fails is no reason to do without" {
  stub systemctl '[[ $* == start*sasdata.mount ]] || exit 0
[[ -e $CALLS.second ]] || { touch "$CALLS.second"; exit 1; }
echo "172.16.4.50:/export/sasdata $SAS_GRID_ROOT/sasdata nfs4 rw,hard 0 0" >>"$SAS_GRID_ROOT/proc/mounts"'
  SAS_GRID_MOUNT_WAIT=5 run "$BIN/sas-grid-mount-nfs"
  exited 0
  [[ $output == *'warning: mounted with one connection'* ]]
  grep -q nconnect=16 "$ROOT/etc/systemd/system/sasdata.mount"
}

@test "a server that does not answer in time means not yet, and no automount that would hang is left" {
  stub timeout 'exit 124'
  SAS_GRID_MOUNT_WAIT=0 run "$BIN/sas-grid-mount-nfs"
  exited 75
  same '' "$(calls 'systemctl')"
}

@test "a server that answers but does not let this client in means not yet" {
  stub systemctl '[[ $* != start*sasdata.mount ]]'
  SAS_GRID_MOUNT_WAIT=0 run "$BIN/sas-grid-mount-nfs"
  exited 75
}

@test "a mounted client is not mounted again, only asked for an answer" {
  echo "172.16.4.50:/export/sasdata $ROOT/sasdata nfs4 rw,nconnect=16,hard 0 0" >"$ROOT/proc/mounts"
  run "$BIN/sas-grid-mount-nfs"
  exited 0
  same '' "$(calls systemctl)"
  stub timeout '[[ $* != *stat* ]] || exit 137'
  run "$BIN/sas-grid-mount-nfs"
  exited 1
  [[ $output == *'does not answer'* ]]
}

@test "a mount that systemd calls good but is no NFS is an error" {
  stub systemctl
  SAS_GRID_MOUNT_WAIT=0 run "$BIN/sas-grid-mount-nfs"
  exited 1
}
