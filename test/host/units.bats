#!/usr/bin/env bats
# shellcheck disable=SC2013,SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# The systemd units and the programs, all of them, whoever they belong to.

load helpers

UNITS=$REPOSITORY/constructs/host/systemd

# A root with the units of systemd itself, so that every complaint about ours is a real one.
unit_root() {
  type systemd-analyze >/dev/null 2>&1 || skip 'systemd-analyze is not installed'
  root=$BATS_TEST_TMPDIR/units
  mkdir -p "$root/etc/systemd/system" "$root/opt/cdk-sas-grid" "$root/usr/lib/systemd"
  ln -s usr/lib "$root/lib"
  cp -r "$(dirname "$(find /lib/systemd/system/ /usr/lib/systemd/system/ -name basic.target | head -1)")" \
    "$root/usr/lib/systemd/"
  cp -r "$BIN" "$root/opt/cdk-sas-grid/"
  install -D -m 755 /dev/null "$root/bin/sh"
  cp "$UNITS"/* "$root/etc/systemd/system/"
}

# Its exit code is 0 even when it complains.
complaints() {
  (cd "$root/etc/systemd/system" && SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --man=no --root="$root" "$@" 2>&1)
}

@test "systemd accepts the units" {
  unit_root
  for unit in "$UNITS"/*; do same '' "$(complaints "${unit##*/}")"; done
}

@test "each start of the operating system is noted where the health probe looks, for a host that has a slot" {
  note=$(sed -n 's,^ExecStartPre=-/bin/sh -c "\(.*\)"$,\1,p' "$UNITS/sas-grid-slot.service")
  boots=$(grep -o '/etc/sas-grid/boots' "$REPOSITORY/constructs/host/documents/probe.sh" | head -n 1)
  mkdir -p "$BATS_TEST_TMPDIR/etc/sas-grid"
  for start in 1 2; do sh -c "$(sed "s,%%,%,;s,$boots,$BATS_TEST_TMPDIR$boots," <<<"$note")"; done
  same 2 "$(grep -cE '^[0-9]{10}$' "$BATS_TEST_TMPDIR$boots")"
}

@test "systemd accepts all roles of a grid node together, the units of its mounts, and who requires them" {
  unit_root
  make_host
  STORE=nvme-Amazon_EC2_NVMe_Instance_Storage_AWS01
  settings scratch <<<'SASWORK_DISKS=1'
  disk "$STORE"
  for tool in mkfs.xfs mount umount mdadm wipefs; do stub "$tool"; done
  stub blkid 'exit 2'
  run "$BIN/sas-grid-scratch"
  exited 0
  cp "$SAS_GRID_ROOT"/etc/systemd/system/*.mount "$root/etc/systemd/system/"
  mkdir "$root/etc/systemd/system/sas-grid-grid-node.target.d"
  others=$(cd "$UNITS" && echo sas-grid-{scratch,lustre-client,nfs-client,gfs2-node}.target)
  printf '[Unit]\nRequires=%s\n' "$others" >"$root/etc/systemd/system/sas-grid-grid-node.target.d/roles.conf"
  printf '%s\n' '[Unit]' 'RequiresMountsFor=/saswork /utilloc' Requires=sas-grid-grid-node.target \
    After=sas-grid-grid-node.target '[Service]' ExecStart=/opt/cdk-sas-grid/bin/sas-grid-node \
    >"$root/etc/systemd/system/user.service"
  mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
  ln -s ../user.service "$root/etc/systemd/system/multi-user.target.wants/"
  same '' "$(complaints saswork.mount utilloc.mount user.service multi-user.target)"
}

@test "systemd accepts what NFS's server adds to the units of the distribution, and starts what failed anew" {
  unit_root
  make_host
  settings nfs-server <<<'EXPORT_NAME=sasdata'
  TAG=test ROOT=$SAS_GRID_ROOT LIB=$REPOSITORY/constructs/host/lib EXIT_ERROR=1
  # shellcheck source=constructs/host/lib/settings.sh
  source "$LIB/settings.sh"
  load_settings "$ROOT/etc/sas-grid/nfs-server.env"
  # shellcheck source=constructs/host/lib/nfs.sh
  source "$LIB/nfs.sh"
  keep_helpers
  for helper in nfs-mountd nfsdcld; do
    printf '[Service]\nType=forking\nExecStart=/bin/sh\n' >"$root/etc/systemd/system/$helper.service"
    cp -r "$ROOT/etc/systemd/system/$helper.service.d" "$root/etc/systemd/system/"
    same '' "$(complaints "$helper.service" "sas-grid-again@$helper.service")"
  done
  install -D -m 755 /dev/null "$root/bin/grep"
  install -D -m 755 /dev/null "$root/usr/bin/unshare"
  printf '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/sh\n' \
    >"$root/etc/systemd/system/nfs-server.service"
  echo "processor : 0" >"$ROOT/proc/cpuinfo" && echo "MemTotal: 8000000 kB" >"$ROOT/proc/meminfo"
  unit_lines 172.16.4.21 nfs-00 /export/sasdata /var/lib/nfs/nfsdcld |
    install -D -m 644 /dev/stdin "$root/etc/systemd/system/nfs-server.service.d/sas-grid.conf"
  same '' "$(complaints nfs-server.service)"
}

@test "the check sees a wrong directive, a missing program, a missing unit and a cycle" {
  unit_root
  for broken in 's/^Type=/Typ=/' 's,bin/sas-grid-scratch,bin/sas-grid-scrath,' \
    's/^After=.*/Requires=sas-grid-none.service/' 's/^Before=.*/Before=sysinit.target/'; do
    sed "$broken" "$UNITS/sas-grid-scratch.service" >"$root/etc/systemd/system/sas-grid-scratch.service"
    [[ -n $(complaints sas-grid-scratch.service multi-user.target) ]] || {
      echo "not seen: $broken" >&2
      return 1
    }
  done
}

