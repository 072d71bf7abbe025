#!/usr/bin/env bats
# shellcheck disable=SC2013,SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-node: what it writes, and what it leaves to whoever changed it.

load helpers

setup() {
  make_host
  settings grid-node <<'END'
HOST_NAME=grid-01
DOMAIN=sas.internal
HOSTS=grid-01=172.16.0.11,grid-02=172.16.0.12
SAS_UID=3000
SAS_GID=3001
SHARED_MOUNT=/sas
LSF_DIR=/sas/lsf
SAS_DIR=/sas/sashome
END
  printf '127.0.0.1 localhost\n127.0.1.1 grid-01\n' >"$ROOT/etc/hosts"
  printf 'x %s nfs4 rw 0 0\n' "$ROOT/sas" >"$ROOT/proc/mounts"
  stub getent 'exit 2'
  stub runuser 'exit 1'
  mkdir -p "$ROOT/sys/kernel/mm/transparent_hugepage"
  touch "$ROOT"/sys/kernel/mm/transparent_hugepage/{enabled,defrag}
}

node() {
  run "$BIN/sas-grid-node"
}

@test "a node gets its name, all names, the account, tuning and the shared directories" {
  node
  exited 0
  [[ -n $(calls 'hostnamectl set-hostname grid-01') ]]
  grep -qx '127.0.0.1 localhost' "$ROOT/etc/hosts"
  grep -qx '172.16.0.12 grid-02.sas.internal grid-02' "$ROOT/etc/hosts"
  [[ $(calls useradd) == *'--uid 3000 --gid 3001'*sas ]]
  [[ -n $(calls 'tuned-adm profile sas-grid') ]]
  grep -qx include=throughput-performance "$ROOT/etc/tuned/sas-grid/tuned.conf"
  same never "$(cat "$ROOT/sys/kernel/mm/transparent_hugepage/enabled")"
  [[ -d $ROOT/sas/lsf && -d $ROOT/sas/sashome ]]
  grep -q /sas/sashome "$ROOT/etc/profile.d/sas-grid.sh"
}

@test "a node set up twice has every name once" {
  node
  stub getent 'case $1 in group) echo sas:x:3001: ;; *) echo sas:x:3000:3001::/home/sas:/bin/bash ;; esac'
  before=$(<"$ROOT/etc/hosts")
  : >"$CALLS"
  node
  exited 0
  same "$before" "$(<"$ROOT/etc/hosts")"
  same '' "$(calls 'useradd|groupadd')"
}

@test "an account sas with other numbers is an error" {
  stub getent 'case $1 in group) echo sas:x:3001: ;; *) echo sas:x:1000:3001::/home/sas:/bin/bash ;; esac'
  node
  exited 1
  [[ $output == *'the account sas has the uid 1000, not 3000'* ]]
}

@test "without the shared mount no directory is made on the root disk" {
  : >"$ROOT/proc/mounts"
  node
  exited 1
  [[ ! -e $ROOT/sas/lsf ]]
}

@test "the node's real address comes before what the image wrote, which stays" {
  node
  exited 0
  same 172.16.0.11 "$(awk '/grid-01/ {print $1; exit}' "$ROOT/etc/hosts")"
  same '127.0.0.1 localhost
127.0.1.1 grid-01' "$(tail -2 "$ROOT/etc/hosts")"
  node
  same 6 "$(wc -l <"$ROOT/etc/hosts")"
}

@test "cloud-init keeps its hands off the host name and the hosts file, where it is" {
  node
  [[ ! -e $ROOT/etc/cloud ]]
  mkdir -p "$ROOT/etc/cloud/cloud.cfg.d"
  node
  exited 0
  same 'preserve_hostname: true
manage_etc_hosts: false' "$(cat "$ROOT/etc/cloud/cloud.cfg.d/99-sas-grid.cfg")"
}

@test "a host name that is right is not set again" {
  echo grid-01 >"$ROOT/etc/hostname"
  node
  exited 0
  same '' "$(calls hostnamectl)"
}

@test "tuned runs before its profile is chosen, and a profile chosen later stays" {
  node
  exited 0
  same 'systemctl enable --now tuned.service
tuned-adm profile sas-grid' "$(calls '(systemctl enable|tuned-adm) ')"
  : >"$CALLS"
  node
  exited 0
  same '' "$(calls tuned-adm)"
}

@test "a profile that could not be chosen is chosen at the next boot" {
  stub tuned-adm 'exit 1'
  node
  exited 1
  stub tuned-adm
  node
  exited 0
  [[ -n $(calls 'tuned-adm profile sas-grid') ]]
}

@test "newer releases of tuned look for profiles in a folder of their own" {
  mkdir -p "$ROOT/etc/tuned/profiles"
  node
  exited 0
  grep -qx transparent_hugepages=never "$ROOT/etc/tuned/profiles/sas-grid/tuned.conf"
}

@test "the limits are for everybody, and lose to what an administrator writes later" {
  node
  exited 0
  grep -qx '\* soft nofile 65536' "$ROOT"/etc/security/limits.d/30-sas-grid.conf
  grep -qx '\* hard nofile 524288' "$ROOT"/etc/security/limits.d/30-sas-grid.conf
  grep -qx '\* soft nproc 65536' "$ROOT"/etc/security/limits.d/30-sas-grid.conf
  same '' "$(grep -v '^\*' "$ROOT"/etc/security/limits.d/30-sas-grid.conf)"
}

