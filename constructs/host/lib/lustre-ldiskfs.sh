# shellcheck shell=bash disable=SC2034 # serve-lustre.sh and lustre-targets.sh use the names
# Lustre targets on ldiskfs, which is an ext4: the device carries the target.

# shellcheck source=constructs/host/lib/repair.sh
source "$LIB/repair.sh"

FORMAT_OPTIONS=(--mkfsoptions='-e remount-ro')

# locate DEVICE NAME: sets SOURCE, what is mounted, and TARGET, what is formatted.
locate() { SOURCE=$1 TARGET=$1; }

open_target() { :; }

require_no_target() { :; }

# bring_up NAME SOURCE: mkfs.lustre turned multiple-mount protection on, and e2fsck and the mount keep to it.
bring_up() {
  local said=$ROOT/run/sas-grid/e2fsck-$1
  if repaired "$2" "$1" "$said"; then
    # In the superblock: an MDT and an OST that have it as an option alone, as mkfs.lustre gives it to them, went on
    # writing to damaged data.
    [[ $(dumpe2fs -h "$2" 2>/dev/null || true) == *'Remount read-only'* ]] || tune2fs -e remount-ro "$2" >&2 || :
    mount_target "$2" "$ROOT/srv/lustre/$1"
    ! goes_on "$2" || die "$EXIT_ERROR" "$1 goes on writing after an error (errors=continue)"
  else
    judge "$2" "$1 is $(unrepaired "e2fsck -f $2" "$said")"
    die "$CODE" "$WHY"
  fi
}

# goes_on DEVICE: whether the options in force let it write after an error.
goes_on() {
  grep -qsx errors=continue "$ROOT/proc/fs/ldiskfs/$(basename "$(readlink -f "$1")")/options"
}

# still_right SOURCE VOLUME: prints what is wrong. mount.lustre follows the link, so that the kernel tells which device
# is mounted. It also counts the errors of an ldiskfs, which starts without: since Linux 6.12, and before where a
# distribution took it over, one that has stopped writing stays "healthy" (see probe.sh, stopped_writing).
still_right() {
  local errors
  errors=$(cat "$ROOT/sys/fs/ldiskfs/$(basename "$(readlink -f "$1")")/errors_count" 2>/dev/null || true)
  if ((errors > 0)); then
    echo 'it has met errors, and may have stopped writing'
  elif goes_on "$1"; then
    echo 'it goes on writing after an error (errors=continue)'
  elif [[ ! $1 -ef $(volume_device "$2") ]]; then
    echo "$2 is not $1 any more"
  fi
}
