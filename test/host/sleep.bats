#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# What hosts are asked and told when a deployment goes to sleep, and when it wakes.

load helpers

setup() {
  make_host
  # umount: what is mounted is so no more, unless it is busy.
  stub umount '[[ $1 != "${BUSY:-}" ]] || { echo "umount: $1: target is busy." >&2; exit 32; }
    awk -v at="$1" '\''$2 != at'\'' "$SAS_GRID_ROOT/proc/mounts" >"$SAS_GRID_ROOT/m"
    mv "$SAS_GRID_ROOT/m" "$SAS_GRID_ROOT/proc/mounts"'
  stub systemctl '[[ " ${STUCK:-} " != *" $2 "* ]] || exit 1
    [[ $* != "stop pacemaker.service" || -n ${STAYS:-} ]] || sed -i "/ gfs2 /d" "$SAS_GRID_ROOT/proc/mounts"'
  stub vgchange
  stub zpool
}

teardown() {
  [[ -z ${worker:-} ]] || kill "$worker" 2>/dev/null || true
}

# asked WHAT
asked() {
  run env WHAT="$1" bash "$REPOSITORY/constructs/host/documents/sleep.sh"
}

# answered CODE WORDS: it ended so, and said so in its last line.
answered() {
  exited "$1"
  same "$2" "${output% }"
}

# mounts LINE...: each with the root where @ is.
mounts() {
  printf '%s\n' "${@//@/$ROOT}" >"$ROOT/proc/mounts"
}

# changes: what was called, without the root, in order.
changes() {
  sed "s#$ROOT##; s# --config [^}]*}[^}]*}##" "$CALLS"
}

grid_node() {
  settings grid-node <<<'SHARED_MOUNT=/sasdata'
  settings scratch <<<$'SASWORK_PATH=/saswork\nUTILLOC_PATH=/utilloc'
  mkdir -p "$ROOT"/{sasdata/jobs,saswork,utilloc,home}
  mounts '10.0.0.1:/export/sasdata @/sasdata nfs4 rw 0 0'
}

nfs_server() {
  settings nfs-server <<<$'EXPORT_NAME=sasdata'
  echo SLOT=nfs-00 >"$ROOT/etc/sas-grid/slot.env"
  mounts '/dev/mapper/a @/export/sasdata xfs rw 0 0' '/dev/mapper/b @/var/lib/nfs/nfsdcld ext4 rw 0 0'
}

local_volumes() {
  settings local-volumes <<<'MOUNT_POINT=/sasdata'
  echo SLOT=io2-00 >"$ROOT/etc/sas-grid/slot.env"
  mkdir -p "$ROOT/sasdata"
  mounts '/dev/mapper/a @/sasdata xfs rw 0 0'
}

gfs2_node() {
  settings gfs2-node <<<'MOUNT_POINT=/sasdata'
  mounts '/dev/mapper/a @/sasdata gfs2 rw 0 0'
}

# process NUMBER ACCOUNT LINK TARGET: a process of the account, with this link.
process() {
  mkdir -p "$ROOT/proc/$1/fd"
  ln -s "$ROOT$4" "$ROOT/proc/$1/$3"
  # The host's is a stub.
  command -p chown -h "$2" "$ROOT/proc/$1/$3" 2>/dev/null || skip 'only root can make processes of others up'
}

# Accounts that every machine has.
A=daemon B=nobody

@test "a node without processes of users is at nobody's work" {
  grid_node
  process 100 root cwd /sasdata/jobs
  process 101 "$A" cwd /home
  process 102 "$A" fd/3 /sasdata-of-others/file
  asked work
  answered 0 'nobody is at work'
  same '' "$(changes)"
}

@test "whoever has files open, stands or was started on the shared file system or the scratch is at work" {
  grid_node
  process 100 "$A" fd/3 /sasdata/jobs/a.sas7bdat
  process 100 "$A" cwd /sasdata
  process 101 "$A" exe /sasdata/sas/bin/sas
  process 102 "$B" fd/255 /utilloc/SAS_util1
  process 103 "$B" cwd /home
  asked work
  answered 10 "$A has 2 processes at work, $B has 1 process at work"
  same '' "$(changes)"
}

