#!/usr/bin/env bats
# shellcheck disable=SC2013,SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-serve: parameters, the MGS, ZFS, reboots, and two calls at once.

load helpers
load server

setup() {
  make_server
}

@test "parameters are set in their order; one that is unknown does not stop the service" {
  echo 'TUNABLES=osc.*.max_rpcs_in_flight=16 no.such=1 osc.*.max_dirty_mb=256' >>"$ROOT/etc/sas-grid/lustre-oss.env"
  stub lctl 'case $* in list_nids) echo 172.16.4.21@tcp ;;
    *no.such*) cat "$RECORDINGS/lctl_set_param_unknown.err" >&2; exit 2 ;; esac'
  serve --may-format
  exited 0
  same "$(printf 'lctl set_param %s\n' 'osc.*.max_rpcs_in_flight=16' no.such=1 'osc.*.max_dirty_mb=256')" \
    "$(calls 'lctl set_param')"
  [[ $output == *'warning: the parameter no.such=1'* ]]
}

mgs() {
  rm "$ROOT/etc/sas-grid/lustre-oss.env"
  settings lustre-mgs <<'END'
FSNAME=sasfs
MGS_NID=172.16.4.21@tcp
SERVICE=mgs
VOLUMES_PER_SLOT=1
STRIPE_COUNT=-1
STRIPE_SIZE_BYTES=4194304
TUNABLES=osc.*.max_rpcs_in_flight=24 osc.*.max_dirty_mb=256
END
}

@test "the MGS is formatted without index or file system, and needs no other MGS" {
  mgs
  stub lctl 'case $1 in list_nids) echo 172.16.4.21@tcp ;; ping) exit 113 ;; esac'
  serve --slot mgs-00 --may-format
  exited 0
  common='--servicenode=172.16.4.21@tcp --backfstype=ldiskfs --mkfsoptions=-e remount-ro'
  [[ $(calls mkfs.lustre) == "mkfs.lustre $common --mgs "* ]]
  [[ $(calls mount) == */srv/lustre/MGS ]]
}

@test "the MGS keeps parameters for all, once" {
  mgs
  stub lctl 'case $* in list_nids) echo 172.16.4.21@tcp ;;
    *llog_print*) cat "$RECORDINGS/lctl_set_param_P_F_list.out" ;; esac'
  serve --slot mgs-00 --may-format
  exited 0
  same "$(printf 'lctl set_param -P %s\n' 'lod.*.stripecount=-1' 'lod.*.stripesize=4194304' 'osc.*.max_dirty_mb=256')" \
    "$(calls 'lctl set_param')"
}

zfs() {
  sed -i s/BACKEND=ldiskfs/BACKEND=zfs/ "$ROOT/etc/sas-grid/lustre-oss.env"
  echo id >"$ROOT/etc/hostid"
}

# pool IMPORT: how importing behaves.
pool() {
  stub zpool "case \$* in list*) exit 1 ;; get*) echo ${2:-on} ;; import*) $1 ;; esac"
}

@test "zfs: a pool and a dataset for each target" {
  zfs
  serve --may-format
  exited 0
  [[ $(calls mkfs.lustre) == *"--ost sasfs-ost0000/target $ROOT/dev/disk/by-id/"*vol0a ]]
  same "mount -t lustre sasfs-ost0000/target $ROOT/srv/lustre/sasfs-OST0000" "$(calls mount)"
}

@test "zfs: another server's pool is imported by force, under multihost's protection" {
  zfs
  existing tunefs_dryrun_ost.out
  pool "[[ \$* == *' -f '* ]] || { cat $RECORDINGS/zpool_import_foreign_no_force.err >&2; exit 1; }"
  serve
  exited 0
  [[ $(calls 'zpool import' | tail -n 1) == *'-f sasfs-ost0000' ]]
  same '' "$(calls mkfs.lustre)"
}

@test "zfs: a pool that is in use elsewhere means not yet; one without multihost is refused" {
  zfs
  existing tunefs_dryrun_ost.out
  pool 'exit 1'
  serve
  exited 75
  pool : off
  serve
  exited 4
  same '' "$(calls mount)"
}

@test "after a reboot the stored slot is served again, never formatted" {
  serve --may-format
  exited 0
  : >"$CALLS"
  SAS_GRID_STORED_WAIT=0 run "$BIN/sas-grid-serve" --stored
  exited 4
  same '' "$(calls mkfs.lustre)"
  existing tunefs_dryrun_ost.out
  SAS_GRID_STORED_WAIT=0 run "$BIN/sas-grid-serve" --stored
  exited 0
  [[ -n $(calls mount) ]]
}

@test "after a reboot an MGS that is late is waited for" {
  serve --may-format
  existing tunefs_dryrun_ost.out
  stub mount '[[ -e $CALLS.second ]] || { touch "$CALLS.second"; exit 110; }'
  SAS_GRID_STORED_WAIT=10 run "$BIN/sas-grid-serve" --stored
  exited 0
}

@test "a host that was told nothing serves nothing" {
  run "$BIN/sas-grid-serve" --stored
  exited 1
}

