#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-serve with an NFS export: what it exports, and in which order.

load helpers
load server
load nfs

setup() {
  make_nfs_server
  interface
}

unit() {
  cat "$ROOT/etc/systemd/system/nfs-server.service.d/sas-grid.conf"
}

@test "an export is served: pool, file systems, state before the server, exports" {
  serve_nfs --may-format
  exited 0
  same "mount -t ext4 -o noatime,errors=remount-ro $ROOT/dev/sas-grid-nfs-00/data $ROOT/export/sasdata
mount -t ext4 -o noatime $ROOT/dev/sas-grid-nfs-00/state $ROOT/var/lib/nfs/nfsdcld" "$(calls mount)"
  [[ $(calls mkfs.ext4) == *"-O mmp $ROOT/dev/sas-grid-nfs-00/data" ]]
  same 'systemctl is-enabled --quiet nfs-server.service
systemctl disable nfs-server.service
systemctl stop nfs-server.service nfsdcld.service
systemctl mask --now rpc-statd.service rpcbind.service rpcbind.socket
systemctl daemon-reload
systemctl restart nfs-server.service' "$(calls systemctl)"
  [[ $(calls 'mount|systemctl (stop|restart)') == *data*'stop nfs-server.service nfsdcld'*state*restart* ]]
  options='(sec=sys,rw,sync,root_squash,no_subtree_check,mountpoint,fsid=1)'
  same "/export/sasdata 172.16.0.0/20$options 172.16.32.7$options" "$(cat "$ROOT/etc/exports.d/sas-grid.exports")"
}

@test "the server is bound to the slot's address, keeps the slot's scope, and never starts without its mounts" {
  serve_nfs --may-format
  nfsd='exec /usr/sbin/rpc.nfsd -H 172.16.4.21 -G 30 -L 20 64'
  [[ $(unit) == *"echo sas-grid-nfs-00 >/proc/sys/kernel/hostname && $nfsd\""* ]]
  grep -qx 'AssertPathIsMountPoint=/export/sasdata' <(unit)
  # exportfs says nothing of an etab that it could not write.
  etab=$(sed -n 's/^ExecStartPre=.*"\(.*\)".*/\1/p' <(unit))
  grep -q "$etab" <<<$'/export/sasdata\t10.0.0.0/8(rw,sync)'
  same '' "$(grep "$etab" <<<$'/export/sasdata2\t10.0.0.0/8(rw,sync)' || true)"
  grep -qx 'AssertPathIsMountPoint=/var/lib/nfs/nfsdcld' <(unit)
  grep -qx 'Requires=nfsdcld.service' <(unit)
  [[ $(calls nfsconf) == *'--set nfsd vers3 n'*'--set mountd manage-gids n'* ]]
}

