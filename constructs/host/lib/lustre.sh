# shellcheck shell=bash
# What servers and clients of Lustre share. What the tools print and return is recorded in test/host/recordings.

# lctl can hang with its kernel module.
ask_lctl() {
  timeout -k 5 30 lctl "$@"
}

# load_module NAME
load_module() {
  modprobe "$1" >&2 || die "$EXIT_ERROR" "Lustre has no modules for the kernel $(uname -r): $1 does not load (built for: $(modinfo -F vermagic "$1" 2>&1 || true))"
}

# check_lustre server|client: loads the modules and compares their release with the tools'. On a server LNet first starts without a
# network: by itself it would take the host's first interface.
check_lustre() {
  local wanted tools kernel tool
  wanted=$(setting LUSTRE_VERSION '')
  local needed=(lctl) modules=(lustre)
  if [[ $1 == server ]]; then
    needed+=(lnetctl mkfs.lustre tunefs.lustre) modules+=("osd_$BACKEND")
    [[ $BACKEND != zfs ]] || needed+=(zpool)
  fi
  for tool in "${needed[@]}"; do
    type -P "$tool" >/dev/null || die "$EXIT_ERROR" "Lustre's tools lack $tool, or PATH does"
  done
  load_module lnet
  [[ $1 != server ]] || lnetctl lnet configure >&2
  for tool in "${modules[@]}"; do load_module "$tool"; done
  tools=$(ask_lctl --version) kernel=$(ask_lctl get_param -n version)
  tools=${tools#lctl } kernel=${kernel%%$'\n'*}
  kernel=${kernel#lustre: }
  [[ $kernel == "$tools" ]] ||
    die "$EXIT_ERROR" "the kernel $(uname -r) runs Lustre $kernel, but the tools are of Lustre $tools"
  # The tools know nothing of the package's own release, as in 2.15.6-1.el8.
  [[ -z $wanted || $tools == "${wanted%%[-~+]*}"* ]] || die "$EXIT_ERROR" "Lustre $wanted is wanted, but $tools is installed"
}

mgs_answers() {
  timeout 15 lctl ping "$1" >/dev/null 2>&1
}

# set_tunables [-P]: the settings TUNABLES in their order, which counts: max_rpcs_in_flight before max_dirty_mb. One that is refused
# is reported and does not stop the service. -P makes it permanent, on the MGS only.
set_tunables() {
  local tunables tunable log=''
  read -ra tunables <<<"${SETTINGS[TUNABLES]:-}"
  [[ $# -eq 0 ]] || log=$(ask_lctl --device MGS llog_print params 2>/dev/null || true)
  for tunable in "${tunables[@]}"; do
    [[ $log != *"parameter: ${tunable%%=*}, value: ${tunable#*=} }"* ]] || continue
    ask_lctl set_param "$@" "$tunable" >&2 || log "warning: the parameter $tunable is not accepted here"
  done
  [[ $# -gt 0 ]] || for tunable in "${tunables[@]}"; do read_back "${tunable%%=*}" "${tunable#*=}"; done
}

# read_back NAME VALUE: reports what Lustre made of it: one parameter can lower another.
read_back() {
  local value=$2 found
  case $2 in
    *[0-9]K) value=$((${2%K} << 10)) ;;
    *[0-9]M) value=$((${2%M} << 20)) ;;
    *[0-9]G) value=$((${2%G} << 30)) ;;
  esac
  while read -r found; do
    [[ $found == "$value" || $found == *' '* || -z $found ]] || log "warning: $1 was set to $2, but is $found"
  done < <(ask_lctl get_param -n "$1" 2>/dev/null | sort -u)
}
