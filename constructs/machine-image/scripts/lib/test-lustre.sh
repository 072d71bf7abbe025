# shellcheck shell=bash disable=SC2317,SC2329 # image-test calls these by name
# A file system of Lustre on this host alone: a management and metadata target, an object storage target, a client.

# The host's own address: a client does not mount over the loopback interface's. None is no failure: check_lustre
# configures LNet without a network.
own_nid() {
  lctl list_nids | awk '!/@lo$/ && !found++'
}

# make_target NAME OPTION...: on a file; prints what is mounted. ZFS takes files, ldiskfs a loop device.
make_target() {
  local name=$1 file=$TRY/$1.img
  shift
  truncate -s 2G "$file"
  if [[ $BACKEND == zfs ]]; then
    # The image has no hostid: each host makes its own.
    mkfs.lustre --backfstype=zfs --force-nohostid "$@" "sasgridtest-$name/$name" "$file" >&2
    printf '%s\n' "sasgridtest-$name/$name"
  else
    local device
    device=$(losetup --find --show "$file")
    mkfs.lustre --backfstype=ldiskfs "$@" "$device" >&2
    printf '%s\n' "$device"
  fi
}

# remove_trial: in the order that Lustre needs, and whatever became of it.
remove_trial() {
  local name device
  for name in client ost mdt; do
    ! mountpoint -q "$TRY/$name" || timeout 120 umount "$TRY/$name" || umount -f "$TRY/$name" || :
  done
  for name in ost mdt; do
    [[ $BACKEND != zfs ]] || zpool destroy -f "sasgridtest-$name" &>/dev/null || :
    while IFS=: read -r device _; do losetup -d "$device" || :; done < <(losetup -j "$TRY/$name.img")
  done
  rm -rf "$TRY"
}

ost_is_there() {
  lfs df "$TRY/client" 2>/dev/null | grep -F '[OST:0]' >/dev/null
}

# Without a network of its own LNet takes the host's first interface, which is right for this.
test_server() {
  local nid mdt ost health
  check_lustre server
  lctl network up >&2
  nid=$(own_nid)
  if [[ -z $nid ]]; then
    lnetctl net add --net tcp --if "$(ip -o route get 192.0.2.1 | sed -n 's/.* dev \([^ ]*\).*/\1/p')" >&2
    nid=$(own_nid)
  fi
  [[ -n $nid ]] || wrong 'LNet has no network; look at lnetctl net show'
  TRY=$(mktemp -d -p "$ROOT/var/tmp" sas-grid-lustre.XXXXXX)
  trap remove_trial EXIT
  mkdir "$TRY"/{mdt,ost,client}
  mdt=$(make_target mdt --fsname=sgtest --mgs --mdt --index=0)
  ost=$(make_target ost --fsname=sgtest --ost --index=0 --mgsnode="$nid")
  mount -t lustre "$mdt" "$TRY/mdt"
  mount -t lustre "$ost" "$TRY/ost"
  mount -t lustre -o flock "$nid:/sgtest" "$TRY/client"
  # Objects are made once the targets know each other.
  wait_until "${SAS_GRID_WAIT:-60}" ost_is_there || wrong 'the object storage target does not appear at the client'
  head -c 64M /dev/urandom >"$TRY/data"
  cp "$TRY/data" "$TRY/client/data"
  sync
  echo 3 >"$ROOT/proc/sys/vm/drop_caches"
  lctl set_param -n 'ldlm.namespaces.*.lru_size=clear' || :
  cmp "$TRY/data" "$TRY/client/data" || wrong 'the client does not read what it wrote'
  flock -n "$TRY/client/data" true || wrong 'flock does not work on the client'
  health=$(lctl get_param -n health_check)
  [[ $health == healthy ]] || wrong "health_check says $health"
}