@test "a file that was deleted while it is open is work, too" {
  grid_node
  process 100 "$A" fd/9 '/saswork/SAS_work1/x (deleted)'
  asked work
  answered 10 "$A has 1 process at work"
}

@test "real processes are seen" {
  grid_node
  setpriv --reuid=65534 --clear-groups true 2>/dev/null || skip 'only root has processes of others'
  chmod o+x "$BATS_TEST_TMPDIR" "$ROOT" "$ROOT/sasdata"
  exec {open}<"$ROOT/sasdata/jobs"
  setpriv --reuid=65534 --clear-groups sleep 300 3>&- &
  worker=$!
  exec {open}<&-
  until [[ $(readlink "/proc/$worker/exe") == *sleep* ]]; do sleep 0.05; done
  # The processes of this machine that are of this host.
  ln -s "/proc/$worker" "$ROOT/proc/$worker"
  asked work
  exited 10
  [[ $output == *' has 1 process at work'* ]] || same ' has 1 process at work' "$output"
  kill "$worker"
  until [[ ! -e /proc/$worker/exe ]]; do sleep 0.05; done
  asked work
  answered 0 'nobody is at work'
}

@test "hosts that are the grid have users where their volumes are" {
  local_volumes
  process 100 "$A" cwd /sasdata
  asked work
  answered 10 "$A has 1 process at work"
  rm "$ROOT/etc/sas-grid/local-volumes.env"
  gfs2_node
  asked work
  answered 10 "$A has 1 process at work"
}

@test "a node has mounted when the file system is there, and an automount is none" {
  grid_node
  asked mounted
  answered 0 'mounted: /sasdata'
  mounts 'systemd-1 @/sasdata autofs rw 0 0'
  asked mounted
  answered 75 '/sasdata is not mounted yet'
  mounts 'systemd-1 @/sasdata autofs rw 0 0' '1@tcp:/sasfs @/sasdata lustre rw 0 0'
  asked mounted
  answered 0 'mounted: /sasdata'
  mounts '/dev/mapper/a @/sasdata2 xfs rw 0 0'
  asked mounted
  answered 75 '/sasdata is not mounted yet'
}

@test "a node of a cluster has mounted when GFS2 is there" {
  gfs2_node
  asked mounted
  answered 0 'mounted: /sasdata'
  mounts
  asked mounted
  answered 75 '/sasdata is not mounted yet'
}

@test "an NFS server stops nfsd, then unmounts the export and its list of clients, then lets the volumes go" {
  nfs_server
  asked unmount
  answered 0 'unmounted the export'
  same 'systemctl stop nfs-server.service nfsdcld.service
umount /export/sasdata
umount /var/lib/nfs/nfsdcld
vgchange -q -a n sas-grid-nfs-00' "$(changes)"
  same '' "$(cat "$ROOT/proc/mounts")"
}

@test "an NFS server that is told twice has nothing left to unmount" {
  nfs_server
  asked unmount
  asked unmount
  answered 0 'unmounted the export'
  same 2 "$(calls umount | wc -l)"
}

@test "an NFS server whose nfsd does not stop unmounts nothing" {
  nfs_server
  STUCK=nfs-server.service asked unmount
  answered 1 'nfsd did not stop: see journalctl -u nfs-server'
  same '' "$(calls umount)"
}

@test "an export that is busy is no success, and its volumes stay" {
  nfs_server
  BUSY=$ROOT/export/sasdata asked unmount
  exited 1
  [[ $output == '/export/sasdata could not be unmounted: umount: '*'target is busy.'* ]]
  same '' "$(calls vgchange)"
}

@test "a server that has no slot has nothing to let go" {
  settings nfs-server <<<$'EXPORT_NAME=sasdata'
  asked unmount
  answered 0 'unmounted the export'
  same '' "$(calls '(umount|vgchange)')"
}

@test "volumes that cannot be let go are no failure: nothing of them is mounted" {
  nfs_server
  stub vgchange 'exit 5'
  asked unmount
  answered 0 'unmounted the export'
}

