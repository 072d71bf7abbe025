#!/bin/bash
# Runs sas-grid-serve. When that ends with a file system that e2fsck -p leaves to a person, tells what e2fsck would do
# (-fn), and whether all of it is on the list below. What is on the list is repaired once the caller says that a
# snapshot of each volume was completed since. It travels in a document of Systems Manager: user data has no room.
#
# Usage: serve.sh OPTION..., those of sas-grid-serve; FINDING and SNAPSHOTS (with commas) in the environment, or empty.
# Exit codes: those of sas-grid-serve, and 5: damage that may be repaired after a snapshot. The last line then ends with
# "finding" and the number that FINDING has to be.
set -uo pipefail

root=${SAS_GRID_ROOT:-}
program=$root/opt/cdk-sas-grid/bin/sas-grid-serve
run=$root/run/sas-grid
after_snapshot=5
not_yet=75

# What loses nothing that a user can still reach, in e2fsck's words (e2fsck/problem.c of e2fsprogs 1.47): patterns of
# whole lines without the answer, each under its codes (e2fsck/problem.h) and the reason. Anything else is for a person:
# also a warning, and what cannot be read.
safe() {
  cat <<'END'
# What e2fsck says of itself.
e2fsck [0-9][^ ]* \([^)]*\)
MMP interval is [0-9]+ seconds and total wait time is [0-9]+ seconds\. Please wait\.\.\.
Pass 1: Checking inodes, blocks, and sizes
Pass 2: Checking directory structure
Pass 3: Checking directory connectivity
Pass 4: Checking reference counts
Pass 5: Checking group summary information
.*: \*{10} WARNING: Filesystem still has errors \*{10}
.*: [0-9]+/[0-9]+ files \([0-9.]+% non-contiguous\), [0-9]+/[0-9]+ blocks
# 0x010037 0x010036 Files that were being shortened or deleted when the server died are on a list, whose links are kept
# in the times of deletion. Where an error is recorded e2fsck does not follow it: it takes the files off, as they are.
Inodes that were part of a corrupted orphan linked list found\.
Inode [0-9]+ was part of the orphaned inode list\.
# 0x010005 The same: a file that is in use has no time of deletion.
Inode [0-9]+ is in use, but has dtime set\.
# 0x010004 A deleted file gets its time. If it had a name left, pass 2 would say so, in words that are not listed.
Deleted inode [0-9]+ has zero dtime\.
# 0x01000c A file gets longer, to hold the blocks that it has; never shorter (see unsafe). It is one that was written or
# shortened when the server died: its end is what nobody was told was written, or had just been cut off.
Inode [0-9]+, i_size is [0-9]+, should be [0-9]+\.
# 0x01000d A count that no read looks at. A smaller one is how a file looks that has lost blocks (see unsafe).
Inode [0-9]+, i_blocks is [0-9]+, should be [0-9]+\.
# 0x050003 0x050004 0x050005 0x050006 0x050007 0x050008 0x050009 0x05000a 0x050014 0x050015 0x050016 0x050017 What is in
# use is computed from the files, which nothing on this list takes a block from.
(Block|Inode) bitmap differences: ( [-+]([0-9]+|\([0-9]+--[0-9]+\)))+
# 0x05000b 0x05000c 0x05000d 0x05000e 0x05000f Counted from those bitmaps.
Free (blocks|inodes) count wrong( for group #[0-9]+)? \([0-9]+, counted=[0-9]+\)\.
Directories count wrong for group #[0-9]+ \([0-9]+, counted=[0-9]+\)\.
# 0x060002 Counted from the files, for each of their owners.
\[QUOTA WARNING\] Usage inconsistent for ID [0-9]+:actual \(-?[0-9]+, -?[0-9]+\) != expected \(-?[0-9]+, -?[0-9]+\)
\[QUOTA WARNING\] Missing quota entry ID [0-9]+
Update quota info for quota type [0-2]
# 0x06000d A mark for a list that is empty.
Feature orphan_present is set but orphan file is clean\.
END
}

# configure: writes the configuration with which e2fsck -p does what is on the list, and stops at any other problem,
# also at one that it would repair by itself (e2fsck.conf(5), "problems"). Extents are not tidied up.
configure() {
  local codes pass number
  codes=$(safe | grep '^#' | grep -oE '0x[0-9a-f]{6}')
  {
    printf '[options]\nno_optimize_extents = true\n[problems]\n'
    # shellcheck disable=SC2086 # codes are words
    printf '%s = {\npreen_ok = true\n}\n' $codes
    for pass in 000 010 011 012 013 014 020 030 031 040 050 060; do
      for ((number = 0; number < 256; number++)); do printf '0x%s%03x\n' "$pass" "$number"; done
    done | grep -vxF "$codes" | sed 's/$/ = {\npreen_ok = false\n}/'
  } >"$run/e2fsck.conf"
}

# mark SAID: prints what tells this damage from an earlier one.
mark() {
  stat -c '%i %y' "$1.failed" 2>/dev/null
}

