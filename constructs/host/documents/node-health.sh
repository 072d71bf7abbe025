#!/bin/bash
# Whether this server of a grid can do its work. It travels in a document of Systems Manager, not in the host bundle,
# and changes nothing of what it looks at.
#
# Prints the host's name, "healthy", "unhealthy" or "unsure", how full the scratch is in percent, and the reasons as
# "code: text; ...". /run/sas-grid/health says the same to schedulers, which ask by sas-grid-health.
#
# Exit codes: 0 healthy; 20 unhealthy; 75 and anything else: it cannot tell.
# shellcheck disable=SC2329 # "begin" runs parts by their names
set -u

root=${SAS_GRID_ROOT:-}
seconds=${SAS_GRID_PROBE_SECONDS:-25}
run=$root/run/sas-grid
full=95
steps_off=1
evicted_minutes=30
starting_seconds=900

# setting ROLE KEY [DEFAULT]
setting() {
  local value
  value=$(sed -n "s/^$2=//p" "$root/etc/sas-grid/$1.env" 2>/dev/null | tail -n 1)
  printf '%s\n' "${value:-${3:-}}"
}

# reason CODE TEXT...; note TEXT...: what speaks against the host, and what is not known. used PERCENT.
reason() {
  printf 'reason %s: %s\n' "$1" "${*:2}" | tr ';' ','
}
note() {
  printf 'note %s\n' "$*" | tr ';' ','
}

# mounted DIRECTORY [TYPE]: whether a file system, of that type if given, is mounted there. An automount is none.
mounted() {
  awk -v dir="$root$1" -v type="${2:-}" \
    '$2 == dir && $3 != "autofs" && (!type || $3 == type) {n++} END {exit !n}' "$root/proc/mounts"
}

# The name that LSF and the licence know, and the addresses of the others.
names() {
  local name found entry
  name=$(setting grid-node HOST_NAME)
  read -r found <"$root/proc/sys/kernel/hostname" || read -r found <"$root/etc/hostname" || found=''
  [[ ${found%%.*} == "$name" ]] || reason name "the host is called '$found', not $name"
  found=$(setting grid-node HOSTS)
  for entry in ${found//,/ }; do
    # The first line with a name is what counts.
    awk -v name="${entry%%=*}" -v address="${entry#*=}" \
      '{sub(/#.*/, "")} !said {for (i = 2; i <= NF; i++) if ($i == name) {said = 1; bad = $1 != address}}
        END {exit !said || bad}' \
      "$root/etc/hosts" || reason hosts-file "/etc/hosts does not say that ${entry%%=*} is ${entry#*=}"
  done
}

# The clocks of all servers have to agree for LSF, and for the times of files that several write.
clock() {
  local said off
  if said=$(timeout 5 chronyc -n tracking 2>/dev/null) && [[ $said == *'Leap status'* ]]; then
    [[ $said != *'Not synchronised'* ]] || reason time 'chrony is not synchronised'
    off=$(awk '/^System time/ {print $4}' <<<"$said")
    awk -v off="${off:-0}" -v most="$steps_off" 'BEGIN {exit !(off > most)}' && reason time "the clock is $off s off"
    return 0
  fi
  said=$(LC_ALL=C timeout 5 timedatectl 2>/dev/null | grep -iE '(clock|NTP) synchronized:')
  case $said in
    *yes) ;;
    *no) reason time 'the clock is not synchronised' ;;
    *) note 'nobody says whether the clock is in step' ;;
  esac
}

# A client that cannot reach a server hears of it late, or not at all while it needs nothing of it.
reach() {
  local server mgs nids nid asked='' lost=0
  server=$(setting nfs-client SERVER)
  # shellcheck disable=SC2016 # the inner shell's
  [[ -z $server ]] || timeout -s KILL 10 bash -c '</dev/tcp/$0/2049' "$server" 2>/dev/null ||
    reason unreachable "$server:2049 does not answer"
  mgs=$(setting lustre-client MGS_NID)
  [[ -n $mgs ]] || return 0
  # Each server has one line: any of its addresses does. The question is LNet's own, by TCP: a connection that says
  # nothing would be an error in the server's log.
  while read -r nids; do
    [[ -n $nids && $asked != *"|$nids|"* ]] || continue
    asked+="|$nids|"
    for nid in $nids; do
      timeout -s KILL 8 lctl ping "$nid" >/dev/null 2>&1 && continue 2
    done
    reason unreachable "${nids// /, } does not answer"
    # Each one takes its time, which is bounded for all together.
    ((++lost < 2)) || return 0
  done < <(
    tr ':,' '  ' <<<"$mgs"
    lctl get_param 'osc.*.import' 'mdc.*.import' 2>/dev/null |
      sed -n 's/[",]//g;s/^ *failover_nids: *\[ *\(.*[^ ]\) *\]/\1/p'
  )
}

