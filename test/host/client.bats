#!/usr/bin/env bats
# shellcheck disable=SC2013,SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-mount-lustre: mount, parameters, and what is missing.

load helpers

setup() {
  make_host
  export TOOLS='lctl 2.17.0' KERNEL=2.17.0
  stub systemd-escape 'echo "${*: -1}" | sed "s,^/,,;s,$,.mount,"'
}

client() {
  settings lustre-client <<'END'
FSNAME=sasfs
MGS_NID=172.16.4.10@tcp
MOUNT_POINT=/sas
MOUNT_OPTIONS=flock
TUNABLES=osc.*.max_rpcs_in_flight=16 osc.*.max_dirty_mb=256
END
}

# lctl_stub [CASE]: an lctl of the release of the recordings, with cases before the others.
lctl_stub() {
  stub lctl "case \$* in
    ${1:-}
    --version) echo \"\$TOOLS\" ;;
    'get_param -n version') echo \"\$KERNEL\" ;;
    esac"
}

@test "the client mounts by a systemd unit with flock, then sets its parameters in order" {
  client
  lctl_stub
  run "$BIN/sas-grid-mount-lustre"
  exited 0
  grep -qx 'What=172.16.4.10@tcp:/sasfs' "$ROOT/etc/systemd/system/sas.mount"
  grep -qx 'Options=flock,_netdev' "$ROOT/etc/systemd/system/sas.mount"
  same 'systemctl start sas.mount' "$(calls 'systemctl start')"
  same "$(printf 'lctl set_param osc.*.%s\n' max_rpcs_in_flight=16 max_dirty_mb=256)" "$(calls 'lctl set_param')"
  same "$(printf 'modprobe %s\n' '-n -q lustre' lnet lustre)" "$(calls modprobe)"
  [[ ! -e $ROOT/etc/fstab ]]
}

@test "a mounted client is not mounted again, but gets its parameters" {
  client
  lctl_stub
  printf '172.16.4.10@tcp:/sasfs %s lustre rw 0 0\n' "$ROOT/sas" >"$ROOT/proc/mounts"
  run "$BIN/sas-grid-mount-lustre"
  exited 0
  same '' "$(calls 'systemctl start')"
  [[ -n $(calls 'lctl set_param') ]]
}

@test "servers that do not answer in time mean not yet" {
  client
  lctl_stub "ping*) cat $RECORDINGS/lctl_ping_unreachable.out; exit 113 ;;"
  SAS_GRID_MOUNT_WAIT=0 run "$BIN/sas-grid-mount-lustre"
  exited 75
  same '' "$(calls 'systemctl start')"
}

@test "servers that come late are waited for" {
  client
  lctl_stub 'ping*) [[ -e $CALLS.second ]] || { touch "$CALLS.second"; exit 113; } ;;'
  SAS_GRID_MOUNT_WAIT=10 run "$BIN/sas-grid-mount-lustre"
  exited 0
  same 2 "$(calls 'lctl ping' | wc -l)"
}

@test "a client whose tools and kernel are of two releases is not mounted" {
  client
  lctl_stub
  KERNEL=2.15.6 run "$BIN/sas-grid-mount-lustre"
  exited 1
  [[ $output == *'runs Lustre 2.15.6, but the tools are of Lustre 2.17.0'* ]]
  same '' "$(calls 'systemctl start')"
}

@test "parameters that read back otherwise are reported" {
  client
  lctl_stub '*get_param*max_rpcs*) echo 16 ;;
    *get_param*max_dirty*) sed -n "s/.*max_dirty_mb=//p" "$RECORDINGS/lctl_get_param_rpcs_after_remount.out" ;;'
  run "$BIN/sas-grid-mount-lustre"
  exited 0
  [[ $output == *'warning: osc.*.max_dirty_mb was set to 256, but is 183'* && $output != *'max_rpcs_in_flight was'* ]]
}

@test "a value that the client is too small for is reported, and the file system stays mounted" {
  client
  lctl_stub '*set_param*max_dirty*) cat "$RECORDINGS/lctl_set_param_max_dirty_over.err" >&2; exit 34 ;;'
  run "$BIN/sas-grid-mount-lustre"
  exited 0
  warning='warning: the parameter osc.*.max_dirty_mb=256 is not accepted here'
  [[ $output == *'Numerical result out of range'*"$warning"* ]]
}

