#!/usr/bin/env bats
# shellcheck disable=SC2013,SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-serve: what it does, what it refuses, and with which exit code.

load helpers
load server

setup() {
  make_server
}

@test "help says the exit codes" {
  run "$BIN/sas-grid-serve" --help
  exited 0
  [[ $output == *'Exit codes: 0 served; 75 not yet'* ]]
}

@test "wrong usage is told by 64 and touches nothing" {
  for wrong in '--slot OSS-00' '--slot oss-0' '--epoch 0' '--epoch x' '--address 172.16.4' \
    '--volumes vol0a' '--slot' '--unknown 1'; do
    # shellcheck disable=SC2086
    serve $wrong
    exited 64
  done
  [[ ! -e $ROOT/etc/sas-grid/slot.env ]]
  same '' "$(calls '.*')"
}

@test "a blank volume is formatted when allowed, as this slot's target, and mounted" {
  serve --may-format
  exited 0
  device=$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a
  same "mkfs.lustre --servicenode=172.16.4.21@tcp --backfstype=ldiskfs --mkfsoptions=-e remount-ro --fsname=sasfs \
--index=0 --mgsnode=172.16.4.10@tcp --ost $device" \
    "$(calls mkfs.lustre)"
  same "mount -t lustre $device $ROOT/srv/lustre/sasfs-OST0000" "$(calls mount)"
}

@test "the index counts volumes over slots, in hexadecimal in the name" {
  ebs vol0b
  sed -i 's/VOLUMES_PER_SLOT=1/VOLUMES_PER_SLOT=2/' "$ROOT/etc/sas-grid/lustre-oss.env"
  run "$BIN/sas-grid-serve" --slot oss-08 --epoch 1 --address 172.16.4.21 --volumes vol-0a,vol-0b --may-format
  exited 0
  [[ $(calls mkfs.lustre) == *--index=16*vol0a*--index=17*vol0b ]]
  [[ $(calls mount) == *sasfs-OST0010*sasfs-OST0011 ]]
}

@test "another number of volumes than the slots have is refused, since the indexes would collide" {
  ebs vol0b
  serve --volumes vol-0a,vol-0b --may-format
  exited 64
  same '' "$(calls mkfs.lustre)"
}

@test "a blank volume is not formatted without permission" {
  serve
  exited 4
  same '' "$(calls 'mkfs.lustre|mount')"
}

@test "doubt about a disk is a refusal: a tool fails, or data has no known signature" {
  stub wipefs 'exit 1'
  serve --may-format
  exited 4
  blank_disks
  stub blkid 'exit 4'
  serve --may-format
  exited 4
  blank_disks
  ebs vol0a 'no signature, but data'
  stub tunefs.lustre 'echo "checking for existing Lustre data: not found"; exit 19'
  serve --may-format
  exited 4
  same '' "$(calls 'mkfs.lustre|mount')"
}

@test "its own target is mounted and never formatted, with permission or without" {
  existing tunefs_dryrun_ost.out
  serve --may-format
  exited 0
  serve
  exited 0
  same '' "$(calls mkfs.lustre)"
  [[ $(calls mount) != *abort_recov* ]]
}

@test "a target that never met the MGS is known by its first name" {
  existing tunefs_erase_and_set_mgsnode.out
  serve
  exited 0
}

@test "another file system's or another slot's target is refused" {
  existing tunefs_dryrun_ost.out
  sed -i s/FSNAME=sasfs/FSNAME=other/ "$ROOT/etc/sas-grid/lustre-oss.env"
  serve --may-format
  exited 4
  [[ $output == *'carries the target sasfs-OST0000, not other-OST0000'* ]]
  sed -i s/FSNAME=other/FSNAME=sasfs/ "$ROOT/etc/sas-grid/lustre-oss.env"
  serve --slot oss-01 --may-format
  exited 3
  rm "$ROOT/etc/sas-grid/slot.env"
  serve --slot oss-01 --may-format
  exited 4
  same '' "$(calls 'mkfs.lustre|mount')"
}