# systemd 239 is what RHEL 8 has.
@test "no unit needs a newer systemd than RHEL 8 has" {
  newer='^(ExecCondition|Upholds|OnSuccess|PropagatesStopTo|StopPropagatedFrom|RestartMode|RestartSteps|TimeoutStopFailureMode|OOMPolicy|ManagedOOM[A-Za-z]*|SetCredential|LoadCredential|ImportCredential|ConditionEnvironment|ConditionPathIsEncrypted|CleanMode|RuntimeRandomizedExtraSec|FixedRandomDelay|PollLimitIntervalSec)=|^Type=(exec|notify-reload)|=(append|truncate):|^Restart=on-.*oneshot'
  same '' "$(grep -hE "$newer" "$UNITS"/* || true)"
  # A service that runs once can be restarted from 244 on.
  for unit in "$UNITS"/*.service; do
    [[ $(<"$unit") != *Type=oneshot* || $(<"$unit") != *$'\n'Restart=[^n]* ]]
  done
}

@test "no unit waits for systemd-udev-settle, and none starts without a bound that it names" {
  for unit in "$UNITS"/*.service; do
    grep -qE '^(TimeoutStartSec=|RuntimeMaxSec=|Type=simple)|StandardInput=socket' "$unit" || {
      echo "$unit has neither TimeoutStartSec nor RuntimeMaxSec" >&2
      return 1
    }
    [[ $(<"$unit") != *systemd-udev-settle* ]]
  done
}

@test "every unit's program is in the repository" {
  for program in $(sed -n 's,^Exec[A-Za-z]*=[-@:+!]*/opt/cdk-sas-grid/bin/\([^ ]*\).*,\1,p' "$UNITS"/*); do
    [[ -x $BIN/$program ]]
  done
}

@test "a target that is a role can be enabled, and every role that mounts is waited for by the grid node" {
  for role in $(sed -n "s/^ *[A-Z0-9_]* = '\(.*\)',/\1/p" "$REPOSITORY/constructs/host/host-role.ts"); do
    grep -qx WantedBy=multi-user.target "$UNITS/sas-grid-$role.target"
  done
  for service in sas-grid-scratch sas-grid-mount-lustre sas-grid-mount-nfs sas-grid-gfs2; do
    [[ -e $UNITS/$service.service ]]
    grep -q "^After=.*\<$service.service" "$UNITS/sas-grid-node.service"
  done
  for role in scratch lustre-client nfs-client gfs2-node; do
    grep -q "^After=.*\<sas-grid-$role.target" "$UNITS/sas-grid-grid-node.target"
  done
}

# What is tried again when something was missing for a moment, and by what: docs/operations/units.md says it to people.
# restart: by systemd, with a limit. timer: by its timer. retry: by the unit for that. PATTERN: by its program, which
# has it. Of no service is there none.
ONCE_MORE='sas-grid-attach sas-grid-gfs2 sas-grid-mount-lustre sas-grid-mount-nfs sas-grid-node sas-grid-scratch'
AGAIN='sas-grid-again@ sleep 5 && systemctl
sas-grid-attach wait_until "${SAS_GRID_WAIT:-900}" boto3 attach
sas-grid-bootstrap restart
sas-grid-gfs2 patiently
sas-grid-lustre-status@ socket
sas-grid-monitor timer
sas-grid-mount-lustre wait_until "${SAS_GRID_MOUNT_WAIT:-86400}" mount_client
sas-grid-mount-nfs wait_until "${SAS_GRID_MOUNT_WAIT:-86400}" mount_client
sas-grid-mounted wait_until "${SAS_GRID_WAIT:-900}" boto3 tell_mounted
sas-grid-nfs-local restart
sas-grid-node retry
sas-grid-retry systemctl start --no-block
sas-grid-scratch wait_until "${SAS_GRID_WAIT:-120}" enough_disks
sas-grid-signal wait_until "${SAS_GRID_WAIT:-300}"
sas-grid-slot status == EXIT_NOT_YET || status == EXIT_ERROR'