@test "another file of nfs.conf.d does not turn on what is off, or is an error" {
  printf '[nfsd]\nvers3=y\n[mountd]\nmanage-gids=y\n' >"$BATS_TEST_TMPDIR/local.conf"
  if type -P nfsconf | grep -qv "$STUBS"; then
    stub nfsconf "exec $(type -aP nfsconf | grep -v "$STUBS" | head -n 1) --file $ROOT/etc/nfs.conf \"\$@\""
  else
    # As nfs-utils reads them: nfs.conf, then *.conf by name.
    stub nfsconf '[[ $1 != --get ]] ||
      awk -F= -v want="$2" -v key="$3" \
        "/^\[/ {part = \$0} part == \"[\" want \"]\" && \$1 == key {is = \$2} END {print is}" \
        "$SAS_GRID_ROOT"/etc/nfs.conf.d/*.conf'
  fi
  mkdir -p "$ROOT/etc/nfs.conf.d"
  : >"$ROOT/etc/nfs.conf"
  cp "$BATS_TEST_TMPDIR/local.conf" "$ROOT/etc/nfs.conf.d/local.conf"
  serve_nfs --may-format
  exited 0
  same '' "$(calls 'nfsconf --set')"
  cp "$BATS_TEST_TMPDIR/local.conf" "$ROOT/etc/nfs.conf.d/zzz.conf"
  serve_nfs
  exited 1
  [[ $output == *'[nfsd] vers3 is not n: a file of /etc/nfs.conf.d after zz-sas-grid.conf says so'* ]]
}

@test "what nfsd needs comes back when it is killed, without a restart, which would reach nfsd" {
  serve_nfs --may-format
  for helper in nfs-mountd nfsdcld; do
    file=$ROOT/etc/systemd/system/$helper.service.d/sas-grid.conf
    same "[Unit]
OnFailure=sas-grid-again@$helper.service
[Service]
Restart=no" "$(<"$file")"
    : >"$CALLS"
    # A host whose server was started by a release with another way: the server is not restarted for it.
    echo 'Restart=on-failure' >"$file"
    serve_nfs
    exited 0
    same 'systemctl daemon-reload
systemctl start nfs-server.service' "$(calls systemctl)"
  done
}

# again HELPER: what the unit runs when this one has failed. $ROOT/active has the units that are active.
again() {
  unit=$REPOSITORY/constructs/host/systemd/sas-grid-again@.service
  program=$(sed -n "s/^ExecStart=\/bin\/sh -c '\(.*\)'$/\1/p" "$unit" | sed "s/%i/$1/g")
  stub sleep
  stub systemctl 'case $* in
  *is-active*) grep -qx "${*: -1}" "$SAS_GRID_ROOT/active" ;;
  start*) [[ $(grep -c "^systemctl start" "$CALLS") -lt ${SUCCEEDS:-1} ]] || echo "$2" >>"$SAS_GRID_ROOT/active" ;;
esac'
  run timeout 10 sh -c "$program"
}

@test "a helper that failed is started after a pause, again until it stays, and only while nfsd runs" {
  echo nfs-server.service >"$ROOT/active"
  SUCCEEDS=3 again nfs-mountd
  exited 0
  same "$(printf 'systemctl start nfs-mountd.service\n%.0s' 1 2 3)" "$(calls 'systemctl start')"
  [[ $(calls '(sleep|systemctl start)') == 'sleep 5'*start*'sleep 5'*start*'sleep 5'*start*'sleep 5' ]]
  : >"$CALLS"
  : >"$ROOT/active"
  again nfsdcld
  exited 0
  same '' "$(calls 'systemctl start')"
  # Stopped and started by somebody else meanwhile.
  printf '%s\n' nfs-server.service nfsdcld.service >"$ROOT/active"
  again nfsdcld
  exited 0
  same '' "$(calls 'systemctl .*restart|systemctl start')"
}

@test "threads: 16 for each processor, as many as the memory bears, never below 8, or what the settings say" {
  threads() { serve_nfs --may-format && sed -n 's/.*-L 20 \([0-9]*\)"$/\1/p' <(unit); }
  same 64 "$(threads)"
  echo 'MemTotal: 500000 kB' >"$ROOT/proc/meminfo"
  same 30 "$(threads)"
  echo 'MemTotal: 100000 kB' >"$ROOT/proc/meminfo"
  same 8 "$(threads)"
  echo NFSD_THREADS=200 >>"$ROOT/etc/sas-grid/nfs-server.env"
  same 200 "$(threads)"
}

@test "options that lose writes or let in any process are refused; no_root_squash only when it is asked for" {
  for wrong in async insecure rw,async fsid=0; do
    echo "EXPORT_OPTIONS=$wrong" >>"$ROOT/etc/sas-grid/nfs-server.env"
    serve_nfs --may-format
    exited 1
    [[ $output == *"EXPORT_OPTIONS has ${wrong#rw,}"* ]]
    same '' "$(calls 'vgcreate|mkfs|mount|systemctl')"
  done
  echo EXPORT_OPTIONS=no_root_squash >>"$ROOT/etc/sas-grid/nfs-server.env"
  serve_nfs --may-format
  exited 0
  [[ $(cat "$ROOT/etc/exports.d/sas-grid.exports") == *fsid=1,no_root_squash* ]]
}

@test "clients are networks, never everybody by mistake" {
  for wrong in '*' '10.0.0.0/8,*' host.example ''; do
    echo "CLIENTS=$wrong" >>"$ROOT/etc/sas-grid/nfs-server.env"
    serve_nfs --may-format
    exited 1
    [[ $output == *'which is no IPv4 network'* || $output == *'CLIENTS is missing'* ]]
    [[ ! -e $ROOT/etc/exports.d/sas-grid.exports ]]
  done
}

@test "served again: nothing is mounted, formatted, stopped or restarted" {
  serve_nfs --may-format
  exited 0
  : >"$CALLS"
  serve_nfs --may-format
  exited 0
  same '' "$(calls 'mount|mkfs|vgcreate|lvcreate|vgchange|wipefs|lvextend|pvresize')"
  same 'systemctl start nfs-server.service' "$(calls systemctl)"
}

@test "an empty export is for everybody, until somebody says otherwise; one in use keeps its mode" {
  mkdir -p -m 755 "$ROOT/export/sasdata"
  serve_nfs --may-format
  same 1777 "$(stat -c %a "$ROOT/export/sasdata")"
  chmod 770 "$ROOT/export/sasdata"
  serve_nfs
  same 770 "$(stat -c %a "$ROOT/export/sasdata")"
  chmod 750 "$ROOT/export/sasdata"
  stub find 'echo project'
  serve_nfs
  same 750 "$(stat -c %a "$ROOT/export/sasdata")"
}

@test "bigger volumes: physical volumes, data and file system grow, with data mounted" {
  complete_pool
  PV_MIB=256.00 USED=63 serve_nfs
  exited 0
  same 2 "$(calls pvresize | wc -l)"
  [[ $(calls lvextend) == *'-i 2 -I 256 -l +128 sas-grid-nfs-00/data' ]]
  [[ $(calls 'mount|pvresize|lvextend|resize2fs') == mount*pvresize*lvextend*resize2fs* ]]
}

@test "only one volume has grown: nothing is extended, since stripes need both" {
  complete_pool
  stub pvs 'case $* in
  *vg_tags) cat "$SAS_GRID_ROOT/lvm" ;;
  *pv_size) echo ;;
  *) printf "  127 127\n  255 127\n" ;;
esac'
  serve_nfs
  exited 0
  same '' "$(calls 'pvresize|lvextend')"
}

@test "mounted elsewhere means not yet, and the pool is let go" {
  complete_pool
  stub mount 'exit 32'
  stub e2mmpstatus 'exit 1'
  serve_nfs
  exited 75
  [[ $output == *'mounted elsewhere'* ]]
  [[ $(calls vgchange) == *'-a n sas-grid-nfs-00' ]]
  same '' "$(calls systemctl)"
  stub e2mmpstatus
  serve_nfs
  exited 1
}

@test "a mount whose volume was taken away is an error that names the way out, also when the volume is back" {
  serve_nfs --may-format
  rm "$ROOT/sys/block/data/slaves/${DISK_B##*/}"
  : >"$CALLS"
  serve_nfs --may-format
  exited 1
  [[ $output == *'has to be replaced, terminate it'* ]]
  same '' "$(calls 'mount|mkfs|systemctl|vgchange')"
}