@test "a host whose image was made of a server knows nothing of that server's slot, and serves its own" {
  boots_as i-0a
  software_installed i-0a
  serve --may-format
  exited 0
  boots_as i-0b
  SAS_GRID_STORED_WAIT=0 run "$BIN/sas-grid-serve" --stored
  exited 1
  [[ $output == *'was not told a slot yet'* ]]
  existing tunefs_dryrun_ost.out
  software_installed i-0b
  run "$BIN/sas-grid-serve" --slot oss-00 --epoch 2 --address 172.16.4.21 --volumes vol-0a
  exited 0
  # As before, of itself it knows.
  run "$BIN/sas-grid-serve" --slot oss-00 --epoch 1 --address 172.16.4.21 --volumes vol-0a
  exited 3
  SAS_GRID_STORED_WAIT=0 run "$BIN/sas-grid-serve" --stored
  exited 0
}

@test "a host whose image was made of a server does not serve with that server's software and settings" {
  boots_as i-0a
  software_installed i-0a
  serve --may-format
  exited 0
  : >"$CALLS"
  boots_as i-0b
  serve --may-format
  exited 75
  [[ $output == *'still being installed'* ]]
  # So does the mark of an earlier release.
  echo lustre-oss >"$ROOT/etc/sas-grid/installed"
  serve --may-format
  exited 75
  same '' "$(calls '(mkfs.lustre|mount|lctl|ip)')"
  software_installed i-0b
  existing tunefs_dryrun_ost.out
  serve
  exited 0
}

@test "what the firmware says counts only where it is the id of an instance: other words may change with the hardware" {
  boots_as 'Asset 1'
  bash -c 'for part in log settings; do source "$1/../lib/$part.sh"; done; mark_installed lustre-oss' bash "$BIN"
  boots_as 'Asset 2'
  serve --may-format
  exited 0
}

@test "a host that was waiting for its software goes on with the programs that came with it" {
  cp -r "$REPOSITORY/constructs/host" "$ROOT/opt"
  BIN=$ROOT/opt/bin
  boots_as i-0b
  software_installed i-0a
  (sleep 0.5 && echo 'echo "a newer program: $*"' >"$BIN/sas-grid-serve" && software_installed i-0b) &
  SAS_GRID_INSTALL_WAIT=10 serve
  wait
  exited 0
  [[ $output == *'a newer program: --slot oss-00 --epoch 3 '* ]]
  same '' "$(calls '(mkfs.lustre|mount)')"
}

@test "a host whose root disk is full serves again after a reboot" {
  serve --may-format
  exited 0
  existing tunefs_dryrun_ost.out
  stub mktemp 'echo "mktemp: No space left on device" >&2; exit 1'
  stub mount 'echo "$TMPDIR" >"$CALLS.tmpdir"'
  SAS_GRID_STORED_WAIT=0 run "$BIN/sas-grid-serve" --stored
  exited 0
  same "$ROOT/run/sas-grid" "$(<"$CALLS.tmpdir")"
  # What is new to it has to be written.
  run "$BIN/sas-grid-serve" --slot oss-00 --epoch 4 --address 172.16.4.21 --volumes vol-0a
  exited 1
  [[ $output == *'cannot write'*slot.env* ]]
}

@test "zfs: so does one of ZFS, whose host id is there, also with zero bytes in it; another one has to be written" {
  zfs
  pool ''
  # Its host id is 1d00f57c.
  instance() {
    stub curl "case \${*: -1} in */instance-id) echo $1 ;; */local-ipv4s) echo 172.16.4.21 ;;
      */subnet-ipv4-cidr-block) echo 172.16.4.0/24 ;; esac"
  }
  instance i-0000000000000019f
  serve --may-format
  exited 0
  same 7cf5001d "$(od -An -tx1 "$ROOT/etc/hostid" | tr -d ' ')"
  existing tunefs_dryrun_ost.out
  stub mktemp 'echo "mktemp: No space left on device" >&2; exit 1'
  SAS_GRID_STORED_WAIT=0 run "$BIN/sas-grid-serve" --stored
  exited 0
  [[ $(calls mount | tail -n 1) == *'sasfs-ost0000/target'* ]]
  instance i-0000000000000000b
  SAS_GRID_STORED_WAIT=0 run "$BIN/sas-grid-serve" --stored
  exited 1
  [[ $output == *'cannot write'*hostid* ]]
}

@test "neither a proxy nor the language of who calls comes between the program and what it asks" {
  stub mount 'echo "$LC_ALL" >"$CALLS.locale"'
  LC_ALL=de_DE.UTF-8 serve --may-format
  exited 0
  same C.UTF-8 "$(<"$CALLS.locale")"
  [[ -n $(calls curl) ]]
  same '' "$(calls curl | grep -v -- '--noproxy \*' || true)"
}

@test "two calls at once: the second comes back later" {
  mkdir -p "$ROOT/run/sas-grid"
  exec 8>"$ROOT/run/sas-grid/serve.lock"
  flock -n 8
  stub flock 'exec /usr/bin/env -i PATH=/usr/bin:/bin flock -w 0 9'
  serve --may-format
  exited 75
  exec 8>&-
}
