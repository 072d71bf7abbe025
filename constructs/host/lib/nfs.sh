# shellcheck shell=bash disable=SC2034
# The kernel's NFS server: what it exports and to whom, and that it never runs without its file systems.

EXPORT=/export/$(setting EXPORT_NAME)
# nfsdcld keeps here which clients may reclaim their opens and locks after a restart.
STATE=/var/lib/nfs/nfsdcld

# nfsd_threads: prints 16 for each processor, 8 at least, with their buffers of 1 MiB in a sixteenth of the memory.
nfsd_threads() {
  local threads most
  threads=$((16 * $(grep -c ^processor "$ROOT/proc/cpuinfo")))
  most=$(awk '/^MemTotal:/ {print int($2 / 16384)}' "$ROOT/proc/meminfo")
  ((threads <= most)) || threads=$most
  ((threads >= 8)) || threads=8
  setting NFSD_THREADS "$threads"
}

# Before nfs-utils 2 there is neither nfsconf nor nfsdcld.
require_nfs() {
  type -P nfsconf >/dev/null || die "$EXIT_ERROR" 'the NFS software is too old: use RHEL 8/9, Debian 12, Ubuntu 22.04 or newer'
}

# exports: prints the line for exports(5). The fixed fsid keeps file handles valid on the next server.
exports() {
  local client clients options
  options=$(setting EXPORT_OPTIONS '')
  [[ ! ,$options, =~ ,(async|insecure|fsid=[^,]*), ]] ||
    die "$EXIT_ERROR" "EXPORT_OPTIONS has ${BASH_REMATCH[1]}, which is not allowed: it loses writes, lets in any process, or breaks file handles"
  clients=$(setting CLIENTS)
  IFS=, read -ra clients <<<"$clients"
  printf %s "$EXPORT"
  for client in "${clients[@]}"; do
    [[ $client =~ ^[0-9]+(\.[0-9]+){3}(/[0-9]+)?$ ]] || die "$EXIT_ERROR" "CLIENTS has '$client', which is no IPv4 network"
    printf ' %s(sec=sys,rw,sync,root_squash,no_subtree_check,mountpoint,fsid=1%s)' "$client" "${options:+,$options}"
  done
  echo
}

# unit_lines ADDRESS SCOPE MOUNT...: prints what is ours in nfs-server.service. Without its mounts it does not start: clients would
# see an empty directory. nfsd takes its scope from the host name when it starts; with another one clients that come
# from the previous server would not reclaim.
# What exportfs has just read has to be in etab: with a full root disk that is written short, and exportfs says nothing. Clients would be refused, where
# otherwise they wait.
unit_lines() {
  local grace lease threads
  grace=$(setting GRACE_SECONDS 30) lease=$(setting LEASE_SECONDS 30) threads=$(nfsd_threads)
  echo '[Unit]'
  printf 'AssertPathIsMountPoint=%s\n' "${@:3}"
  printf 'RequiresMountsFor=%s\nRequires=nfsdcld.service\nAfter=nfsdcld.service\n[Service]\nExecStart=\n' "${*:3}"
  printf 'ExecStartPre=/bin/grep -q "^%s[[:space:]]" /var/lib/nfs/etab\n' "$EXPORT"
  printf 'ExecStart=/usr/bin/unshare --uts /bin/sh -c "echo %s >/proc/sys/kernel/hostname && exec /usr/sbin/rpc.nfsd %s"\n' \
    "$2" "-H $1 -G $grace -L $lease $threads"
}

# stop_nfs: the distribution starts the server by itself, at installation and at boot, with its state on the root disk, and with
# what version 3 needs: that is masked, as Red Hat advises for a server of version 4 only.
stop_nfs() {
  ! systemctl is-enabled --quiet nfs-server.service || systemctl disable nfs-server.service >&2
  systemctl stop nfs-server.service nfsdcld.service >&2
  systemctl mask --now rpc-statd.service rpcbind.service rpcbind.socket >&2
}

# keep_helpers: what nfsd asks who may mount what, and where it keeps its clients, comes back when it is killed, for want of memory for
# example. Without them nfsd goes on and answers, but new clients wait for ever, or are not known after a fail-over. Not by Restart=, whose job
# reaches nfs-server.service, which requires both (systemd.unit(5)), and brings a grace period to everybody (RestartMode=direct is not in RHEL 9).
keep_helpers() {
  local helper status=1
  for helper in nfs-mountd nfsdcld; do
    ! changed "$ROOT/etc/systemd/system/$helper.service.d/sas-grid.conf" \
      <<<$'[Unit]\nOnFailure=sas-grid-again@'"$helper"$'.service\n[Service]\nRestart=no' || status=0
  done
  return $status
}

# settle_nfs_conf: for what nfsd and its helpers read, the last file that says it counts: what converted another
# configuration (nfsconvert writes local.conf) stands after nfs.conf. Before nfs-utils 2.5 there are no such files, and
# nfs.conf itself has to say it. The clients' groups count, since this host does not know their users.
settle_nfs_conf() {
  local tag
  changed "$ROOT/etc/nfs.conf.d/zz-sas-grid.conf" <<<$'[nfsd]\nvers2=n\nvers3=n\n[mountd]\nmanage-gids=n' || :
  for tag in 'nfsd vers2' 'nfsd vers3' 'mountd manage-gids'; do
    # shellcheck disable=SC2086 # two words
    says_no $tag || nfsconf --set $tag n
    # shellcheck disable=SC2086
    says_no $tag || die "$EXIT_ERROR" "[${tag/ /] } is not n: a file of /etc/nfs.conf.d after zz-sas-grid.conf says so"
  done
}

says_no() {
  [[ $(nfsconf --get "$1" "$2" || true) == n ]]
}

# start_nfs ADDRESS SCOPE MOUNT...: exports the first mount, on this address only.
start_nfs() {
  local verb=start units='' lines unit
  lines=$(exports)
  unit=$(unit_lines "$@")
  settle_nfs_conf
  # An export that nobody has used yet, and whose mode nobody has changed, is for everybody.
  [[ -n $(find "$ROOT$3" -mindepth 1 ! -name lost+found -print -quit) || $(stat -c %a "$ROOT$3") != 755 ]] || chmod 1777 "$ROOT$3"
  ! type -P restorecon >/dev/null || restorecon "${@:3}" >&2 || true
  if changed "$ROOT/etc/exports.d/sas-grid.exports" <<<"$lines"; then verb=restart; fi
  if changed "$ROOT/etc/systemd/system/nfs-server.service.d/sas-grid.conf" <<<"$unit"; then verb=restart units=new; fi
  ! keep_helpers || units=new
  [[ -z $units ]] || systemctl daemon-reload
  systemctl "$verb" nfs-server.service >&2
}
