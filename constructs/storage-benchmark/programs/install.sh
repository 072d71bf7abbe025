#!/bin/bash
# shellcheck disable=SC2034,SC2153,SC2154 # variables of the document and of common/*.sh
# Installs those of Tools that are not there, from the host's own repositories, and tells the versions of all. Stands
# after common/*.sh in its document.
#
# Exit codes: 0 all are there; 75 some are not, and cannot be had; anything else failed.
set -u

word Tools '|(fio|iperf3|iozone|python3)(,(fio|iperf3|iozone|python3))*' "of 'fio', 'iperf3', 'iozone' and 'python3', with commas between, or nothing"
number TimeoutSeconds 30 172800
see_host
tell_host

# version TOOL: prints it; fails when the tool is not there.
version() {
  command -v "$1" >/dev/null || return
  case $1 in
    iozone) iozone -v 2>/dev/null | awk '/Revision/ {print "iozone", $(NF - 1)}' ;;
    *) "$1" --version 2>&1 | head -n 1 ;;
  esac
}

# bounded COMMAND...: other installations may hold the lock of the package manager; nothing here waits for them for ever.
bounded() {
  timeout -k 10 $((SG_TimeoutSeconds - 20 - SECONDS > 10 ? SG_TimeoutSeconds - 20 - SECONDS : 10)) "$@" >>"$LOG" 2>&1 </dev/null
}

install_tool() {
  local manager package=$1
  for manager in dnf yum apt-get; do
    command -v "$manager" >/dev/null || continue
    if [[ $manager == apt-get ]]; then
      [[ $package != iozone ]] || package=iozone3
      export DEBIAN_FRONTEND=noninteractive
      [[ -n ${UPDATED:-} ]] || { bounded apt-get -o DPkg::Lock::Timeout=300 -q update && UPDATED=yes; }
      bounded apt-get -o DPkg::Lock::Timeout=300 -q -y --no-install-recommends install "$package"
    else
      bounded "$manager" -q -y install "$package"
    fi
    return
  done
  echo 'this host has none of dnf, yum and apt-get' >>"$LOG"
  return 1
}

LOG=$(mktemp) || give_up 'it cannot write to its temporary directory'
trap 'rm -f "$LOG"' EXIT
MISSING=()
IFS=, read -ra TOOLS <<<"$SG_Tools"
for tool in "${TOOLS[@]}"; do
  if ! version "$tool" >/dev/null; then
    : >"$LOG"
    install_tool "$tool" || note "$tool could not be installed: $(tail -n 1 "$LOG")"
  fi
  if found=$(version "$tool"); then
    note "$tool: $found"
  else
    MISSING+=("$tool")
  fi
done
((${#MISSING[@]} == 0)) || refuse no-tool "not there, and not in the repositories of this host: ${MISSING[*]}"
record 'done'