@test "an answer of tunefs.lustre that cannot be read is a refusal" {
  existing tunefs_dryrun_ost.out 1
  serve --may-format
  exited 4
  existing mount_nonexistent_dataset.err
  serve --may-format
  exited 4
  same '' "$(calls 'mkfs.lustre|mount')"
}

@test "a half formatted volume is formatted again only by the same host, in the same epoch, with permission" {
  existing tunefs_dryrun_ost.out
  stub tunefs.lustre 'echo "checking for existing Lustre data: not found"; exit 19'
  mkdir -p "$ROOT/etc/sas-grid/formatting"
  echo 2 >"$ROOT/etc/sas-grid/formatting/vol-0a"
  serve --may-format
  exited 4
  echo 3 >"$ROOT/etc/sas-grid/formatting/vol-0a"
  serve
  exited 4
  same '' "$(calls mkfs.lustre)"
  serve --may-format
  exited 0
  [[ $(calls mkfs.lustre) == *--reformat* ]]
  [[ ! -e $ROOT/etc/sas-grid/formatting/vol-0a ]]
}

@test "formatting that fails leaves its mark and is an error, whatever the tool's exit code" {
  stub mkfs.lustre "cat $RECORDINGS/mkfs_ost_no_mgsnode.err >&2; exit 75"
  serve --may-format
  exited 1
  same 3 "$(cat "$ROOT/etc/sas-grid/formatting/vol-0a")"
  same '' "$(calls mount)"
}

@test "an older epoch is refused, the same is served again, a newer one is remembered" {
  serve --may-format
  exited 0
  : >"$CALLS"
  serve --epoch 2 --may-format
  exited 3
  same '' "$(calls '.*')"
  existing tunefs_dryrun_ost.out
  serve --epoch 4
  exited 0
  same "$(printf 'SLOT=oss-00\nEPOCH=4\nADDRESS=172.16.4.21\nVOLUMES=vol-0a\nINSTANCE=')" \
    "$(cat "$ROOT/etc/sas-grid/slot.env")"
}

# serves_from NODE: the kernel mounted the target from this device, and /dev/disk/by-id names another one for the
# volume, if there is one.
serves_from() {
  printf '%s %s lustre rw 0 0\n' "$ROOT/dev/$1" "$ROOT/srv/lustre/sasfs-OST0000" >"$ROOT/proc/mounts"
  truncate -s 1M "$ROOT/dev/${2:-$1}"
  ln -sfn "$ROOT/dev/${2:-$1}" "$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a"
}

@test "what is mounted already is left alone" {
  serves_from nvme2n1
  serve --may-format
  exited 0
  same '' "$(calls 'mkfs.lustre|mount|tunefs|wipefs')"
}

@test "a mount that is dead, since its volume was taken away, is an error that names the way out" {
  printf 'x %s lustre rw 0 0\n' "$ROOT/srv/lustre/sasfs-OST0000" >"$ROOT/proc/mounts"
  for health in 'echo NOT HEALTHY' 'echo LBUG' 'exit 2' \
    'printf "device sasfs-OST0000 reported unhealthy\nNOT HEALTHY\n"'; do
    stub lctl "case \$1 in list_nids) echo 172.16.4.21@tcp ;; get_param) $health ;; esac"
    serve --may-format
    exited 1
    [[ $output == *'sasfs-OST0000 is mounted, but Lustre is not healthy'*'has to be replaced'* ]]
  done
  same "$(printf 'lctl get_param -n health_check\n%.0s' 1 2 3 4)" "$(calls 'lctl get_param -n health')"
  same '' "$(calls 'mkfs.lustre|mount|umount|tunefs')"
}

@test "a volume that was taken away and came back is served by no mount of before, though Lustre has not noticed yet" {
  serves_from nvme2n1 nvme3n1
  serve
  exited 1
  [[ $output == *"sasfs-OST0000 is mounted, but vol-0a is not $ROOT/dev/nvme2n1 any more"*'has to be replaced'* ]]
  # Another volume may have got the name since.
  truncate -s 1M "$ROOT/dev/nvme2n1"
  serve
  exited 1
  same '' "$(calls 'mkfs.lustre|mount|umount|tunefs')"
}

