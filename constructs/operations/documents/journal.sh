#!/bin/bash
# The newest lines of a host's journal, without secrets: of the units of the product, and what the kernel said. It
# travels in a document of Systems Manager, whose answers end at so many characters: older lines are left out, and the
# first line says how many.
#
# The document sets SECRETS (a program of sed, base64), SINCE (seconds since 1970) and MOST (characters).
set -u

umask 077
export LC_ALL=C
work=$(mktemp -d "${TMPDIR:-/var/tmp}/sas-grid-journal.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
if ! printf %s "${SECRETS-}" | base64 -d >"$work/secrets.sed" || [[ ! -s $work/secrets.sed ]] ||
  ! sed -E -f "$work/secrets.sed" </dev/null; then
  echo 'the list of secrets cannot be used here: nothing is shown' >&2
  exit 1
fi
journal() {
  timeout -k 5 60 journalctl --no-pager --utc -q -o short-iso --since "@$SINCE" "$@" </dev/null 2>>"$work/err"
}
{
  journal -u 'sas-grid-*' -u amazon-ssm-agent -u nfs-server -u corosync -u pacemaker
  journal -k
} | sed -E -f "$work/secrets.sed" | sort -s -k 1,1 | uniq >"$work/all"
if [[ ! -s $work/all && -s $work/err ]]; then
  head -n 1 "$work/err" >&2
  exit 1
fi
# Whole lines: the first one of what is left may have lost its beginning.
all=$(wc -c <"$work/all")
if ((all <= MOST)); then
  cat "$work/all"
else
  tail -c "$MOST" "$work/all" | sed 1d >"$work/newest"
  left=$(($(wc -l <"$work/all") - $(wc -l <"$work/newest")))
  echo "cut off: $left earlier lines are left out, since an answer has $MOST characters at most"
  cat "$work/newest"
fi
