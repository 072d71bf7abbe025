#!/bin/bash
# What a support bundle has of a host: journals, kernel, disks, mounts, network, configuration and what repairs said,
# without secrets, as one archive that is sent to a signed address. It travels in a document of Systems Manager, and
# changes nothing of what it looks at, but that Lustre's debug buffer is empty after it was read.
#
# The document sets SECRETS (a program of sed, base64), ADDRESS (base64) and SINCE (seconds since 1970).
#
# Exit codes: 0 sent; 1 it could not be sent, or nothing can be cleaned of secrets here: the last line says why.
# shellcheck disable=SC2153 # the document sets it
set -u

root=${SAS_GRID_ROOT:-}
most=${SAS_GRID_BUNDLE_BYTES:-8388608}
patience=${SAS_GRID_BUNDLE_SECONDS:-60}
# Longer than the patience with a command that can be ended.
give_up=${SAS_GRID_BUNDLE_GIVE_UP:-70}
tries=${SAS_GRID_BUNDLE_TRIES:-3}
pause=${SAS_GRID_POLL:-5}
umask 077
export LC_ALL=C
work=$(mktemp -d "${TMPDIR:-/var/tmp}/sas-grid-bundle.XXXXXX") || {
  echo 'no room for a temporary folder'
  exit 1
}
trap 'rm -rf "$work"' EXIT
files=$work/files
mkdir "$files"

fail() {
  echo "$*"
  exit 1
}

clean() {
  sed -E -f "$work/secrets.sed"
}

# row FILE FROM SIZE REMARK: a line of what is in the archive.
row() {
  printf '%s\t%s\t%s\t%s\n' "$@" >>"$files/contents.tsv"
}

# ended PROCESS: waits for it. What waits for a file system or a disk that is gone not even KILL ends: it is left alone.
ended() {
  local looks
  for ((looks = 0; looks < give_up * 20; looks++)); do
    kill -0 "$1" 2>/dev/null || return 0
    sleep 0.05
  done
  kill -KILL "$1" 2>/dev/null
  disown "$1"
  return 1
}

# take FILE COMMAND...: what the command says, the newest of it; and why there is nothing.
take() {
  local file=$1 code size remark=''
  shift
  if ! command -v "$1" >/dev/null; then
    row "$file" "$*" - "this host has no $1"
    return
  fi
  # Until then the address is good, and the document lets this run.
  if ((SECONDS > 420)); then
    row "$file" "$*" - 'there was no more time'
    return
  fi
  # Files of its own: a command that was left alone may still write.
  {
    timeout -k 5 "$patience" "$@" 2>"$work/$file.err" </dev/null | clean | tail -c "$most" >"$work/$file"
    echo "${PIPESTATUS[0]}" >"$work/$file.code"
  } >/dev/null 2>&1 &
  if ! ended $!; then
    row "$file" "$*" - "$1 hangs in the kernel, and cannot be ended"
    return
  fi
  code=$(cat "$work/$file.code")
  mv "$work/$file" "$files/$file"
  size=$(wc -c <"$files/$file")
  ((code == 0)) || remark="$1 ended with $code: $(head -n 1 "$work/$file.err" | clean | tr '\t' ' ')"
  ((size < most)) || remark="only the newest $most bytes; $remark"
  if ((size == 0)); then
    rm "$files/$file"
    row "$file" "$*" - "${remark:-it said nothing}"
  else
    row "$file" "$*" "$size" "$remark"
  fi
}