@test "an export that became read-only is an error" {
  serve_nfs --may-format
  sed -i '1s/rw,/ro,/' "$ROOT/proc/mounts"
  serve_nfs
  exited 1
  [[ $output == *'read-only'* ]]
}

@test "so is one that goes on being called rw after an error, as since Linux 6.12" {
  serve_nfs --may-format
  stub sync '[[ $1 != */export/* ]]'
  serve_nfs
  exited 1
  [[ $output == *'read-only after an error'* ]]
}

@test "a state that is not mounted yet, after a call that was cut off, is mounted with the server stopped" {
  serve_nfs --may-format
  sed -i 2d "$ROOT/proc/mounts"
  : >"$CALLS"
  serve_nfs
  exited 0
  [[ $(calls 'mount|systemctl') == *'stop nfs-server.service nfsdcld'*mount*state*'start nfs-server.service' ]]
}

@test "a host of instance store serves no slot" {
  sed -i s/KIND=ebs/KIND=instance-store/ "$ROOT/etc/sas-grid/nfs-server.env"
  serve_nfs --may-format
  exited 64
}

@test "LVM sees the volumes and nothing else, whatever filters or devices files say, and writes nothing to /etc" {
  serve_nfs --may-format
  filter="filter=[\"a|^$DISK_A\$|\",\"a|^$DISK_B\$|\",\"r|.*|\"]"
  [[ $(calls 'vgcreate') == *"use_devicesfile=0 $filter"*'backup=0 archive=0'* ]]
  same '' "$(calls '(pvs|vgcreate|lvcreate|vgchange|pvresize|lvextend)' |
    grep -v -- '--config devices{use_devicesfile=0 ' || true)"
}

