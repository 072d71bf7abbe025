#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # stubs are written as text; bats sets status and output
# image-test: what it tries on an instance of the image, that it notices each fault, and leaves nothing behind.

load helpers
load machine-image/image

setup() {
  make_image lustre-server
  image host
  exited 0
  printf '[main]\nexcludepkgs=kernel* lustre*\n' >"$ROOT/etc/dnf/dnf.conf"
  echo 0123456789abcdef0123456789abcdef >"$ROOT/etc/machine-id"
  echo fedcba9876543210fedcba9876543210 >"$ROOT/usr/share/cdk-sas-grid/build-machine-id"
  for tool in mount.nfs4 mount.lustre mdadm mkfs.xfs; do stub "$tool"; done
  stub losetup 'case $1 in --find) echo /dev/loop7 ;; -j) echo "/dev/loop7: []" ;; esac'
  stub lfs 'echo "sgtest-OST0000_UUID 1 1 1 1% $3[OST:0]"'
  stub mountpoint 'grep -q "^mount .*/${*: -1}$" "$CALLS" || grep -q "^mount .*${*: -1}$" "$CALLS"'
  : >"$CALLS"
}

node() {
  set_env KIND grid-node
}

@test "a server that is right is good, and leaves nothing behind" {
  image test
  exited 0
  says 'good: Lustre serves' 'the image is good'
  [[ $(calls mkfs.lustre) == *'--mgs --mdt --index=0'*'--ost --index=0 --mgsnode=10.0.0.5@tcp'* ]]
  [[ $(calls mount) == *'-t lustre -o flock 10.0.0.5@tcp:/sgtest '* ]]
  same 3 "$(calls 'umount' | wc -l)"
  same 2 "$(calls 'losetup -d' | wc -l)"
  same '' "$(ls "$ROOT/var/tmp")"
}

@test "a target that cannot be made, a client that is not mounted, a file system that is unhealthy: each is told" {
  stub mkfs.lustre 'exit 1'
  image test
  exited 1
  says 'NOT GOOD: Lustre serves' 'the image is not to be used'
  same '' "$(ls "$ROOT/var/tmp")"
  same 1 "$(calls 'losetup -d' | sort -u | wc -l)"
  stub mkfs.lustre
  HEALTH='NOT HEALTHY' image test
  exited 1
  says 'health_check says NOT HEALTHY'
  stub lfs 'exit 1'
  image test
  exited 1
  says 'does not appear at the client'
}

@test "a client that reads something else than it wrote is not good" {
  stub sync 'for file in "$SAS_GRID_ROOT"/var/tmp/*/client/data; do [[ ! -e $file ]] || echo changed >"$file"; done'
  image test
  exited 1
  says 'the client does not read what it wrote'
  same '' "$(ls "$ROOT/var/tmp")"
}

@test "an LNet that has no network yet gets one" {
  stub lctl 'case $* in
    *health_check) echo healthy ;;
    list_nids) ! grep -q "^lnetctl net add" "$CALLS" || echo 10.0.0.6@tcp ;;
    --version) echo lctl 2.17.0 ;;
    *version) echo 2.17.0 ;;
    esac'
  image test
  exited 0
  [[ $(calls mount) == *'10.0.0.6@tcp:/sgtest '* ]]
}

@test "one fault does not hide another" {
  cp "$ROOT/etc/machine-id" "$ROOT/usr/share/cdk-sas-grid/build-machine-id"
  RUNS=5.14.0-2.el9.x86_64 AGENT=3.2.0.0 image test
  exited 1
  says 'the kernel is 5.14.0-2.el9.x86_64, not 5.14.0-1.el9.x86_64' 'the machine id of the build' \
    "the agent is '3.2.0.0'" '3 tests failed'
}

@test "a program that was changed, that bash does not understand, or whose help fails is not good" {
  folder=$(echo "$ROOT"/usr/share/cdk-sas-grid/*/bin)
  echo >>"$folder/sas-grid-node"
  image test
  exited 1
  says 'NOT GOOD: the host software is complete'
  # Another release lies beside: it is tried as well.
  image host
  mkdir -p "$ROOT/usr/share/cdk-sas-grid/other/bin"
  printf '#!/bin/bash\nif\n' >"$ROOT/usr/share/cdk-sas-grid/other/bin/broken"
  image test
  exited 1
  says 'bash does not understand /usr/share/cdk-sas-grid/other/bin/broken'
  printf '#!/bin/bash\n[[ $1 == --help ]]\nexit 3\n' >"$ROOT/usr/share/cdk-sas-grid/other/bin/broken"
  chmod +x "$ROOT/usr/share/cdk-sas-grid/other/bin/broken"
  image test
  exited 1
  says '/usr/share/cdk-sas-grid/other/bin/broken --help fails'
}

@test "a unit that failed, and an agent that does not run, are not good" {
  node
  stub systemctl 'case $1 in list-units) echo "sas-grid-node.service loaded failed failed x" ;;
    is-active) exit 3 ;; esac'
  image test
  exited 1
  says 'failed: sas-grid-node.service' 'the agent does not run'
}

@test "a kernel that dnf offers, or a lock that is gone, is not good; without repositories only the lock counts" {
  node
  stub dnf '[[ $* != *check-update* ]] || { echo "kernel.x86_64 5.14.0-2 base"; exit 100; }'
  image test
  exited 1
  says 'dnf offers: kernel.x86_64'
  stub dnf 'exit 1'
  image test
  exited 0
  says 'no repository answers'
  printf '[main]\n' >"$ROOT/etc/dnf/dnf.conf"
  image test
  exited 1
  says 'does not exclude kernel*'
}

@test "a node needs its clients, and makes no file system" {
  node
  image test
  exited 0
  same '' "$(calls 'mkfs|mount|losetup')"
  stub modprobe '[[ $1 != lustre ]]'
  image test
  exited 1
  says 'NOT GOOD: the clients of shared file systems are there'
}
