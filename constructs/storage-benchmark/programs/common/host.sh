# shellcheck shell=bash disable=SC2034,SC2154
# The machine, as it sees itself.

# physical_cores: prints how many cores this host has, without hyper-threads. lscpu numbers cores over all sockets; where it is not there, the
# kernel's lists of the processors that share a core say the same, and then /proc/cpuinfo, which on Arm and on some virtual machines knows no cores.
physical_cores() {
  local count=0
  count=$(lscpu -p=CORE,SOCKET 2>/dev/null | awk '/^[0-9]+,/ && !seen[$0]++ {n++} END {print n + 0}')
  if ((count == 0)); then
    count=$(cat "$ROOT"/sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list 2>/dev/null | sort -u | wc -l)
  fi
  if ((count == 0)); then
    count=$(awk -F '[ \t]*:[ \t]*' '
      $1 == "processor" {all++}
      $1 == "physical id" {socket = $2}
      $1 == "core id" && !seen[socket "," $2]++ {cores++}
      END {print (cores ? cores : all) + 0}' "$ROOT/proc/cpuinfo" 2>/dev/null)
  fi
  printf '%s' "$((count > 0 ? count : 1))"
}

logical_cpus() {
  local count
  count=$(awk '/^processor[ \t]*:/ {n++} END {print n + 0}' "$ROOT/proc/cpuinfo" 2>/dev/null)
  printf '%s' "$((count > 0 ? count : 1))"
}

memory_mib() {
  awk '$1 == "MemTotal:" {print int($2 / 1024)}' "$ROOT/proc/meminfo" 2>/dev/null
}

# metadata PATH: of the instance metadata service, version 2. Whoever has none waits for 2 s at most.
metadata() {
  local base=http://169.254.169.254/latest token
  token=$(curl -fsS --connect-timeout 1 --max-time 2 -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' "$base/api/token" 2>/dev/null) || return
  curl -fsS --connect-timeout 1 --max-time 2 -H "X-aws-ec2-metadata-token: $token" "$base/meta-data/$1" 2>/dev/null
}

# see_host: CORES, MEMORY_MIB, INSTANCE and HOST, which is a part of file names.
see_host() {
  CORES=$(physical_cores)
  MEMORY_MIB=$(memory_mib)
  MEMORY_MIB=${MEMORY_MIB:-0}
  INSTANCE=$(metadata instance-id) || INSTANCE=''
  [[ $INSTANCE =~ ^i-[0-9a-f]{8,17}$ ]] || INSTANCE=''
  HOST=${INSTANCE:-$(uname -n)}
  HOST=${HOST//[^A-Za-z0-9-]/-}
}

# tell_host: the record. Sums that SAS wants memory for are of the physical core, as these cores are.
tell_host() {
  local type='' system per_core=$((MEMORY_MIB / CORES))
  [[ -z $INSTANCE ]] || type=$(metadata instance-type) || type=''
  # shellcheck disable=SC1091
  system=$(. "$ROOT/etc/os-release" 2>/dev/null && printf '%s' "${PRETTY_NAME:-${NAME:-} ${VERSION_ID:-}}")
  record host "instanceId=$INSTANCE" "instanceType=$type" "architecture=$(uname -m)" "physicalCores:=$CORES" "logicalCpus:=$(logical_cpus)" \
    "memoryMiB:=$MEMORY_MIB" "kernel=$(uname -r)" "system=${system:-unknown}" "packageVersion=${PACKAGE_VERSION:-unknown}" \
    "program=${PROGRAM_HASH:-unknown}"
  # SAS asks for 8 GB a core; its own test for RHEL does not run below 4. The operating system's own share is not counted against it.
  ((per_core >= 7600)) || note "there are $per_core MiB of memory for each physical core; SAS asks for 8 GiB, and its own I/O test wants 4"
}