@test "a file system with recorded errors is repaired before it is mounted, or not mounted at all" {
  serve_nfs --may-format
  : >"$ROOT/proc/mounts"
  : >"$CALLS"
  stub dumpe2fs 'echo "Filesystem state:         clean with errors"'
  stub e2fsck 'exit 1'
  serve_nfs
  exited 0
  [[ $(calls 'e2fsck|mount') == "e2fsck -fp $ROOT/dev/sas-grid-nfs-00/data"*mount*/data* ]]
  : >"$ROOT/proc/mounts"
  : >"$CALLS"
  stub e2fsck 'exit 4'
  serve_nfs
  exited 1
  # The pool is let go, and no host activates it by itself: who repairs it has to.
  data=$ROOT/dev/sas-grid-nfs-00/data
  by_hand="vgchange --config devices/use_devicesfile=0 -a y -K sas-grid-nfs-00 && e2fsck -f $data"
  [[ $output == *"damaged beyond automatic repair"*"$by_hand"* ]]
  same '' "$(calls mount)"
  stub e2mmpstatus 'exit 1'
  serve_nfs
  exited 75
  same '' "$(calls mount)"
}

@test "what nfsd keeps of its clients is repaired before it is mounted, after data" {
  serve_nfs --may-format
  : >"$ROOT/proc/mounts"
  : >"$CALLS"
  stub e2fsck 'exit 1'
  serve_nfs
  exited 0
  same "e2fsck -p $ROOT/dev/sas-grid-nfs-00/state" "$(calls e2fsck)"
  [[ $(calls '(e2fsck|mount)') == mount*/data*"e2fsck -p $ROOT/dev/sas-grid-nfs-00/state"*mount*/state* ]]
}

@test "damage in it that e2fsck repairs only when nobody is asked does not keep sound data from being exported" {
  serve_nfs --may-format
  : >"$ROOT/proc/mounts"
  : >"$CALLS"
  stub e2fsck '[[ $1 == -y ]] && exit 1 || exit 4'
  serve_nfs
  exited 0
  [[ $output == *'state of sas-grid-nfs-00 is repaired with e2fsck -y'*'may lose locks'* ]]
  device=$ROOT/dev/sas-grid-nfs-00/state
  checked="e2fsck -p $device"$'\n'"e2fsck -y $device"
  [[ $(calls '(e2fsck|mount|systemctl)') == *"$checked"*mount*/state*'start nfs-server.service' ]]
  # Never data.
  same '' "$(calls 'e2fsck.*/data')"
}

@test "one that e2fsck cannot mend is made anew, since it holds no data of users; data never is" {
  serve_nfs --may-format
  : >"$ROOT/proc/mounts"
  : >"$CALLS"
  stub e2fsck 'exit 4'
  serve_nfs
  exited 0
  [[ $output == *'state of sas-grid-nfs-00 is made anew'*'lose their locks'* ]]
  same "mkfs.ext4 -q -F $ROOT/dev/sas-grid-nfs-00/state" "$(calls mkfs)"
}

