# shellcheck shell=bash disable=SC2034 # serve-lustre.sh and lustre-targets.sh use the names
# Lustre targets on ZFS: a pool for each, named after it, and a dataset in the pool.

FORMAT_OPTIONS=()

# locate DEVICE NAME: sets SOURCE, what is mounted, and TARGET, what is formatted.
locate() {
  SOURCE=${2,,}/target
  TARGET="$SOURCE $1"
  own_host_id
}

# own_host_id: multihost tells servers apart by /etc/hostid. One that came with the image is the same on all of them:
# the successor of a server that still runs would import its pool without a check. While a pool is imported it must not
# change. One that is right is not written again, since the disk may be full.
own_host_id() {
  local id
  id=$(metadata instance-id | sha256sum)
  id="\\x${id:6:2}\\x${id:4:2}\\x${id:2:2}\\x${id:0:2}"
  [[ -n $(zpool list -H -o name 2>/dev/null) ]] || printf '%b' "$id" | cmp -s - "$ROOT/etc/hostid" ||
    printf '%b' "$id" | write_file "$ROOT/etc/hostid" || die "$EXIT_ERROR" "cannot write $ROOT/etc/hostid"
}

# open_target MARKED: a pool that another server had last needs -f. Multihost, which mkfs.lustre turns on, still
# refuses while that server is alive; it takes some 40 seconds to be sure. When this host began to format it (MARKED is
# not empty), there may be no pool yet. Any other failure says nothing of what the disks carry.
open_target() {
  local pool=${SOURCE%/*} command=(zpool import -d "$ROOT/dev/disk/by-id" -o cachefile=none) message
  if ! zpool list "$pool" >/dev/null 2>&1 && ! message=$("${command[@]}" "$pool" 2>&1); then
    log "$message"
    [[ -z $1 || $message != *'no such pool available'* ]] || return 0
    if [[ $message != *'previously in use from another system'* ]] || ! "${command[@]}" -f "$pool" >&2; then
      die "$EXIT_NOT_YET" "the pool $pool cannot be imported yet"
    fi
  fi
}

# require_no_target: a second witness before a pool is formatted again, since tunefs.lustre says "not found" of whatever
# it cannot read. Of a target's properties mkfs.lustre writes the name last but for three that are not used here.
require_no_target() {
  local pool=${SOURCE%/*} found
  zpool list "$pool" >/dev/null 2>&1 || return 0
  found=$(zfs list -H -r -o lustre:svname "$pool" | tr -d '\n-') || found='?'
  [[ -z $found ]] || die "$EXIT_REFUSED" "refused: cannot tell what the pool $pool carries: $found"
}

# bring_up NAME SOURCE: of a pool that is protected against a second import, and not in the cache file, from which it
# would be imported at boot, whoever serves its slot by then: mkfs.lustre leaves it there.
bring_up() {
  local pool=${2%/*}
  [[ $(zpool get -H -o value multihost "$pool") == on ]] ||
    die "$EXIT_REFUSED" "refused: the pool $pool lacks protection against a second import (multihost)"
  zpool set cachefile=none "$pool" >&2 || log "warning: $pool stays in the cache file"
  mount_target "$2" "$ROOT/srv/lustre/$1"
}

# Multihost has kept others away when the pool was imported.
in_use_by() { :; }

# still_right SOURCE VOLUME: of a pool the mount tells the dataset only.
still_right() { :; }