# texts FILE DIRECTORY: the small text files of a directory, each below its name. Keys and archives are none.
texts() {
  local one size
  for one in "$root$2"/* "$root$2"/*/*; do
    [[ -f $one && ! -L $one ]] || continue
    case ${one##*/} in authkey | *.key | *.asc | *.lock | *.keytab) continue ;; esac
    [[ $one != */bin/* && $one != */lib/* ]] || continue
    [[ $(wc -c <"$one") -le 1048576 ]] || continue
    grep -Iq . "$one" || continue
    printf '==> %s\n' "${one#"$root"}"
    cat "$one"
    echo
  done >"$work/text" 2>/dev/null
  clean <"$work/text" | tail -c "$most" >"$files/$1"
  size=$(wc -c <"$files/$1")
  if ((size == 0)); then
    rm "$files/$1"
    row "$1" "files of $2" - 'there are none'
  else
    row "$1" "files of $2" "$size" ''
  fi
}

collect() {
  local since="@$SINCE" log
  printf 'file\tfrom\tbytes\tremark\n' >"$files/contents.tsv"
  take journal.txt journalctl --no-pager --utc -o short-iso --since "$since" -u 'sas-grid-*' \
    -u amazon-ssm-agent -u nfs-server -u corosync -u pacemaker -u dlm -u lvmlockd
  take kernel.txt journalctl --no-pager --utc -o short-iso --since "$since" -k
  take boots.txt journalctl --no-pager --list-boots
  take units.txt systemctl list-units --all --no-pager --plain 'sas-grid-*'
  take failed-units.txt systemctl list-units --failed --no-pager --plain
  texts configuration.txt /etc/sas-grid
  # What e2fsck and the programs of the product said last.
  texts said.txt /run/sas-grid
  take disks.txt lsblk -o NAME,SIZE,TYPE,FSTYPE,LABEL,UUID,MOUNTPOINT,SERIAL
  take mounts.txt cat "$root/proc/mounts"
  # Of local file systems only: one that hangs keeps whoever asks.
  take space.txt df -hlT
  take inodes.txt df -il
  take addresses.txt ip -s address
  take routes.txt ip route show table all
  take connections.txt ss -tan
  take processes.txt ps -eo pid,ppid,stat,wchan:24,etime,rss,comm
  take memory.txt cat "$root/proc/meminfo"
  take clock.txt chronyc -n tracking
  take nfs-exports.txt exportfs -v
  take lustre-devices.txt lctl dl
  take lustre-health.txt lctl get_param -n health_check
  take lustre-imports.txt lctl get_param '*.*.import'
  take lustre-debug.txt lctl debug_kernel
  take lnet.txt lnetctl stats show
  take cluster.txt crm_mon -1
  for log in cloud-init-output.log user-data.log; do
    [[ ! -f $root/var/log/$log ]] || take "$log.txt" tail -c 1048576 "$root/var/log/$log"
  done
}

# With Python, which every host has: not every image has curl.
send() {
  python3 -c 'import base64, os, sys, urllib.error, urllib.request
path = sys.argv[1]
try:
    with open(path, "rb") as body:
        headers = {"Content-Type": "application/gzip", "Content-Length": str(os.path.getsize(path))}
        address = base64.b64decode(os.environ["ADDRESS"]).decode()
        urllib.request.urlopen(urllib.request.Request(address, body, headers, method="PUT"), timeout=120)
except urllib.error.HTTPError as error:
    sys.exit("S3 refused it: {} {}".format(error.code, error.read(300).decode("utf-8", "replace")))
except Exception as error:
    sys.exit("S3 was not reached: {}".format(error))' "$1"
}

if ! printf %s "${SECRETS-}" | base64 -d >"$work/secrets.sed" || [[ ! -s $work/secrets.sed ]] ||
  ! clean </dev/null 2>&1; then
  fail 'the list of secrets cannot be used here: nothing is sent'
fi
collect
tar -C "$files" -czf "$work/host.tar.gz" . || fail 'no room for the archive'
for ((try = 1; try <= tries; try++)); do
  if why=$(send "$work/host.tar.gz" 2>&1); then
    echo "sent $(wc -c <"$work/host.tar.gz") bytes, $(find "$files" -type f | wc -l) files"
    exit 0
  fi
  ((try == tries)) || sleep "$pause"
done
# What S3 says may hold parts of the address.
fail "$(clean <<<"$why" | tail -n 1 | cut -c 1-500)"
