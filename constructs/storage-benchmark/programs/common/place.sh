# shellcheck shell=bash disable=SC2034,SC2154
# Where test files go: <Directory>/.sas-grid-benchmark/<RunId>/<host>, and nowhere else. All of it is done from inside
# .sas-grid-benchmark, which is looked at after it was entered: whoever may write to <Directory> could put a link in its
# place.

BASE=.sas-grid-benchmark

# mount_of PATH: prints device, type, options and mount point of the file system that PATH is on, with tabs between.
mount_of() {
  awk -v path="$1" '
    {
      point = $2
      gsub(/\\040/, " ", point)
      if ((point == "/" || path == point || index(path, point "/") == 1) && length(point) >= longest) {
        longest = length(point)
        found = $1 "\t" $3 "\t" $4 "\t" point
      }
    }
    END {print found}' "$ROOT/proc/mounts" 2>/dev/null
}

# no_links PATH: refuses a path with a symbolic link in it. A mount point is none; on the hosts of the embedded AWS it may be one.
no_links() {
  local left=$1
  while [[ ${#left} -gt ${#ROOT} ]]; do
    if [[ -L $left ]] && ! awk -v path="$left" '$2 == path {found = 1} END {exit !found}' "$ROOT/proc/mounts" 2>/dev/null; then
      refuse no-directory "${left#"$ROOT"} is a symbolic link: name the directory itself"
    fi
    left=${left%/*}
  done
}

# see_directory: checks Directory, and sets DEVICE, TYPE, OPTIONS and POINT.
see_directory() {
  local path
  number KeepFreePercent 1 90
  number Hosts 1 4096
  word RequireMount 'yes|no' "'yes' or 'no'"
  word Directory '(/[A-Za-z0-9_][A-Za-z0-9._-]*)+' 'an absolute path of letters, digits, dots, underscores and hyphens'
  path=$ROOT$SG_Directory
  # Whoever looks lets automount do its work. A server that is gone makes whoever looks wait.
  timeout 60 stat "$path/." >/dev/null 2>&1 || refuse no-directory "$SG_Directory is not there, or does not answer within 60 s"
  no_links "$path"
  IFS=$'\t' read -r DEVICE TYPE OPTIONS POINT < <(mount_of "$path")
  if [[ $SG_RequireMount == yes ]]; then
    [[ -n ${POINT:-} && $POINT != / && $POINT != "${ROOT:-/}" && $TYPE != autofs ]] ||
      refuse not-mounted "$SG_Directory is on the root file system: nothing is mounted there"
  fi
  [[ ,${OPTIONS:-rw}, != *,ro,* ]] || refuse not-mounted "$SG_Directory is mounted read-only"
}

# enter_place: makes the directory for the files of this run on this host and goes to the one above. OWN is its path from there.
enter_place() {
  local try
  OWN=./$SG_RunId/$HOST
  for try in 1 2 3 4 5; do
    enter_base
    # Another host that has just ended removes what is empty.
    if { "${AS[@]}" mkdir -p -m 755 "./$SG_RunId" && ours && "${AS[@]}" rm -rf -- "$OWN" && "${AS[@]}" mkdir -m 755 "$OWN"; } 2>/dev/null; then
      PLACED=yes
      return
    fi
    [[ ! -L ./$SG_RunId && ! -L $OWN ]] || break
    sleep 0.1
  done
  refuse no-directory "${SG_User} cannot make directories in $SG_Directory/$BASE, or they are not its own: name an account that can with User," \
    "or look at what is there and remove it"
}

# enter_base: goes to .sas-grid-benchmark, which is made if need be, and not to where a link in its place leads.
enter_base() {
  local above
  cd -P "$ROOT$SG_Directory" 2>/dev/null || refuse no-directory "$SG_Directory cannot be entered"
  above=$(pwd -P)
  "${AS[@]}" mkdir -m 755 "$BASE" 2>/dev/null
  cd "./$BASE" 2>/dev/null || refuse no-directory "$SG_User cannot write to $SG_Directory: name an account that can with User"
  [[ $(pwd -P) == "$above/$BASE" ]] || refuse no-directory "$SG_Directory/$BASE is a symbolic link: look where it leads, and remove it"
}

# ours: whether .sas-grid-benchmark belongs to whom a directory that is made now belongs to: that need not be the account that makes it, since
# servers may give root's to somebody else (root_squash). What is somebody else's, he could replace meanwhile.
ours() {
  local owner
  [[ ! -L ./$SG_RunId ]] || return
  "${AS[@]}" mkdir -p "$OWN-check" || return
  owner=$(stat -c %u "$OWN-check")
  "${AS[@]}" rmdir "$OWN-check"
  [[ $owner == "$(stat -c %u .)" && $owner == "$(stat -c %u "./$SG_RunId")" ]]
}

# remove_all PATH...: over NFS, a file that a process has open only gets another name when it is removed, and its directory stays. A process that was killed
# closes its files after it is gone from /proc, when the server has what it wrote. So it tries again, for a minute. A server that is gone cannot make it
# wait for ever. (In a trap, "return" alone would return what the program ended with.)
remove_all() {
  local try code
  for ((try = 0; try < 60; try++)); do
    timeout -k 5 300 "${AS[@]}" rm -rf -- "$@" 2>/dev/null && return 0
    code=$?
    # It was ended for its time.
    ((code != 124 && code != 137)) || return 1
    sleep 1
  done
  return 1
}

# leave_place: removes what is this run's on this host, from inside .sas-grid-benchmark.
leave_place() {
  local base
  base=$(pwd -P)
  [[ ${base##*/} == "$BASE" && $OWN == ./?*/?* ]] || return 1
  remove_all "$OWN" "$OWN-check" || return 1
  "${AS[@]}" rmdir -- "${OWN%/*}" "$base" 2>/dev/null
  return 0
}

# empty_place: removes the files of what was measured so far.
empty_place() {
  "${AS[@]}" find "$OWN" -mindepth 1 -delete
}

# room: prints the size of the file system and what is available there, in MiB.
room() {
  df -Pk . 2>/dev/null | awk 'NR == 2 {print int($2 / 1024), int($4 / 1024)}'
}

# inodes DIRECTORY: prints how many files its file system can have and how many more may be made; nothing when it does not tell: 0 of 0 on Btrfs, on EFS and on
# some NFS servers, a dash, or a number that means none.
inodes() {
  df -Pi "$1" 2>/dev/null | awk 'NR == 2 && $2 $4 ~ /^[0-9]+$/ && length($2) <= 15 && $2 + 0 > 0 {print $2, $4}'
}

# need_inodes FILES: refuses when so many files on each of the hosts, and the directories for them, would leave less than KeepFreePercent of what the file
# system can have. Looked at before anything is made there: where no file can be made, no directory can.
need_inodes() {
  local files left need=$((($1 + 8) * SG_Hosts))
  read -r files left < <(inodes "$ROOT$SG_Directory") || return 0
  KEEP_INODES=$((files * SG_KeepFreePercent / 100))
  ((need + KEEP_INODES <= left)) || refuse no-room "$SG_Directory has room for $left more files of $files (inodes); the test makes $need" \
    "($SG_Hosts host(s)) and $KEEP_INODES ($SG_KeepFreePercent %) have to stay free"
}

# need_room FILES [MIB]: refuses when so many files of FILE_MIB, and so much besides, on each of the hosts would leave less than KeepFreePercent. Files
# whose size was left to this host are made smaller instead, if they fit then.
need_room() {
  local size need left
  read -r size FREE < <(room) || refuse no-room "df does not tell how much room $SG_Directory has"
  KEEP_MIB=$((size * SG_KeepFreePercent / 100))
  need=$(((FILE_MIB * $1 + ${2:-0}) * SG_Hosts))
  left=$(((FREE - KEEP_MIB) / SG_Hosts - ${2:-0}))
  if ((need + KEEP_MIB > FREE && SG_FileMiB == 0 && left / $1 >= 256)); then
    FILE_MIB=$((left / $1)) REDUCED=true
    note "files of $FILE_MIB MiB, since larger ones would not leave $SG_KeepFreePercent % of $SG_Directory free"
    return
  fi
  ((need + KEEP_MIB <= FREE)) || refuse no-room "$SG_Directory has $FREE MiB free; the files need $need MiB" \
    "($SG_Hosts host(s)) and $KEEP_MIB MiB ($SG_KeepFreePercent %) have to stay free"
}

# others_write: refuses when another run has written to this file system within the last two minutes, from whichever host. Who reads gives a sign of
# life (watch_room).
others_write() {
  local found
  found=$(find . -mindepth 3 -maxdepth 3 -type f -mmin -2 -not -path "./$SG_RunId/*" -print -quit 2>/dev/null)
  [[ -z $found ]] || refuse busy "another run of the benchmark writes to $SG_Directory: ${found#./}"
}
