# shellcheck shell=bash disable=SC2034,SC2154
# Whether somebody else uses the file system or the processors of this host. What this host cannot see, it does not
# count: what other hosts do to the same server.

# moved: prints how many bytes this host has read from and written to the file system of Directory; nothing when the kernel does not tell.
moved() {
  local name
  case $TYPE in
    nfs | nfs4)
      # "bytes:" has eight sums (nfs-iostat(8)): the fifth and the sixth were read from and written to the server.
      awk -v point="$POINT" '
        $1 == "device" {ours = ($5 == point)}
        ours && $1 == "bytes:" {printf "%.0f\n", $6 + $7; exit}' "$ROOT/proc/self/mountstats" 2>/dev/null
      ;;
    lustre)
      # "read_bytes <calls> samples [bytes] <least> <most> <sum>", the same for write_bytes.
      # A directory of the file system may be mounted: <servers>:/<file system>/<directory>.
      name=${DEVICE##*:/}
      lctl get_param -n "llite.${name%%/*}-*.stats" 2>/dev/null | awk '
        $1 == "read_bytes" || $1 == "write_bytes" {sum += $7}
        {seen = 1}
        END {if (seen) printf "%.0f\n", sum}'
      ;;
    *)
      disk_moved "$DEVICE"
      ;;
  esac
}

# disk_moved DEVICE: the same of a block device: sectors of 512 bytes (Documentation/admin-guide/iostats.rst).
disk_moved() {
  local name
  name=$(readlink -f "$ROOT$1" 2>/dev/null) || name=$1
  awk -v name="${name##*/}" '$3 == name {printf "%.0f\n", ($6 + $10) * 512}' "$ROOT/proc/diskstats" 2>/dev/null
}

# processors: prints the time that all processors had, and what of it they had nothing to do.
processors() {
  awk '$1 == "cpu" {for (n = 2; n <= 9; n++) all += $n; printf "%.0f %.0f\n", all, $5 + $6}' "$ROOT/proc/stat" 2>/dev/null
}

# not_busy FUNCTION [ARGUMENT]...: looks for some seconds, and refuses when more than BusyMBps is moved, as the function tells, or more than
# BusyCpuPercent of the processors are used. BusyMBps=0 looks at nothing.
not_busy() {
  local seconds=${SAS_GRID_BENCHMARK_LOOK:-5} all idle later before after began ended rate='' used='' text
  number BusyMBps 0 100000
  number BusyCpuPercent 0 100
  ((SG_BusyMBps > 0)) || return 0
  before=$("$@") began=$(now)
  read -r all idle < <(processors)
  pause "$seconds"
  after=$("$@") ended=$(now)
  read -r later text < <(processors)
  [[ -z $before || -z $after ]] ||
    rate=$(awk -v bytes="$((after - before))" -v from="$began" -v to="$ended" 'BEGIN {printf "%.1f", bytes / (to - from) / 1e6}')
  [[ -z ${all:-} || -z ${later:-} ]] || ((later <= all)) || used=$((100 - 100 * (text - idle) / (later - all)))
  text="in the $seconds s before the test others moved ${rate:-an unknown number of} MB/s here and used ${used:-an unknown number of} % of the processors"
  ((${rate%.*} < SG_BusyMBps)) 2>/dev/null || [[ -z $rate ]] ||
    refuse busy "$text; allowed are less than $SG_BusyMBps MB/s: run it when nobody works here, or raise BusyMBps"
  [[ -z $used ]] || ((used <= SG_BusyCpuPercent)) ||
    refuse busy "$text; allowed are $SG_BusyCpuPercent %: run it when nobody works here, or raise BusyCpuPercent"
  note "$text"
}