@test "the health of what is not mounted yet is not asked for" {
  stub lctl 'case $1 in list_nids) echo 172.16.4.21@tcp ;; get_param) echo NOT HEALTHY ;; esac'
  serve --may-format
  exited 0
}

@test "not yet: software, volume, interface, MGS" {
  rm "$ROOT/etc/sas-grid/installed"
  serve --may-format
  exited 75
  software_installed
  serve --may-format --volumes vol-0b
  exited 75
  serve --may-format --address 172.16.4.22
  exited 75
  stub lctl 'case $1 in list_nids) echo 172.16.4.21@tcp ;;
    ping) cat "$RECORDINGS/lctl_ping_unreachable.out"; exit 113 ;; esac'
  serve --may-format
  exited 75
  same '' "$(calls 'mkfs.lustre|mount')"
}

@test "an installation that is about to end is waited for, and one that fails meanwhile is an error" {
  rm "$ROOT/etc/sas-grid/installed"
  (sleep 0.5 && software_installed) &
  SAS_GRID_INSTALL_WAIT=10 serve --may-format
  wait
  exited 0
  rm "$ROOT/etc/sas-grid/installed"
  (sleep 0.5 && echo 'no package' >"$ROOT/etc/sas-grid/install-failed") &
  SAS_GRID_INSTALL_WAIT=10 serve
  wait
  exited 1
  [[ $output == *'no package'* ]]
}

@test "software that could not be installed is an error, not a reason to wait" {
  echo 'no package' >"$ROOT/etc/sas-grid/install-failed"
  serve
  exited 1
  [[ $output == *'no package'* ]]
}

@test "a volume that comes late is waited for" {
  rm "$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a"
  (sleep 0.5 && ebs vol0a) &
  SAS_GRID_WAIT=10 serve --may-format
  wait
  exited 0
}

@test "mount: no MGS and a target in use elsewhere mean not yet, the rest is an error" {
  existing tunefs_dryrun_ost.out
  stub mount "cat $RECORDINGS/mount_ost_wrong_mgsnode.err >&2; exit 110"
  serve
  exited 75
  stub mount "cat $RECORDINGS/mount_mmp_refused_ldiskfs.err >&2; exit 16"
  serve
  exited 75
  [[ $output == *'mounted elsewhere'* ]]
  stub mount "cat $RECORDINGS/mount_ost_failover2.err >&2; exit 32"
  serve
  exited 1
}

@test "answers leave by the slot's interface, and LNet is bound to its address" {
  stub lctl 'case $1 in list_nids) cat "$CALLS.nid" 2>/dev/null || echo 172.16.4.200@tcp ;; esac'
  stub lnetctl '[[ $* != "net add --net tcp --if eth1" ]] || echo 172.16.4.21@tcp >"$CALLS.nid"'
  serve --may-format
  exited 0
  [[ $(calls ip) == *'ip address replace 172.16.4.21/24 dev eth1 noprefixroute'* ]]
  [[ $(calls ip) == *'ip route replace default via 172.16.4.1 dev eth1 src 172.16.4.21 table 1003'* ]]
  [[ $(calls ip) == *'ip rule add from 172.16.4.21 table 1003'* ]]
  [[ $(calls lnetctl) == *'lnetctl net del --net tcp'*'lnetctl net add --net tcp --if eth1' ]]
}

@test "an interface that was detached and came back is another device: LNet is bound to it anew, once" {
  stub lctl '[[ $1 != list_nids ]] || cat "$CALLS.nid"'
  stub lnetctl 'case $* in "net del"*) : >"$CALLS.nid" ;; "net add"*) echo 172.16.4.21@tcp >"$CALLS.nid" ;; esac'
  stub ip "$ANSWERS_LEAVE"'
  case $* in
    "rule add"*) echo "$6" >"$CALLS.rule" ;;
    "rule show from 172.16.4.21"*) [[ $* == *table* && $(<"$CALLS.rule") != "$6" ]] || cat "$CALLS.rule" ;;
  esac'
  echo 172.16.4.21@tcp >"$CALLS.nid"
  : >"$CALLS.rule"
  serve --may-format
  exited 0
  same '' "$(calls 'lnetctl net')"
  echo 4 >"$ROOT/sys/class/net/eth1/ifindex"
  serve --may-format
  exited 0
  same "$(printf '%s\n' 'lnetctl net del --net tcp' 'lnetctl net del --net tcp' \
    'lnetctl net add --net tcp --if eth1')" \
    "$(calls 'lnetctl net')"
  serve --may-format
  exited 0
  same 3 "$(calls 'lnetctl net' | wc -l)"
}