@test "a host with volumes of its own unmounts them" {
  local_volumes
  asked unmount
  answered 0 'unmounted the file system'
  same 'umount /sasdata
vgchange -q -a n sas-grid-io2-00' "$(changes)"
}

@test "volumes of its own on which somebody works stay mounted" {
  local_volumes
  BUSY=$ROOT/sasdata asked unmount
  exited 1
  [[ $output == '/sasdata could not be unmounted: '* ]]
  same '' "$(calls vgchange)"
  [[ -s $ROOT/proc/mounts ]]
}

@test "a node of a cluster leaves it, and corosync stays for the quorum of the others" {
  gfs2_node
  asked unmount
  answered 0 'left the cluster'
  same 'systemctl stop pacemaker.service' "$(changes)"
}

@test "a node whose Pacemaker does not stop, or leaves the file system mounted, has not left" {
  gfs2_node
  STUCK=pacemaker.service asked unmount
  answered 1 'Pacemaker did not stop: see journalctl -u pacemaker'
  STAYS=yes asked unmount
  answered 1 '/sasdata is still mounted'
}

@test "a Lustre server unmounts its targets, and nothing else" {
  settings lustre-oss <<<'FSNAME=sasfs'
  mounts '/dev/mapper/a @/srv/lustre/oss-00-0 lustre rw 0 0' '/dev/mapper/b @/srv/lustre/oss-00-1 lustre_tgt rw 0 0' \
    '/dev/root @/ xfs rw 0 0' '/dev/mapper/c @/srv/lustre-of-others lustre rw 0 0'
  asked unmount
  answered 0 'unmounted all targets'
  same 'umount /srv/lustre/oss-00-0
umount /srv/lustre/oss-00-1' "$(changes)"
}

@test "a Lustre server with ZFS exports each pool after its target" {
  settings lustre-oss <<<'FSNAME=sasfs'
  mounts 'oss-00-0/ost0 @/srv/lustre/oss-00-0 lustre rw 0 0' 'oss-00-1/ost1 @/srv/lustre/oss-00-1 lustre rw 0 0'
  asked unmount
  answered 0 'unmounted all targets'
  same 'umount /srv/lustre/oss-00-0
zpool export oss-00-0
umount /srv/lustre/oss-00-1
zpool export oss-00-1' "$(changes)"
}

@test "a target that cannot be unmounted ends it, and its pool stays" {
  settings lustre-oss <<<'FSNAME=sasfs'
  mounts 'oss-00-0/ost0 @/srv/lustre/oss-00-0 lustre rw 0 0' 'oss-00-1/ost1 @/srv/lustre/oss-00-1 lustre rw 0 0'
  BUSY=$ROOT/srv/lustre/oss-00-0 asked unmount
  exited 1
  [[ $output == '/srv/lustre/oss-00-0 could not be unmounted: '* ]]
  same '' "$(calls zpool)"
  same 2 "$(wc -l <"$ROOT/proc/mounts")"
}

@test "asked for anything else it does nothing" {
  nfs_server
  asked reboot
  answered 1 "WHAT is 'reboot'; allowed: work, unmount or mounted"
  run bash "$REPOSITORY/constructs/host/documents/sleep.sh"
  answered 1 "WHAT is ''; allowed: work, unmount or mounted"
  same '' "$(changes)"
}

@test "what a backup holds is let go before it is unmounted: it would stay frozen for good" {
  settings nfs-server <<<'EXPORT_NAME=sasdata'
  mounts '/dev/dm-1 @/export/sasdata ext4 rw 0 0'
  stub fsfreeze
  mkdir -p "$ROOT/run/sas-grid"
  echo 'one freeze /export/sasdata' >"$ROOT/run/sas-grid/hold"
  asked unmount
  answered 0 'unmounted the export'
  same 'fsfreeze systemctl umount ' "$(awk '$1 ~ /^(fsfreeze|systemctl|umount)$/ {print $1}' "$CALLS" | tr '\n' ' ')"
  grep -qx "fsfreeze -u $ROOT/export/sasdata" "$CALLS"
  [[ ! -e $ROOT/run/sas-grid/hold ]]
}
