#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# The programs that build an image of the RHEL family, but for image-packages: what they do, refuse and leave alone.

load helpers
load machine-image/image

setup() {
  make_image lustre-server
}

# software: where the image has the host software.
software() {
  echo "$ROOT/usr/share/cdk-sas-grid/$(sed -n 's/^HOST_SOFTWARE=//p' "$IMAGE/image.env")"
}

@test "each program has a help, and takes no argument" {
  for program in "$IMAGE"/bin/*; do
    run "$program" --help
    exited 0
    says "Usage: ${program##*/}" 'Exit codes:'
    run "$program" now
    exited 64
  done
  same '' "$(calls dnf)"
}

@test "an image of the Debian family has its own programs" {
  set_env SYSTEM debian
  mkdir -p "$IMAGE/debian"
  printf '#!/bin/bash\necho "debian: $*"\n' >"$IMAGE/debian/image-kernel"
  chmod +x "$IMAGE/debian/image-kernel"
  image kernel --help
  exited 0
  says 'debian: --help'
}

@test "kernel: the exact one is installed from the mirror alone, and is the default" {
  image kernel
  exited 0
  call="dnf -y -q --installroot=$ROOT --releasever=9.7 --disableplugin=local --setopt=install_weak_deps=False"
  call+=' --disablerepo=* --enablerepo=sas-grid-mirror --disableexcludes=main install'
  same "$call kernel-5.14.0-1.el9.x86_64 kernel-core-5.14.0-1.el9.x86_64" "$(calls dnf)"
  [[ -n $(calls 'grubby --set-default /boot/vmlinuz-5.14.0-1.el9.x86_64') ]]
}

@test "kernel: a host with Secure Boot is refused before anything is installed" {
  mkdir -p "$ROOT/sys/firmware/efi/efivars"
  variable=$ROOT/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
  printf '\6\0\0\0\1' >"$variable"
  image kernel
  exited 4
  says 'Secure Boot is on' 'use a base image'
  same '' "$(calls dnf)"
  printf '\6\0\0\0\0' >"$variable"
  image kernel
  exited 0
}

@test "kernel: a host in FIPS mode, or that boots into it, is refused" {
  echo 1 >"$ROOT/proc/sys/crypto/fips_enabled"
  image kernel
  exited 4
  says 'FIPS mode is on'
  echo 0 >"$ROOT/proc/sys/crypto/fips_enabled"
  echo 'ro fips=1 quiet' >"$ROOT/proc/cmdline"
  image kernel
  exited 4
  echo 'ro fips=10 xfips=1' >"$ROOT/proc/cmdline"
  image kernel
  exited 0
}

@test "kernel: packages that bring another one, and a default that stays another, are errors" {
  DEFAULT=/boot/vmlinuz-other image kernel
  exited 1
  says 'the default kernel is /boot/vmlinuz-other'
  rm "$ROOT/boot/vmlinuz-5.14.0-1.el9.x86_64"
  image kernel
  exited 1
  says 'bring no /boot/vmlinuz-5.14.0-1.el9.x86_64'
}

@test "kernel: none is named, so the base image's stays" {
  set_env KERNEL ''
  image kernel
  exited 0
  same '' "$(calls 'dnf|grubby')"
}

@test "lustre: another kernel runs, and both are named" {
  RUNS=5.14.0-2.el9.x86_64 image lustre
  exited 1
  says 5.14.0-2.el9.x86_64 5.14.0-1.el9.x86_64 reboot
  same '' "$(calls dnf)"
}

@test "lustre: the packages are installed, their modules load, and dnf leaves them alone from now on" {
  image lustre
  exited 0
  [[ $(calls dnf) == *'--enablerepo=sas-grid-mirror'*'install lustre-2.17.0 kmod-lustre-2.17.0' ]]
  same 'depmod -a 5.14.0-1.el9.x86_64' "$(calls depmod)"
  [[ -n $(calls 'modprobe lustre') && -n $(calls 'modprobe osd_ldiskfs') ]]
  same '[main]
gpgcheck=1
excludepkgs=kernel* kmod-lustre* lustre* e2fsprogs* libcom_err* libss' "$(<"$ROOT/etc/dnf/dnf.conf")"
}

