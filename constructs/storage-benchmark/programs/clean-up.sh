#!/bin/bash
# shellcheck disable=SC2034,SC2153,SC2154 # variables of the document and of common/*.sh
# Removes what a run of the benchmark may have left on this host: processes of this run, and
# <directory>/.sas-grid-benchmark/<RunId>/<host> in each of Directories, or all of
# <directory>/.sas-grid-benchmark/<RunId> with All=yes, which is for when no host writes any more: one that was lost
# leaves its files on a shared file system. Nothing else. Stands after common/*.sh in its document.
#
# Exit codes: 0 nothing is left; anything else: something is.
set -u

word RunId '[A-Za-z0-9][A-Za-z0-9-]{0,63}' 'letters, digits and hyphens'
word User '[a-z_][a-z0-9_-]{0,31}' 'the name of an account'
word Directories '|(/[A-Za-z0-9_][A-Za-z0-9._-]*)+(,(/[A-Za-z0-9_][A-Za-z0-9._-]*)+)*' 'absolute paths with commas between, or nothing'
word All 'yes|no' "'yes' or 'no'"
as_user
see_host
SAS_GRID_BENCHMARK=$SG_RunId/$HOST
end_marked
rm -rf -- "$ROOT/run/sas-grid/benchmark-$SG_RunId"
OWN=./$SG_RunId/$HOST
LEFT=0
IFS=, read -ra DIRECTORIES <<<"$SG_Directories"

# remove: other hosts may do the same at the same time.
remove() {
  if [[ $SG_All == yes ]]; then
    remove_all "./$SG_RunId" || return
  fi
  leave_place
}

# makers: prints whom a directory that is made here may belong to: servers may give root's to somebody else (root_squash). On a full disk nothing can be
# made; that somebody is mostly "nobody".
makers() {
  local own=./$BASE-$HOST-$$
  "${AS[@]}" mkdir -m 700 "$own" 2>/dev/null || { echo " $("${AS[@]}" id -u) 65534 " && return; }
  echo " $(stat -c %u "$own") "
  "${AS[@]}" rmdir "$own"
}

# clean DIRECTORY: in a subshell, which goes there. What is in somebody else's directory he could replace by a link to what he may not remove.
clean() {
  local path=$ROOT$1 makers
  # A server that is gone makes whoever looks wait.
  timeout 60 stat "$path/." >/dev/null 2>&1 || {
    note "$1 is not there, or does not answer within 60 s: files of this run may be in it"
    return 1
  }
  timeout 60 stat "$path/$BASE/$SG_RunId" >/dev/null 2>&1 || return 0
  cd -P "$path" 2>/dev/null && path=$(pwd -P) && makers=$(makers) && cd "./$BASE" 2>/dev/null && [[ $(pwd -P) == "$path/$BASE" && ! -L ./$SG_RunId ]] || {
    note "$1/$BASE is, or goes through, a symbolic link: it was left as it is"
    return 1
  }
  [[ $makers == *" $(stat -c %u .) "* ]] || {
    note "$1/$BASE belongs to somebody else than $SG_User: it was left as it is"
    return 1
  }
  remove || {
    note "$1/$BASE/$SG_RunId could not be emptied"
    return 1
  }
}

for directory in "${DIRECTORIES[@]}"; do
  (clean "$directory") || LEFT=1
done
((LEFT == 0)) || exit 1
record 'done'