@test "an account or a group sas with another group is an error, and nothing is shared with it" {
  stub getent 'case $1 in group) echo sas:x:3001: ;; *) echo sas:x:3000:100::/home/sas:/bin/bash ;; esac'
  node
  exited 1
  [[ $output == *'the account sas has the gid 100, not 3001'* ]]
  stub getent 'case $1 in group) echo sas:x:999: ;; *) exit 2 ;; esac'
  node
  exited 1
  [[ $output == *'the group sas has the gid 999, not 3001'* ]]
  same '' "$(calls '(useradd|chown)')"
}

@test "on an NFS export where root is nobody, sas makes its directories" {
  stub runuser 'shift 3; "$@"'
  stub stat '[[ -d ${*: -1} ]] && echo 3000:3001'
  node
  exited 0
  same "$(printf 'runuser -u sas -- mkdir -p %s\n' "$ROOT/sas/lsf" "$ROOT/sas/sashome")" "$(calls runuser)"
  same '' "$(calls chown)"
  : >"$CALLS"
  node
  exited 0
  same '' "$(calls '(runuser|chown)')"
}

@test "where sas may not write, root makes the directories and gives them to it" {
  node
  exited 0
  same "$(printf 'chown 3000:3001 %s\n' "$ROOT/sas/lsf" "$ROOT/sas/sashome")" "$(calls chown)"
}

# path USER-ID: the search path after a login.
path() {
  PATH=/usr/bin:/bin bash -c \
    "id() { echo $1; }; . '$ROOT/etc/profile.d/sas-grid.sh'; . '$ROOT/etc/profile.d/sas-grid.sh'; echo \"\$PATH\""
}

@test "a login finds SAS once, after what is on its path; root's touches nothing shared" {
  node
  exited 0
  same /usr/bin:/bin:/sas/sashome "$(path 3000)"
  same /usr/bin:/bin "$(path 0)"
  bash -n "$ROOT/etc/profile.d/sas-grid.sh"
}

@test "a node without a shared file system gets the rest" {
  sed -i '/SHARED_MOUNT/d;/_DIR/d' "$ROOT/etc/sas-grid/grid-node.env"
  : >"$ROOT/proc/mounts"
  node
  exited 0
  [[ ! -e $ROOT/etc/profile.d/sas-grid.sh && ! -e $ROOT/sas ]]
  [[ -n $(calls useradd) ]]
}

@test "huge pages are off" {
  mkdir -p "$ROOT/sys/kernel/mm/transparent_hugepage"
  echo always | tee "$ROOT"/sys/kernel/mm/transparent_hugepage/{enabled,defrag}
  node
  same 'never never' "$(cat "$ROOT"/sys/kernel/mm/transparent_hugepage/{enabled,defrag} | xargs)"
}

@test "what is written gets its SELinux label, where SELinux is" {
  stub restorecon
  node
  exited 0
  same "restorecon -R $ROOT/etc/hosts" "$(calls 'restorecon.*etc/hosts')"
}

# As on Amazon Linux 2023. The kernel's settings are files here.
without_tuned() {
  stub systemctl '[[ $1 != cat ]]'
  stub tuned-adm 'exit 127'
  stub sysctl 'settings=$SAS_GRID_ROOT/kernel
case $* in
  "-q -p "*) cat "${@: -1}" >>"$settings" ;;
  -n*) awk -v name="$2" "\$1 == name {found = \$3} END {print found + 0}" "$settings" ;;
esac'
  printf 'net.core.somaxconn = 4096\nvm.swappiness = 60\n' >"$ROOT/kernel"
}

@test "where there is no tuned the node sets what its profile would, and reads it back" {
  without_tuned
  mkdir -p "$ROOT/sys/devices/system/cpu/cpu0/cpufreq"
  echo schedutil >"$ROOT/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
  node
  exited 0
  same '' "$(calls tuned-adm)"
  same '' "$(calls 'systemctl enable')"
  # What is higher already stays.
  same 'vm.dirty_ratio = 40
vm.dirty_background_ratio = 10
vm.swappiness = 10
net.core.somaxconn = 4096' "$(<"$ROOT/etc/sysctl.d/90-sas-grid-node.conf")"
  grep -q "sysctl -q -p $ROOT/etc/sysctl.d/90-sas-grid-node.conf" "$CALLS"
  same performance "$(<"$ROOT/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")"
  same never "$(<"$ROOT/sys/kernel/mm/transparent_hugepage/enabled")"
}

@test "a setting that is not in force is an error" {
  without_tuned
  stub sysctl 'case $* in -n*) echo 60 ;; esac'
  node
  exited 1
  [[ $output == *'vm.dirty_ratio is 60, not 40'* ]]
}

@test "tuned reads the profile as it is meant: the disks of other roles keep their read-ahead" {
  [[ -d /usr/lib/tuned ]] && /usr/bin/python3 -c 'import tuned' 2>/dev/null || skip 'tuned is not installed'
  node
  run "$BIN/sas-grid-node"
  exited 0
  /usr/bin/python3 - "$ROOT/etc/tuned" >"$BATS_TEST_TMPDIR/read" 2>/dev/null <<'END'
import sys
from tuned import profiles
from tuned.profiles.variables import Variables
from tuned.utils.global_config import GlobalConfig

places = profiles.Locator(['/usr/lib/tuned', '/usr/lib/tuned/profiles', *sys.argv[1:]])
loader = profiles.Loader(places, profiles.Factory(), profiles.Merger(), GlobalConfig(), Variables())
units = loader.load('sas-grid').units
print(units['disk'].options['readahead'], units['vm'].options['transparent_hugepages'])
END
  # What begins with ">" is only ever raised to; plugin_disk of tuned itself makes it 4096 of anything less.
  same '>0 never' "$(grep '>' "$BATS_TEST_TMPDIR/read")"
}