# large PROCESSORS GIB: the host's size, and the setting.
large() {
  client
  echo LARGE_CLIENT=true >>"$ROOT/etc/sas-grid/lustre-client.env"
  seq "$1" | sed 's/.*/processor : &/' >"$ROOT/proc/cpuinfo"
  echo "MemTotal: $(($2 << 20)) kB" >"$ROOT/proc/meminfo"
  lctl_stub
}

@test "a client with many processors and much memory gets what Amazon publishes; loaded modules load again" {
  large 96 384
  stub lustre_rmmod
  stub modprobe '[[ $1 != lnet ]] || cp "$SAS_GRID_ROOT/etc/modprobe.d/sas-grid-lustre.conf" "$CALLS.options"'
  run "$BIN/sas-grid-mount-lustre"
  exited 0
  same "$(printf 'options %s\n' 'ptlrpc ptlrpcd_per_cpt_max=32' 'ksocklnd credits=2560')" "$(cat "$CALLS.options")"
  same "$(printf '%s\n' 'lustre_rmmod ' 'modprobe -n -q lustre' 'modprobe lnet' 'modprobe lustre')" \
    "$(calls '(lustre_rmmod|modprobe)')"
  same "$(printf 'lctl set_param %s\n' 'ldlm.namespaces.*.lru_max_age=600000' 'ldlm.namespaces.*.lru_size=9600' \
    'osc.*.max_rpcs_in_flight=16' 'osc.*.max_dirty_mb=256')" "$(calls 'lctl set_param')"
  : >"$CALLS"
  run "$BIN/sas-grid-mount-lustre"
  exited 0
  same '' "$(calls lustre_rmmod)"
}

@test "modules that are in use take their options at the next boot, which is said" {
  large 96 32
  stub lustre_rmmod 'exit 1'
  run "$BIN/sas-grid-mount-lustre"
  exited 0
  [[ $output == *'take their options at the next boot'* ]]
}

@test "much memory and few processors: locks live longer, the modules stay as they are" {
  large 64 128
  run "$BIN/sas-grid-mount-lustre"
  exited 0
  [[ ! -e $ROOT/etc/modprobe.d/sas-grid-lustre.conf && $(calls 'lctl set_param') == *lru_size=6400* ]]
}

@test "a client of 64 GiB gets nothing of it, and neither does a large one that was not asked for" {
  large 16 64
  run "$BIN/sas-grid-mount-lustre"
  exited 0
  large 128 512
  client
  run "$BIN/sas-grid-mount-lustre"
  exited 0
  [[ ! -e $ROOT/etc/modprobe.d && $(calls 'lctl set_param') != *ldlm* ]]
}

# another_kernel [WORKS]: since the installation the kernel was updated, so that its modules are missing.
another_kernel() {
  software_installed
  printf 'ID=ubuntu\nID_LIKE=debian\n' >"$ROOT/etc/os-release"
  client
  printf 'LUSTRE_SOFTWARE=repository\nLUSTRE_VERSION=2.17.0\nLUSTRE_REPOSITORY=https://packages.example\n' \
    >>"$ROOT/etc/sas-grid/lustre-client.env"
  stub uname 'echo 6.8.0-1022-aws'
  stub dpkg-query '[[ $* == *utils* ]] && printf "install ok installed"'
  stub modprobe "[[ -e $ROOT/modules ]]"
}

@test "after an update of the kernel its modules are installed before the mount" {
  another_kernel
  stub apt-get "[[ \$* != *install* ]] || touch $ROOT/modules"
  lctl_stub
  run "$BIN/sas-grid-mount-lustre"
  exited 0
  [[ $(calls 'apt-get .* install') == *lustre-client-modules-6.8.0-1022-aws=2.17.0\* ]]
  same 'systemctl start sas.mount' "$(calls 'systemctl start')"
}

@test "a kernel for which there are no modules is named" {
  another_kernel
  stub apt-get '[[ $* != *install* ]]'
  lctl_stub
  SAS_GRID_WAIT=0 run "$BIN/sas-grid-mount-lustre"
  exited 1
  [[ $output == *lustre-client-modules-6.8.0-1022-aws* ]]
  same '' "$(calls 'systemctl start')"
}