# imports FSNAME: Lustre's servers, as the client sees them. One that it has not talked to for a while is IDLE, one that
# was turned off by hand is not looked at.
imports() {
  local said bad
  said=$(lctl get_param 'osc.*.active' 'osc.*.state' 'mdc.*.state' 2>/dev/null) || [[ -n $said ]] || {
    note 'lctl shows no state of the client'
    return 0
  }
  bad=$(awk -v fs="$1-" -v since=$(($(date +%s) - evicted_minutes * 60)) '
    /\.(active|state)=/ {name = $0; sub(/^[^.]*\./, "", name); sub(/\.(active|state)=.*/, "", name)}
    /\.active=0$/ {off[name] = 1}
    /\.state=$/ {mine = index(name, fs) == 1 && !off[name]; sub(/-(osc|mdc)-.*/, "", name)}
    mine && /^current_state:/ && $2 !~ /^(FULL|IDLE)$/ {print "lustre " name " is " $2}
    mine && / EVICTED / {gsub(/[^0-9]/, "", $3); if ($3 > since) gone[name] = 1}
    END {for (name in gone) print "evicted this client lost what it had open of " name}' <<<"$said")
  while read -r code text; do
    [[ -z $code ]] || reason "$code" "$text"
  done <<<"$bad"
}

# The shared file system: asked for its size, which no cache of the client answers. What was unmounted systemd mounts on
# use.
shared() {
  local point role type=''
  point=$(setting grid-node SHARED_MOUNT)
  [[ -n $point ]] || return 0
  for role in nfs-client:nfs4 lustre-client:lustre; do
    [[ $(setting "${role%:*}" MOUNT_POINT) != "$point" ]] || type=${role#*:}
  done
  [[ $type != lustre ]] || imports "$(setting lustre-client FSNAME)"
  timeout -s KILL "$((seconds - 5 > 1 ? seconds - 5 : 1))" stat -f "$root$point/." >/dev/null 2>&1 || {
    reason mount "$point does not answer, or with an error"
    return 0
  }
  mounted "$point" "$type" || reason mount "$point is not mounted${type:+ as $type}"
}

# room DIRECTORY: how much of its bytes, or of its inodes, are used.
room() {
  df --output=pcent,ipcent "$root$1" 2>/dev/null |
    awk 'NR == 2 {gsub(/%/, ""); print ($1 + 0 > $2 + 0 ? $1 + 0 : $2 + 0)}'
}

writes() {
  local file
  file=$(mktemp "$root$1/.sas-grid-health.XXXXXX" 2>/dev/null) || return
  printf 'x\n' 2>/dev/null >"$file"
  local status=$?
  rm -f "$file" && return "$status"
}

scratch() {
  local point used
  [[ -e $root/etc/sas-grid/scratch.env ]] || return 0
  for point in "$(setting scratch SASWORK_PATH /saswork)" "$(setting scratch UTILLOC_PATH /utilloc)"; do
    mounted "$point" || {
      reason scratch "$point is not mounted"
      continue
    }
    used=$(room "$point")
    if [[ -z $used ]]; then
      reason scratch "$point answers with an error"
    else
      printf 'used %s\n' "$used"
      ((used < full)) || reason scratch-full "$point is $used % full"
    fi
    writes "$point" || reason scratch "$point cannot be written"
  done
}

# software: what was added to the host says itself whether it works (HostBundle.addSoftware).
software() {
  local role roles check said settings
  # Not whatever lies there: an image may have been made of another host.
  read -ra roles < <(sed -n 's/^ROLES=//p' "$root/etc/sas-grid/roles" 2>/dev/null)
  for role in "${roles[@]}"; do
    check=$root/opt/cdk-sas-grid/bin/check-$role
    [[ -x $check ]] || continue
    mapfile -t settings <"$root/etc/sas-grid/$role.env"
    said=$(timeout -s KILL 10 env "${settings[@]}" "$check" 2>&1 8>&-) ||
      reason software "$role $(head -n 1 <<<"${said:-does not work, and does not say why}")"
  done
}

# What a part that does not end within the time stands for.
parts=(names clock reach shared scratch software)
declare -A hangs=([names]=name [clock]=time [reach]=unreachable [shared]=mount [scratch]=scratch [software]=software)

# begin PART: what waits for a dead disk or server can be ended by no signal. It is left behind with its lock, so that
# there is never more than one.
begin() {
  (
    exec 8>"$run/health.$1.lock"
    if flock -w 1 8; then "$1"; else reason "${hangs[$1]}" "an earlier look at it ($1) hangs"; fi
  ) >"$run/health.$1" 2>/dev/null </dev/null &
}

# The command for schedulers. The root disk may be full: then the file above says what there is to say.
write_command() {
  local file=$root/opt/cdk-sas-grid/bin/sas-grid-health text
  text=$(
    cat <<'COMMAND'
#!/bin/bash
# Usage: sas-grid-health [elim [SECONDS]]
#
# Whether this server of a grid was found healthy, and within the last 15 minutes. With elim it says so again and again,
# as LSF wants it of an external load information manager: the index sas_grid_health is 1 or 0.
#
# Exit codes: 0 healthy; 1 not, or nobody has looked.
file=${SAS_GRID_ROOT:-}/run/sas-grid/health oldest=900

healthy() {
  local word='' at=''
  read -r word at _ 2>/dev/null <"$file"
  [[ $word == healthy && $at =~ ^[0-9]+$ ]] && (($(date +%s) - at <= oldest))
}

if [[ ${1:-} == elim ]]; then
  while :; do
    if healthy; then echo '1 sas_grid_health 1'; else echo '1 sas_grid_health 0'; fi
    sleep "${2:-60}"
  done
fi
cat "$file" 2>/dev/null
healthy
COMMAND
  )
  [[ -d ${file%/*} && $(cat "$file" 2>/dev/null) != "$text" ]] || return 0
  printf '%s\n' "$text" >"$file.new" && chmod 755 "$file.new" && mv -f "$file.new" "$file"
} 2>/dev/null

name=$(setting grid-node HOST_NAME)
[[ -n $name ]] || {
  echo '- unsure - this host is no server of a grid'
  exit 75
}
if ! mkdir -p "$run" || ! : >"$run/health.new"; then
  echo "$name unhealthy - run: it cannot write to /run"
  exit 20
fi 2>/dev/null
declare -A at
for part in "${parts[@]}"; do
  begin "$part"
  at[$part]=$!
  # The shell would tell of its end.
  disown "$!"
done
for ((step = 0; step < seconds * 5; step++)); do
  left=''
  for part in "${parts[@]}"; do ! kill -0 "${at[$part]}" 2>/dev/null || left=yes; done
  [[ -n $left ]] || break
  sleep 0.2
done
said=$(
  for part in "${parts[@]}"; do
    cat "$run/health.$part"
    ! kill -0 "${at[$part]}" 2>/dev/null || reason "${hangs[$part]}" "a look at it ($part) hangs for $seconds s"
  done
)
for part in "${parts[@]}"; do kill -9 "${at[$part]}"; done 2>/dev/null

reasons=$(sed -n 's/^reason //p' <<<"$said")
notes=$(sed -n 's/^note //p' <<<"$said")
used=$(sed -n 's/^used //p' <<<"$said" | sort -n | tail -n 1)
# A client that was evicted goes on with what it opens anew: a person has to know, the scheduler has not.
lasting=$(grep -v '^evicted: ' <<<"$reasons")
{
  printf '%s %s\n' "$([[ -z $lasting ]] && echo healthy || echo unhealthy)" "$(date +%s)"
  printf '%s\n' "$reasons" "$notes" | grep . || true
} >"$run/health.new" && chmod 644 "$run/health.new" && mv -f "$run/health.new" "$run/health"
write_command

up=''
read -r up _ 2>/dev/null <"$root/proc/uptime"
up=${up%%.*}
word=healthy code=0
if [[ -n $reasons ]] && ((${up:-99999} < starting_seconds)); then
  notes="it started $up s ago" word=unsure code=75
elif [[ -n $reasons ]]; then
  word=unhealthy code=20
elif [[ -n $notes ]]; then
  word=unsure code=75
fi
all=$(printf '%s\n' "$reasons" "$notes" | grep .)
printf '%s %s %s %s\n' "$name" "$word" "${used:--}" "${all//$'\n'/; }" | tr -s '[:space:]' ' ' | sed 's/ $//'
exit "$code"