@test "each service retries, with a bound, what can be missing for a moment, or tells somebody; the page says which" {
  page=$REPOSITORY/docs/operations/units.md
  same "$(cd "$UNITS" && printf '%s\n' *.service | sed 's/\.service$//' | sort)" "$(cut -d' ' -f1 <<<"$AGAIN" | sort)"
  while read -r unit how; do
    file=$UNITS/$unit.service
    program=$BIN/$(sed -n 's,^ExecStart=/opt/cdk-sas-grid/bin/\([^ ]*\).*,\1,p' "$file")
    case $how in
      restart) grep -qx Restart=on-failure "$file" && grep -qE '^StartLimitBurst=[0-9]+$' "$file" &&
        grep -q '^RestartSec=' "$file" ;;
      timer) [[ -e $UNITS/$unit.timer ]] ;;
      socket) [[ -e $UNITS/${unit%@}.socket ]] ;;
      # A deployment that waits for the node hears of it besides.
      retry) grep -q 'sas-grid-signal" FAILURE' "$program" ;;
      *) cat "$file" "$program" 2>/dev/null | grep -qF "$how" ;;
    esac || {
      echo "$unit: not found: $how" >&2
      return 1
    }
    # What ends its own loop, or has none, is started once more.
    [[ " $ONCE_MORE " != *" $unit "* ]] || grep -qx OnFailure=sas-grid-retry.service "$file"
    grep -qxF "### \`$unit.service\`" "$page" || {
      echo "$page has no heading for $unit.service" >&2
      return 1
    }
  done <<<"$AGAIN"
}

# Whatever keeps a code to look at it. What is no program of others is a function of ours, or the shell's.
@test "the page about exit codes has every program whose code is looked at" {
  page=$REPOSITORY/docs/operations/exit-codes.md
  programs=$(grep -rhE '\|\| [a-z]+=\$\?' "$REPOSITORY/constructs/host"/{bin,lib,documents} |
    sed -E 's/^ *//; s/^(local )?[a-z]+=\$\(//; s/^\{ //; s/^timeout [0-9]+ //' | awk '$1 ~ /^[a-z]/ {print $1}' |
    sort -u)
  [[ $programs == *blkid*cibadmin*e2fsck*mount*tunefs.lustre* ]]
  for program in $programs; do
    [[ " bash is_blank is_off printf wait " == *" $program "* ]] || grep -qF "\`$program" "$page" || {
      echo "$page has no $program" >&2
      return 1
    }
  done
}

# One that only prints what it can read has no state to protect and no failure to report.
REPORTS='sas-grid-lustre-status'

@test "every script says what it does and tells its exit codes" {
  for script in "$BIN"/*; do
    run "$script" --help
    exited 0
    [[ $output == Usage:* ]]
    [[ $output == *'Exit codes'* || " $REPORTS " == *" ${script##*/} "* ]] || {
      echo "${script##*/} tells no exit codes" >&2
      return 1
    }
  done
}

@test "every shell script is strict and logs with its tag" {
  for script in $(grep -l '^#!/bin/bash' "$BIN"/*); do
    [[ " $REPORTS " != *" ${script##*/} "* ]] || continue
    grep -qx 'set -euo pipefail' "$script" && grep -qE '^ *for part in log |lib/log\.sh' "$script" || {
      echo "${script##*/} is not strict or does not log" >&2
      return 1
    }
  done
}

@test "a message goes to standard error and to the journal with the program's name" {
  make_host
  python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$SAS_GRID_ROOT/dev/log" \
    2>/dev/null || skip 'python3 is not installed'
  stub logger
  run "$BIN/sas-grid-scratch"
  exited 1
  [[ $output == *'sas-grid-scratch: '*'has not the role scratch'* ]]
  [[ $(calls logger) == 'logger -t sas-grid-scratch -- '*'has not the role scratch' ]]
}

# The kernel's names change from boot to boot.
@test "no host file names a disk" {
  same '' "$(grep -nE '/dev/(nvme[0-9]|sd[a-z]|xvd[a-z])' -r "$REPOSITORY/constructs/host"/{bin,lib,systemd,sysctl} |
    grep -vE '^[^:]*:[0-9]+: *#|\$\{path#/dev/xv\}' || true)"
}

# What a tool says about a disk decides whether it is written: an error must never look like an answer.
@test "no tool that tells what a disk carries may fail unseen" {
  tools='wipefs|blkid|mkfs[.a-z0-9]*|tunefs.lustre|pvcreate|vgcreate|lvcreate|mdadm --(create|assemble)'
  same '' "$(grep -nE "($tools) .*\|\| *(true|:)( |\$|;)" -r "$REPOSITORY/constructs/host"/{bin,lib} || true)"
}

@test "what failed is started with all roles of the host, and no others" {
  # systemd makes one dollar of two.
  command=$(sed -n "s,^ExecStart=/bin/sh -c '\(.*\)'$,\1,p" "$UNITS/sas-grid-retry.service" | sed 's/\$\$/$/g')
  make_host
  stub sleep
  ROLES='scratch grid-node' sh -c "$command"
  same "$(printf 'systemctl start --no-block sas-grid-%s.target\n' scratch grid-node)" "$(calls systemctl)"
}
