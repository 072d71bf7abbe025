#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# image-clean: nothing that must differ from host to host, or is secret, is left in an image.

load helpers
load machine-image/image

# What a build instance has of its own.
OWN=(etc/hostid etc/nvme/hostnqn etc/nvme/hostid etc/ssh/ssh_host_rsa_key etc/ssh/ssh_host_ed25519_key.pub
  var/lib/dbus/machine-id var/lib/systemd/random-seed var/lib/nfs/rmtab etc/lvm/devices/system.devices
  etc/lvm/archive/x.vg etc/NetworkManager/system-connections/eth0.nmconnection
  var/lib/NetworkManager/internal-x-eth0.lease etc/udev/rules.d/70-persistent-net.rules etc/hostname
  root/.ssh/authorized_keys root/.bash_history home/ec2-user/.ssh/authorized_keys home/ec2-user/.bash_history
  home/ec2-user/.aws/credentials var/lib/amazon/ssm/Vault/Store/RegistrationKey var/log/amazon/ssm/agent.log
  etc/sas-grid/installed var/log/journal/0123/system.journal var/log/messages-20260101 var/tmp/left
  var/cache/dnf/base/repodata/x.xml etc/yum.repos.d/sas-grid-mirror.repo)

# What stays: the image would not be the same without it.
KEPT=(etc/ssh/sshd_config etc/yum.repos.d/base.repo etc/udev/rules.d/99-own.rules etc/lvm/lvm.conf
  usr/share/cdk-sas-grid/0123/bin/x etc/NetworkManager/NetworkManager.conf home/ec2-user/.bashrc)

setup() {
  make_image lustre-server
  local file
  boots_as i-0123456789abcdef0
  for file in "${OWN[@]}" "${KEPT[@]}"; do
    mkdir -p "$ROOT/${file%/*}"
    echo own >"$ROOT/$file"
  done
  echo 0123456789abcdef0123456789abcdef >"$ROOT/etc/machine-id"
  echo text >"$ROOT/var/log/secure"
}

@test "what is the build's own is gone, and what makes the image stays" {
  image clean
  exited 0
  for file in "${OWN[@]}"; do [[ ! -s $ROOT/$file ]] || { echo "left: $file" && false; }; done
  for file in "${KEPT[@]}"; do [[ -s $ROOT/$file ]] || { echo "lost: $file" && false; }; done
  [[ -n $(calls 'cloud-init clean') && -n $(calls 'dnf .*clean all') ]]
}

@test "the machine id is an empty file, and the build's is remembered for the test" {
  image clean
  [[ -f $ROOT/etc/machine-id && ! -s $ROOT/etc/machine-id ]]
  same 0123456789abcdef0123456789abcdef "$(<"$ROOT/usr/share/cdk-sas-grid/build-machine-id")"
}

@test "logs that are written now stay, empty" {
  image clean
  [[ -f $ROOT/var/log/secure && ! -s $ROOT/var/log/secure ]]
}

@test "what the agent keeps of this build's commands goes at the next boot, before it starts" {
  image clean
  same 'R! /var/lib/amazon/ssm/i-0123456789abcdef0' "$(<"$ROOT/etc/tmpfiles.d/sas-grid-image.conf")"
}

@test "the folder of the build goes last, with the program itself" {
  image clean
  exited 0
  says 'the folder of the build is removed'
  [[ ! -e $IMAGE ]]
}

@test "running it again changes nothing" {
  image clean
  before=$(cd "$ROOT" && find . -type f -exec sha256sum {} + | sort)
  unpack_archive lustre-server
  image clean
  exited 0
  same "$before" "$(cd "$ROOT" && find . -type f -exec sha256sum {} + | sort)"
}

@test "a failure half-way leaves the folder, so that it can be run again" {
  stub cloud-init 'exit 1'
  image clean
  exited 1
  [[ -e $IMAGE/bin/image-clean ]]
  stub cloud-init
  image clean
  exited 0
}