@test "the slot's interface carries jumbo frames, and no network manager undoes its set-up" {
  serve --may-format
  exited 0
  [[ $(calls ip) == *'ip link set eth1 mtu 9001 up'* ]]
  grep -q '^unmanaged-devices=mac:' "$ROOT/etc/NetworkManager/conf.d/sas-grid.conf"
  same $'[Match]\nMACAddress=02:00:00:00:00:01\n[Link]\nUnmanaged=yes' \
    "$(<"$ROOT/etc/systemd/network/00-sas-grid.network")"
  [[ $(calls 'networkctl|nmcli') == *'networkctl reload'*'nmcli device set eth1 managed no'* ]]
}

@test "answers that leave by another interface are nothing that is served" {
  stub ip '[[ $* != *"route get"* ]] || echo 192.0.2.1 from 172.16.4.21 via 172.16.4.1 dev eth0'
  serve --may-format
  exited 75
  [[ $output == *'answers do not leave by eth1 yet'* ]]
  same '' "$(calls 'mkfs.lustre|mount')"
}

@test "an address that is configured already is left alone: clients may be connected" {
  stub ip "$ANSWERS_LEAVE"'; [[ $* != *show* ]] || echo 32765: from 172.16.4.21 lookup 1003'
  serve --may-format
  exited 0
  [[ $(calls ip) != *flush* && $(calls ip) != *'rule add'* && $(calls ip) != *'rule del'* ]]
}

@test "a rule that was lost comes back, and one of an earlier attachment goes" {
  stub ip "$ANSWERS_LEAVE"'; [[ $* != *"address show"* ]] || echo inet 172.16.4.21/24'
  serve --may-format
  exited 0
  [[ $(calls ip) != *flush* ]]
  [[ $(calls ip) == *'ip rule del from 172.16.4.21'*'ip rule add from 172.16.4.21 table 1003'* ]]
}

@test "an address that LNet does not take is an error" {
  stub lctl '[[ $1 != list_nids ]] || echo 172.16.4.200@tcp'
  serve --may-format
  exited 1
  same '' "$(calls 'mkfs.lustre|mount')"
}

@test "after a reboot a passing error is tried again, a refusal is not" {
  existing tunefs_dryrun_ost.out
  serve
  export SAS_GRID_STORED_WAIT=60
  stub modprobe "[[ \$* != *lustre* || -e $ROOT/second ]] || { touch $ROOT/second; exit 1; }"
  run "$BIN/sas-grid-serve" --stored
  exited 0
  [[ -e $ROOT/second ]]
  stub wipefs 'exit 1'
  run "$BIN/sas-grid-serve" --stored
  exited 4
}

@test "a refusal of multiple-mount protection is 'not yet', also where the kernel calls it an invalid argument" {
  existing tunefs_dryrun_ost.out
  stub mount 'exit 22'
  stub e2mmpstatus 'exit 1'
  serve
  exited 75
  [[ $output == *'mounted elsewhere'* ]]
  stub e2mmpstatus
  serve
  exited 1
}

@test "a file that cannot be written whole keeps what was in it" {
  printf '%s\n' "source $REPOSITORY/constructs/host/lib/log.sh" "source $REPOSITORY/constructs/host/lib/settings.sh" \
    "if echo half | write_file $ROOT/etc/kept; then echo written; else echo refused; fi" >"$STUBS/part"
  echo whole >"$ROOT/etc/kept"
  stub cat 'head -c 2; exit 1'
  run bash "$STUBS/part"
  rm "$STUBS/cat"
  [[ $output == *refused* ]]
  same whole "$(<"$ROOT/etc/kept")"
  same '' "$(find "$ROOT/etc" -name 'kept.*')"
}