@test "an e2fsck that cannot work says nothing of damage: the kernel is asked, and nothing is made anew" {
  serve_nfs --may-format
  echo ext4 >"$ROOT/dev/sas-grid-nfs-00/state"
  for code in 8 12 16 32 127; do
    : >"$ROOT/proc/mounts"
    : >"$CALLS"
    stub e2fsck "exit $code"
    serve_nfs
    exited 0
    same '' "$(calls mkfs)"
  done
  stub mount '[[ $* != */state* ]] || exit 32;
    printf "%s %s %s rw,noatime 0 0\n" "${*: -2:1}" "${*: -1}" "$2" >>"$SAS_GRID_ROOT/proc/mounts"'
  : >"$ROOT/proc/mounts"
  serve_nfs
  exited 1
  [[ ${output##*serve: } == 'state of sas-grid-nfs-00 is not mounted: '* && $output != *mkfs* ]]
  # Of data with recorded errors, too.
  : >"$ROOT/proc/mounts"
  stub dumpe2fs 'echo "Filesystem state:         clean with errors"'
  stub e2fsck '[[ $1 != -V ]] || { echo "e2fsck 1.46.5 (30-Dec-2021)" >&2; exit; }; exit 8'
  serve_nfs
  exited 1
  told='data of sas-grid-nfs-00 is not repaired: e2fsck 1.46.5 (30-Dec-2021) could not work,'
  [[ ${output##*serve: } == "$told which says nothing of damage"* ]]
}

@test "one without a superblock is repaired with another of it, or made anew; one that cannot be read is not" {
  serve_nfs --may-format
  : >"$ROOT/dev/sas-grid-nfs-00/state"
  for left in 1 8; do
    : >"$ROOT/proc/mounts"
    : >"$CALLS"
    stub e2fsck "[[ \$1 == -y ]] && exit $left || exit 8"
    serve_nfs
    exited 0
    [[ $output == *'state of sas-grid-nfs-00 is repaired with e2fsck -y'* ]]
    same "$([[ $left == 1 ]] || echo "mkfs.ext4 -q -F $ROOT/dev/sas-grid-nfs-00/state")" "$(calls mkfs)"
  done
  : >"$ROOT/proc/mounts"
  : >"$CALLS"
  rm "$ROOT/dev/sas-grid-nfs-00/state"
  serve_nfs
  same '' "$(calls mkfs)"
}

# damaged: the server before has met errors, and their repair takes until $ROOT/end is there, or 10 s.
damaged() {
  serve_nfs --may-format
  : >"$ROOT/proc/mounts"
  export SAS_GRID_SERVE_SECONDS=0
  stub dumpe2fs '[[ -e $SAS_GRID_ROOT/repaired ]] || echo "Filesystem state:         clean with errors"'
  # It tells on its way, when nobody may listen any more.
  stub e2fsck 'for try in {1..200}; do [[ ! -e $SAS_GRID_ROOT/end ]] || break; sleep 0.05; done; echo fixed;
    touch "$SAS_GRID_ROOT/repaired"'
}

ends() {
  touch "$ROOT/end"
  for try in {1..100}; do
    [[ ! -e $ROOT/repaired ]] || return 0
    sleep 0.05
  done
  return 1
}

@test "a repair that takes long goes on after the call, alone, and what it repaired is mounted by a later call" {
  damaged
  serve_nfs
  exited 75
  [[ $output == *'data of sas-grid-nfs-00 is still being '*'; call again'* ]]
  until grep -q repaired "$ROOT"/run/sas-grid/work/*; do sleep 0.05; done
  serve_nfs
  exited 75
  [[ ${output##*serve: } == 'data of sas-grid-nfs-00 is still being repaired; call again' ]]
  ends
  SAS_GRID_SERVE_SECONDS=60 serve_nfs
  exited 0
  same 1 "$(calls 'e2fsck.*/data' | wc -l)"
}

@test "a repair that outlasted its call and left errors is told by every later call, and none begins another" {
  damaged
  stub e2fsck 'until [[ -e $SAS_GRID_ROOT/end ]]; do sleep 0.05; done; echo UNEXPECTED INCONSISTENCY;
    touch "$SAS_GRID_ROOT/left"; exit 4'
  serve_nfs
  exited 75
  touch "$ROOT/end"
  for again in 1 2 3; do
    SAS_GRID_SERVE_SECONDS=10 serve_nfs
    exited 1
    [[ $output == *'UNEXPECTED INCONSISTENCY'*'damaged beyond automatic repair'*"rm $ROOT/run/sas-grid/e2fsck.failed" ]]
  done
  same 1 "$(calls 'e2fsck.*/data' | wc -l)"
  # When somebody has repaired it, it is mounted, and of the next errors nothing is known.
  touch "$ROOT/repaired"
  stub e2fsck
  SAS_GRID_SERVE_SECONDS=60 serve_nfs
  exited 0
  [[ ! -e $ROOT/run/sas-grid/e2fsck.failed ]]
}

@test "a repair that left errors within its call is not begun again, unless somebody asks for it" {
  damaged
  stub e2fsck 'exit 4'
  for again in 1 2; do
    SAS_GRID_SERVE_SECONDS=10 serve_nfs
    exited 1
  done
  same 1 "$(calls 'e2fsck.*/data' | wc -l)"
  eval "${output##*once more: }"
  SAS_GRID_SERVE_SECONDS=10 serve_nfs
  exited 1
  same 2 "$(calls 'e2fsck.*/data' | wc -l)"
}

@test "a repair outlasts the end that Systems Manager makes of a call, which is for its process group" {
  damaged
  SAS_GRID_SERVE_SECONDS=100 setsid "$BIN/sas-grid-serve" --slot nfs-00 --epoch 3 --address 172.16.4.21 \
    --volumes vol-0a,vol-0b 2>&1 3>&- | cat >/dev/null 3>&- &
  for try in {1..100}; do
    [[ -z $(calls 'e2fsck.*/data') ]] || break
    sleep 0.05
  done
  kill -9 -- "-$(pgrep -f "^/bin/bash $BIN/sas-grid-serve --slot nfs-00" | head -n 1)"
  wait
  ends
  SAS_GRID_SERVE_SECONDS=60 serve_nfs
  exited 0
}

@test "a repair that was cut off is told with the way out: nobody can mount data before" {
  damaged
  touch "$ROOT/end"
  export SAS_GRID_SERVE_SECONDS=10
  stub e2fsck 'exit 12'
  stub e2mmpstatus 'echo "e2mmpstatus: MMP: e2fsck being run while trying to open $1" >&2; exit 1'
  serve_nfs
  exited 75
  [[ $output == *"was cut off"*"tune2fs -f -E clear_mmp $ROOT/dev/sas-grid-nfs-00/data"* &&
    $output != *'mounted elsewhere'* ]]
}

@test "a volume group with a tag of somebody else is still this slot's" {
  serve_nfs --may-format
  : >"$ROOT/proc/mounts"
  sed -i 's/,sas-grid-complete/,backup,sas-grid-complete,weekly/' "$ROOT/lvm"
  serve_nfs
  exited 0
  sed -i 's/,backup,sas-grid-complete,weekly/,backup/' "$ROOT/lvm"
  : >"$ROOT/proc/mounts"
  serve_nfs
  exited 4
}

@test "a growth that fails does not keep the export down" {
  stub resize2fs 'exit 1'
  serve_nfs --may-format
  exited 0
  [[ $output == *'could not grow'* && $(calls systemctl) == *'restart nfs-server.service' ]]
}

@test "a list of clients that nfsdcld cannot open is begun anew; any other failure of it changes nothing" {
  serve_nfs --may-format
  list=$ROOT/var/lib/nfs/nfsdcld/main.sqlite
  mkdir -p "${list%/*}"
  # What it says last, and whether that is damage.
  while read -r damaged said; do
    rm -f "$list"*
    : >"$ROOT/proc/mounts"
    echo clients >"$list"
    touch "$list-wal"
    stub nfsdcld "echo 'nfsdcld: $said' >&2; exit 1"
    serve_nfs
    exited 0
    if [[ $damaged == yes ]]; then
      [[ ! -e $list && ! -e $list-wal && -e $list.damaged &&
        $output == *"cannot be opened (${said##* }) and is begun anew"* ]]
    else
      [[ -e $list && -e $list-wal && $output != *'begun anew'* ]]
    fi
  done <<'END'
yes Failed to open main database: 1
yes Failed to open main database: 26
yes Failed to open main database: -22
no Failed to open main database: 13
no Failed to open main database: -12
no cld_inotify_setup: inotify_add_watch failed: Not a directory
END
  # A call before was cut off after the mount; and a list that nfsdcld has open is left alone.
  mkdir -p "$ROOT/proc/77"
  stub nfsdcld 'echo "nfsdcld: Failed to open main database: 26" >&2; exit 26'
  for running in nfsdcld other; do
    echo "$running" >"$ROOT/proc/77/comm"
    echo clients >"$list"
    serve_nfs
    exited 0
    [[ -e $list && $running == nfsdcld ]] || [[ ! -e $list && $running == other ]]
  done
}