# is_about FILE SAID: whether what the file has in its first line is the damage that is there now.
is_about() {
  local first='' now
  now=$(mark "$2") && read -r first 2>/dev/null <"$1" && [[ $first == "$now" ]]
}

# unsafe SAID: prints what e2fsck would do that is not on the list, and whatever keeps this from being told. Its last
# line says that it came to the end: to print nothing means nothing.
unsafe() {
  local lines
  # Exit codes: 4, it would repair something; 0, nothing.
  [[ $(tail -n 1 "$1.would" 2>/dev/null) =~ ^exit\ [04]$ ]] || echo 'e2fsck could not work'
  lines=$(sed -E '1d; $d; s/ *(Fix|Clear)\? no$//; s/ *IGNORED\.$//; s/\? no$//; s/ +$//; /^$/d' "$1.would" |
    awk '/^Inode [0-9]+, i_size is / && $5 + 0 >= $8 + 0 {print "It would shorten a file: " $0; next}
      /^Inode [0-9]+, i_blocks is / && $5 + 0 > $8 + 0 {print "A file has lost blocks: " $0; next} {print}') || lines=''
  [[ -n $lines ]] || lines='what e2fsck said cannot be read'
  # No here-string: it is a file, and a full /run would have nothing judged.
  printf '%s\n' "$lines" | LC_ALL=C grep -avxE -f <(safe | grep -v '^#')
  [[ ${PIPESTATUS[*]} =~ ^0\ [01]$ ]] && echo judged
}

# verdict SAID: sets found to what unsafe prints; nothing when all is on the list.
verdict() {
  found=$'\n'$(unsafe "$1")
  if [[ $found == *$'\njudged' ]]; then
    found=${found%$'\njudged'} found=${found#$'\n'}
  else
    found='what e2fsck said cannot be judged'
  fi
}

# name_of SAID: as sas-grid-serve calls the file system.
name_of() {
  local name=${1##*/e2fsck}
  name=${name#-}
  echo "${name:-data of sas-grid-$slot}"
}

# say CODE TEXT: the workflow reads the end of what is said.
say() {
  echo "serve: $2" >&2
  exit "$1"
}

# The pool of an NFS server is not active while its damage is left to a person.
pool() {
  local said
  for said in "${!device_of[@]}"; do
    [[ ${device_of[$said]} != "$root/dev/sas-grid-$slot/data" ]] ||
      vgchange -q --config devices/use_devicesfile=0 -a "$1" -K "sas-grid-$slot"
  done
}

# look SAID: what e2fsck would do. One that waits for a dead disk is ended some day; it writes nothing.
look() {
  {
    mark "$1"
    timeout -k 60 "${SAS_GRID_LOOK_SECONDS:-43200}" flock "$run/e2fsck.lock" e2fsck -fn "${device_of[$1]}"
    echo "exit $?"
  } >"$1.would.new" 2>&1
  mv -f "$1.would.new" "$1.would"
}

# mend SAID: looks once more, since a person may have been at it, and repairs. It is tried once for each damage: what is
# left then is for a person. One that is cut off leaves multiple-mount protection on, and the next mount says so.
mend() {
  local status=0 found
  # What the snapshots were made for is what is there now.
  cp "$1.would" "$1.before" || return 0
  look "$1"
  cmp -s "$1.before" "$1.would" || return 0
  verdict "$1"
  [[ -z $found ]] || return 0
  mark "$1" >"$1.tried"
  flock "$run/e2fsck.lock" e2fsck -fp "${device_of[$1]}" >"$1.did" 2>&1 || status=$?
  if ((status < 4)); then
    rm -f "$1.failed" "$1.would" "$1.before" "$1.tried"
  else
    # What is left now.
    look "$1"
  fi
}

# beside COMMAND SAID...: does it for each, one after the other, beside this call. It goes on when the call has ended,
# and keeps the lock: every call then says that it is still being repaired, until it has ended.
beside() {
  local said worker step command=$1
  shift
  mkdir -p "$run/work"
  for said in "$@"; do printf 'repaired %(%s)T %s\n' -1 "${device_of[$said]}" >"$run/work/$(name_of "$said")"; done
  set -m
  (
    trap 'pool n; for said in "$@"; do rm -f "$run/work/$(name_of "$said")"; done' EXIT
    export E2FSCK_CONFIG=$run/e2fsck.conf LC_ALL=C
    pool y
    for said in "$@"; do "$command" "$said"; done
  ) &>"$run/said-repair" </dev/null &
  worker=$!
  set +m
  for ((step = 0; step < ${SAS_GRID_REPAIR_SECONDS:-30} * 5; step++)); do
    kill -0 "$worker" 2>/dev/null || return 0
    sleep 0.2
  done
  say "$not_yet" "$(name_of "$1") is still being repaired; call again"
}

# left_to_person SAID WHY LINE...: with one command, which asks before each repair. The workflow keeps 300 characters.
left_to_person() {
  local device=${device_of[$1]} activate='' lines
  [[ $device != "$root/dev/sas-grid-$slot/data" ]] ||
    activate="vgchange --config devices/use_devicesfile=0 -a y -K sas-grid-$slot && "
  lines=$(head -n 2 <<<"$3" | cut -c 1-36)
  say 1 "$(name_of "$1") is for a person: $2 (${lines//$'\n'/; }; all: $4). After a snapshot: ${activate}e2fsck -f $device"
}

# The agent may be there before user data has brought the program.
[[ -e $program ]] || say "$not_yet" 'the software is still being installed'
[[ -s $program ]] || {
  # A power failure can leave an empty file, which the shell would run with success.
  echo "$program is empty" >&2
  exit 1
}
slot='' epoch='' volumes=''
for ((at = 1; at < $#; at++)); do
  following=$((at + 1))
  case ${!at} in
    --slot) slot=${!following} ;;
    --epoch) epoch=${!following} ;;
    --volumes) volumes=${!following} ;;
  esac
done
mkdir -p "$run" || exit 1
# Before bash 5.1 every here-document is a file.
export TMPDIR=$run
words=$run/words.$$
trap 'rm -f "$words"' EXIT

# know_all_users: metadata servers look each user up among their own accounts, and refuse who is not there; those of the
# grid are not (Lustre's manual, "User/Group Upcall"). The management server of a new file system keeps this for them,
# over reboots, too. One that is in use stays as it is: its metadata servers may know its users, with all their groups.
know_all_users() {
  [[ -e $root/etc/sas-grid/lustre-mgs.env && " $* " == *' --may-format '* ]] || return 0
  [[ $(timeout 60 lctl --device MGS llog_print params 2>/dev/null) != *identity_upcall* ]] || return 0
  timeout 60 lctl set_param -P 'mdt.*.identity_upcall=NONE' >&2
}

# serve OPTION...: ends with what sas-grid-serve says, unless that is damage that waits for a person.
serve() {
  local status=0 line by_hand
  by_hand='e2fsck -f ([^;[:space:]]+); to try e2fsck -p once more: rm ([^;[:space:]]+)\.failed'
  "$program" "$@" 2>"$words" || status=$?
  ((status != 0)) || know_all_users "$@" 2>>"$words" || status=$not_yet
  device_of=()
  while read -r line; do
    [[ $line =~ $by_hand && ${BASH_REMATCH[1]} == "$root"/dev/* && ${BASH_REMATCH[2]} == "$run"/e2fsck* ]] &&
      device_of[${BASH_REMATCH[2]}]=${BASH_REMATCH[1]}
  done < <(grep -oE "$by_hand" "$words")
  tail -n 20 "$words" | tail -c 1500 >&2
  ((status == 1 && ${#device_of[@]} > 0)) || exit "$status"
}

# judge SAID...: ends where a person has to decide, and sets finding.
judge() {
  local said found
  for said in "$@"; do
    verdict "$said"
    [[ -z $found ]] || left_to_person "$said" 'e2fsck would do more than is safe' "$found" "$said.would"
    ! is_about "$said.tried" "$said" ||
      left_to_person "$said" 'the repair did not end' "$(tail -n 2 "$said.did")" "$said.did"
  done
  finding=$({
    echo "$slot $epoch"
    for said in "$@"; do cat "$said.would"; done
  } | sha256sum | cut -c 1-16)
}

# permitted: whether this damage may be repaired: there is a snapshot of each volume.
permitted() {
  [[ -n $finding && ${FINDING:-} == "$finding" && ${SNAPSHOTS:-} == snap-* && ${SNAPSHOTS//[^,]/} == "${volumes//[^,]/}" ]]
}

# main OPTION...
main() {
  local said damaged unseen=()
  serve "$@"
  exec 9>"$run/serve.lock"
  flock -w 20 9 || say "$not_yet" "others of $slot are still being mounted or repaired; call again"
  # Nobody has been told anything else since.
  { grep -qxF "SLOT=$slot" "$root/etc/sas-grid/slot.env" && grep -qxF "EPOCH=$epoch" "$root/etc/sas-grid/slot.env"; } ||
    say "$not_yet" 'another call came in between'
  configure || exit 1
  mapfile -t damaged < <(printf '%s\n' "${!device_of[@]}" | sort)
  for said in "${damaged[@]}"; do
    [[ -e $said.failed ]] || say "$not_yet" 'a person has asked for another try'
    is_about "$said.would" "$said" || unseen+=("$said")
  done
  ((${#unseen[@]} == 0)) || beside look "${unseen[@]}"
  judge "${damaged[@]}"
  permitted || say "$after_snapshot" "$(name_of "${damaged[0]}") is damaged, and e2fsck would do only what loses nothing: it may be repaired once a snapshot of each volume is completed; finding $finding"
  echo "serve: repairs ${damaged[*]##*/} after $SNAPSHOTS" >&2
  beside mend "${damaged[@]}"
  exec 9>&-
  ((SECONDS < 300)) || say "$not_yet" "$slot is repaired and still being mounted; call again"
  FINDING='' SNAPSHOTS='' main "$@"
}

declare -A device_of=()
main "$@"
