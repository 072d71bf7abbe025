#!/bin/bash
# shellcheck disable=SC2034,SC2153,SC2154 # variables of the document and of common/*.sh
# What the targets of an object storage server of Lustre give without network and clients: obdfilter-survey of Lustre's
# I/O kit. It writes objects of its own to the targets, past all clients; Lustre's documentation sees a small risk for
# data that are there. So it is refused unless AllowOnTargets=yes says that they may be lost. Stands after common/*.sh
# in its document. It ran on a real Lustre 2.17.0 with ldiskfs.
#
# Exit codes: 0 done; 75 refused; anything else failed.
set -u

targets() {
  lctl dl 2>/dev/null | awk '$3 == "obdfilter" && $2 == "UP" {print $4}'
}

# targets_moved: prints the bytes that clients have read from and written to the targets.
targets_moved() {
  lctl get_param -n 'obdfilter.*.stats' 2>/dev/null | awk '
    $1 == "read_bytes" || $1 == "write_bytes" {sum += $7}
    {seen = 1}
    END {if (seen) printf "%.0f\n", sum}'
}

# The survey loads it, and leaves it.
has_echo_client() {
  grep -q '^obdecho ' "$ROOT/proc/modules" 2>/dev/null
}

begin
number Seconds 10 86400
number MiB 16 16777216
number KeepFreePercent 1 90
word AllowOnTargets 'yes|no' "'yes' or 'no'"
command -v lctl >/dev/null || refuse unsupported 'this host has no Lustre'
mapfile -t TARGETS < <(targets)
((${#TARGETS[@]} > 0)) || refuse unsupported 'this host serves no object storage target'
[[ $SG_AllowOnTargets == yes ]] ||
  refuse unsupported "it would write to ${TARGETS[*]} past Lustre's clients, with a small risk for what is there: only with AllowOnTargets=yes, on targets without data"
command -v obdfilter-survey >/dev/null || refuse no-tool 'obdfilter-survey is not installed; it is in the package lustre-iokit'
for target in "${TARGETS[@]}"; do
  free=$(lctl get_param -n "obdfilter.$target.kbytesavail" 2>/dev/null) size=$(lctl get_param -n "obdfilter.$target.kbytestotal" 2>/dev/null)
  [[ $free =~ ^[0-9]+$ && $size =~ ^[0-9]+$ ]] || refuse no-room "$target does not tell how much room it has"
  ((SG_MiB * 1024 + size * SG_KeepFreePercent / 100 <= free)) ||
    refuse no-room "$target has $((free / 1024)) MiB free, of which $((size * SG_KeepFreePercent / 102400)) MiB have to stay free"
done
not_busy targets_moved
start_guard
REDUCED=false
((SG_MiB * ${#TARGETS[@]} >= 2 * MEMORY_MIB)) || REDUCED=true
record setup test=lustre-server "processes:=${#TARGETS[@]}" "fileMiB:=$SG_MiB" blockKiB:=1024 "reduced:=$REDUCED" data=zero cachesDropped:=false
wait_for_start
CODE=0 HAD_ECHO_CLIENT=false
! has_echo_client || HAD_ECHO_CLIENT=true
size=$SG_MiB nobjlo=1 nobjhi=1 thrlo=8 thrhi=8 case=disk targets="${TARGETS[*]}" rslt_loc=$STATE \
  timeout -k 30 "$SG_Seconds" obdfilter-survey >"$STATE/out" 2>&1 </dev/null &
wait $! || CODE=$?
[[ $HAD_ECHO_CLIENT == true ]] || ! has_echo_client || rmmod obdecho || true
raw "$STATE/out" tool=obdfilter-survey "exitCode:=$CODE"
((CODE != 124)) || give_up "obdfilter-survey did not end within $SG_Seconds s: objects of its own may be left on the targets"
((CODE == 0)) || give_up 'obdfilter-survey failed'
record 'done'
