#!/bin/bash
# Asked of the hosts of a deployment that is put to sleep, or wakes. It travels in a document of Systems Manager.
#
#   work     whether somebody works on this host: processes of accounts other than root's that use the shared file
#            system or the scratch. Changes nothing.
#   unmount  stops what this host serves, and unmounts the file systems of its slot, or of its cluster. Told again, it
#            does what is left. The server ends afterwards.
#   mounted  whether a host with users has its file system mounted. Changes nothing.
#
# The last line says what was found. Exit codes: 0 nobody works, unmounted, mounted; 10 somebody works; 75 not mounted
# yet; 1 it could not be unmounted, or it cannot tell.
set -u

root=${SAS_GRID_ROOT:-}

# setting ROLE KEY
setting() {
  sed -n "s/^$2=//p" "$root/etc/sas-grid/$1.env" 2>/dev/null | tail -n 1
}

# role NAME
role() {
  [[ -e $root/etc/sas-grid/$1.env ]]
}

end() {
  printf '%s\n' "${*:2}" | tr '\n' ' '
  exit "$1"
}

# mounted DIRECTORY: an automount is none.
mounted() {
  awk -v dir="$root$1" '$2 == dir && $3 != "autofs" {n++} END {exit !n}' "$root/proc/mounts"
}

# shared: prints where users of this host have the shared file system.
shared() {
  if role grid-node; then setting grid-node SHARED_MOUNT; fi
  if role local-volumes; then setting local-volumes MOUNT_POINT; fi
  if role gfs2-node; then setting gfs2-node MOUNT_POINT; fi
}

# used: prints where users of this host write.
used() {
  shared
  if role scratch; then
    setting scratch SASWORK_PATH
    setting scratch UTILLOC_PATH
  fi
}

# users: prints the accounts of processes that have something open there, stand there, or were started from there.
users() {
  local place
  while read -r place; do
    [[ -n $place ]] || continue
    find "$root"/proc/[0-9]*/{cwd,exe,fd} -maxdepth 1 -type l ! -user root \
      \( -lname "$root$place" -o -lname "$root$place/*" \) -printf '%u %h\n' 2>/dev/null
  done < <(used) | sed -E 's#( .*/proc/[0-9]+).*#\1#' | sort -u |
    awk '{count[$1]++} END {for (name in count) print name, count[name]}' | sort
}

work() {
  local found
  found=$(users) || end 1 'the processes of this host cannot be seen'
  [[ -z $found ]] || end 10 "$(awk '{
    printf "%s%s has %s process%s at work", sep, $1, $2, ($2 > 1 ? "es" : "")
    sep = ", "
  }' <<<"$found")"
  end 0 'nobody is at work'
}

is_mounted() {
  local place
  while read -r place; do
    mounted "$place" || end 75 "$place is not mounted yet"
  done < <(shared | sort -u)
  end 0 "mounted: $(shared | sort -u | paste -sd ' ')"
}

# end_hold: writes that a backup holds go on. What is unmounted while it is frozen stays frozen, and nothing can reach it
# any more; what waits for it could not be stopped. The backup is told that its hold was over (hold.sh).
end_hold() {
  local mark=$root/run/sas-grid/hold kind='' what=''
  [[ -e $mark ]] || return 0
  { exec 9>"$mark.lock" && flock -w 60 9; } || end 1 'a backup holds writes, or lets them go: try again'
  read -r _ kind what <"$mark"
  [[ $kind != freeze ]] || fsfreeze -u "$root$what" >/dev/null 2>&1 || true
  rm -f "$mark"
  exec 9>&-
}

# let_go DIRECTORY: unmounts it, if it is mounted.
let_go() {
  local said
  mounted "$1" || return 0
  said=$(umount "$root$1" 2>&1) || end 1 "$1 could not be unmounted: $said"
}

# close_pool: the volume group of the slot, by the devices that the kernel has, whatever LVM's own list of devices says.
close_pool() {
  local slot
  slot=$(sed -n 's/^SLOT=//p' "$root/etc/sas-grid/slot.env" 2>/dev/null)
  [[ -n $slot ]] || return 0
  vgchange -q --config 'devices{use_devicesfile=0} backup{backup=0 archive=0}' -a n "sas-grid-$slot" \
    >/dev/null 2>&1 || true
}

# lustre_targets: prints what is mounted where.
lustre_targets() {
  awk -v dir="$root/srv/lustre/" -v skip=${#root} \
    'index($2, dir) == 1 && $3 ~ /^lustre/ {print $1, substr($2, skip + 1)}' "$root/proc/mounts"
}

unmount() {
  local source target
  end_hold
  if role gfs2-node; then
    # With Pacemaker the mount, the volume group and the locks stop, in this order. Corosync stays, so that those that
    # are slower keep the quorum.
    systemctl stop pacemaker.service || end 1 'Pacemaker did not stop: see journalctl -u pacemaker'
    ! mounted "$(setting gfs2-node MOUNT_POINT)" || end 1 "$(setting gfs2-node MOUNT_POINT) is still mounted"
    end 0 'left the cluster'
  fi
  if role nfs-server; then
    systemctl stop nfs-server.service nfsdcld.service || end 1 'nfsd did not stop: see journalctl -u nfs-server'
    let_go "/export/$(setting nfs-server EXPORT_NAME)"
    let_go /var/lib/nfs/nfsdcld
    close_pool
    end 0 'unmounted the export'
  fi
  if role local-volumes; then
    let_go "$(setting local-volumes MOUNT_POINT)"
    close_pool
    end 0 'unmounted the file system'
  fi
  while read -r source target; do
    let_go "$target"
    # A pool that is exported is imported at once; any other one too, after its protection has waited.
    [[ $source == /* ]] || zpool export "${source%%/*}" >/dev/null 2>&1 || true
  done < <(lustre_targets)
  end 0 'unmounted all targets'
}

case ${WHAT:-} in
  work) work ;;
  unmount) unmount ;;
  mounted) is_mounted ;;
  *) end 1 "WHAT is '${WHAT:-}'; allowed: work, unmount or mounted" ;;
esac
