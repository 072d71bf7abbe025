#!/bin/bash
# Usage: [HOURS=72] [DRY_RUN=yes] bash clean-scratch.sh
#
# Removes the work and utility directories that sessions of SAS which were killed have left on this server's own
# scratch. It travels in a document of Systems Manager. What is in doubt is kept: a name that is not exactly SAS's and
# this host's, a process with the session's number, anything that a process has open, anything that was changed within
# HOURS, a mount inside. No link is followed.
#
# Prints a line with what it did, and one for each directory. Exit codes: 0 done, or nothing to do; 1 something could
# not be removed; 75 it cannot tell.
set -u

root=${SAS_GRID_ROOT:-}
hours=${HOURS:-72}
dry=${DRY_RUN:-no}
run=$root/run/sas-grid

cannot() {
  echo "nothing is removed: $*"
  exit 75
}

# setting ROLE KEY [DEFAULT]
setting() {
  local value
  value=$(sed -n "s/^$2=//p" "$root/etc/sas-grid/$1.env" 2>/dev/null | tail -n 1)
  printf '%s\n' "${value:-${3:-}}"
}

# on_own_disks DIRECTORY: whether a file system that sas-grid-scratch makes is mounted there, never one that others
# share.
on_own_disks() {
  [[ ! -L $root$1 ]] &&
    awk -v dir="$root$1" '$2 == dir {type = $3} END {exit type !~ /^(xfs|ext4)$/}' "$root/proc/mounts"
}

# session NAME: prints the process that the directory belongs to, if the name is SAS's and this host's: SAS_work or
# SAS_util, random digits, the process's number in eight, all hexadecimal, and the host (SAS Usage Note 10011). A number
# that the kernel would not give is in doubt.
session() {
  local host pid
  [[ $1 =~ ^SAS_(work|util)[0-9A-Fa-f]{4,6}([0-9A-Fa-f]{8})_(.+)$ ]] || return 1
  host=${BASH_REMATCH[3]} pid=$((16#${BASH_REMATCH[2]}))
  [[ $host == "$name" || (-n $domain && $host == "$name.$domain") ]] && ((pid > 1 && pid < most)) && echo "$pid"
}

# All that processes have open, work in or have mapped below such a directory. Names of directories are unique, so that
# paths of other mount namespaces, as containers have them, do no harm. Looked at for each directory that may go: to
# remove one takes a while. Its last line says that it came to the end.
all_open() {
  find "$root"/proc/[0-9]*/{fd,cwd,root,exe} -maxdepth 1 -lname '*SAS_*' -printf '%l\n' 2>/dev/null || (($? == 1)) || return
  grep -hs SAS_ "$root"/proc/[0-9]*/maps || (($? <= 2)) || return
  echo 'all of it'
}

# is_young DIRECTORY: whether it, or something down to three levels inside, was changed within the time. So is what
# cannot be looked at.
is_young() {
  local found
  found=$(find "$1" -xdev -maxdepth 3 \( -newermt "@$since" -o -newerct "@$since" \) -print -quit 2>/dev/null) ||
    return 0
  [[ -n $found ]]
}

# why_kept DIRECTORY: prints what speaks for it; nothing when it may go.
why_kept() {
  local base=${1##*/} pid open
  if ! pid=$(session "$base"); then
    echo 'its name is not one of a session of this host'
  elif [[ -L $1 || ! -d $1 ]]; then
    echo 'it is no directory'
  elif [[ -e $root/proc/$pid ]]; then
    echo "process $pid runs"
  elif is_young "$1"; then
    echo "it was changed within $hours hours"
  elif awk -v dir="$1/" 'index($2 "/", dir) == 1 {n++} END {exit !n}' "$root/proc/mounts"; then
    echo 'something is mounted in it'
  elif ! open=$(all_open) || [[ $open != *'all of it' ]]; then
    echo 'what processes have open cannot be read'
  elif [[ $open == *"/$base"* ]]; then
    echo 'a process has it open'
  fi
}

# remove DIRECTORY: what SAS left there. A link that came in its place goes itself, not what it leads to.
remove() {
  if [[ $dry == yes ]]; then
    said+="would remove $1"$'\n'
  elif rm -rf --one-file-system -- "$1" 2>/dev/null; then
    said+="removed $1"$'\n'
    logger -t sas-grid-clean-scratch "removed $1: its session has ended" || true
  else
    said+="could not remove all of $1"$'\n' failed=$((failed + 1))
    return
  fi
  removed=$((removed + 1))
}

[[ $hours =~ ^[1-9][0-9]{0,4}$ ]] || cannot "HOURS is '$hours'"
[[ -e $root/etc/sas-grid/scratch.env ]] || { echo 'this host has no scratch' && exit 0; }
name=$(setting grid-node HOST_NAME) domain=$(setting grid-node DOMAIN)
[[ -n $name ]] || cannot 'this host has no name of a grid'
# Only root sees what others have open.
[[ $EUID -eq 0 || -n $root ]] || cannot 'only root may'
mkdir -p "$run" || cannot 'it cannot write to /run'
exec 9>"$run/clean-scratch.lock" || cannot 'it cannot write to /run'
flock -n 9 || cannot 'another call is still at work'

most=$(cat "$root/proc/sys/kernel/pid_max" 2>/dev/null)
[[ $most =~ ^[0-9]+$ ]] || cannot 'the kernel does not say how many processes there can be'
since=$(($(date +%s) - hours * 3600))
said='' removed=0 failed=0 kept=0
for point in "$(setting scratch SASWORK_PATH /saswork)" "$(setting scratch UTILLOC_PATH /utilloc)"; do
  on_own_disks "$point" || {
    said+="$point is not this server's scratch"$'\n'
    continue
  }
  while IFS= read -r -d '' directory; do
    why=$(why_kept "$directory")
    if [[ -z $why ]]; then
      remove "$directory"
    else
      kept=$((kept + 1))
    fi
  done < <(find "$root$point/" -xdev -mindepth 1 -maxdepth 1 -type d -name 'SAS_*' -print0 2>/dev/null)
done
verb=removed
[[ $dry != yes ]] || verb='to be removed'
printf '%s %s, %s kept, %s failed\n%s' "$removed" "$verb" "$kept" "$failed" "$said"
((failed == 0))