@test "lustre: what dnf excluded before stays excluded, and running it again adds nothing" {
  printf '[main]\nexclude=foo, bar*\nbest=True\n[other]\nexclude=x\n' >"$ROOT/etc/dnf/dnf.conf"
  image lustre
  image lustre
  exited 0
  same '[main]
excludepkgs=foo bar* kernel* kmod-lustre* lustre* e2fsprogs* libcom_err* libss
best=True
[other]
exclude=x' "$(<"$ROOT/etc/dnf/dnf.conf")"
}

@test "lustre: modules of another release than the one wanted are an error" {
  set_env LUSTRE_VERSION 2.15.6
  image lustre
  exited 1
  says 'Lustre 2.15.6 is wanted, but 2.17.0 is installed'
}

@test "lustre: a module that does not load is an error that names the kernel" {
  stub modprobe '[[ $1 != osd_ldiskfs ]]'
  image lustre
  exited 1
  says 'no modules for the kernel 5.14.0-1.el9.x86_64: osd_ldiskfs does not load'
}

@test "lustre: an image of a node without a client has nothing to do; one of a server has" {
  sed -i '/^lustre/d' "$IMAGE/packages.tsv"
  image lustre
  exited 1
  says 'wants nothing for the step lustre'
  set_env KIND grid-node
  image lustre
  exited 0
  same '' "$(calls dnf)"
}

@test "host: the software is in the folder of its name, and complete" {
  image host
  exited 0
  same "$(sed -n 's/^HOST_SOFTWARE=//p' "$IMAGE/image.env")" "$(sum_of_software "$(software)")"
  [[ -x $(software)/bin/sas-grid-serve && ! -x $(software)/lib/log.sh ]]
  [[ $(calls dnf) == *'install mdadm' ]]
  [[ -n $(calls 'systemctl --no-reload enable amazon-ssm-agent.service') ]]
}

@test "host: software that was changed is refused, and nothing is copied" {
  echo '# changed' >>"$IMAGE/host/bin/sas-grid-node"
  image host
  exited 4
  says "but image.env names $(sed -n 's/^HOST_SOFTWARE=//p' "$IMAGE/image.env")"
  [[ ! -e $ROOT/usr/share/cdk-sas-grid ]]
}

@test "host: a file that is missing or too much is another name" {
  rm "$IMAGE/host/sysctl"/*
  image host
  exited 4
}

@test "host: the agent stays when it is new enough, by numbers, and comes from the mirror otherwise" {
  AGENT=3.10.1.0 image host
  same '' "$(calls 'dnf.*agent')"
  AGENT=3.3.9.0 image host
  [[ $(calls 'dnf.*agent') == *'install amazon-ssm-agent >= 3.3.40.0' ]]
  : >"$CALLS"
  AGENT='' image host
  [[ -n $(calls 'dnf.*agent') ]]
}

@test "node: packages, and without a component of yours nothing more" {
  set_env KIND grid-node
  image node
  exited 0
  [[ $(calls dnf) == *'install libXp' ]]
  says 'SAS comes from elsewhere'
}

@test "node: your component is run in its folder, and its output is shown" {
  set_env KIND grid-node
  export SAS_IMAGE_COMPONENT_DIR=$BATS_TEST_TMPDIR/component
  mkdir "$SAS_IMAGE_COMPONENT_DIR"
  printf '#!/bin/bash\necho "SAS is laid down"; touch laid; exit "${ENDS:-0}"\n' >"$SAS_IMAGE_COMPONENT_DIR/install"
  image node
  exited 1
  says 'is not executable: chmod +x'
  chmod +x "$SAS_IMAGE_COMPONENT_DIR/install"
  image node
  exited 0
  says 'SAS is laid down'
  [[ -e $SAS_IMAGE_COMPONENT_DIR/laid ]]
  ENDS=7 image node
  exited 1
  says 'failed (7)'
}

@test "node: without the locale en_US there is no image" {
  set_env KIND grid-node
  stub locale 'echo C.utf8'
  image node
  exited 1
  says 'glibc-langpack-en'
}
