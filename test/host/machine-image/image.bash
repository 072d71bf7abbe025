# shellcheck shell=bash disable=SC2016,SC2154
# A build instance of files, with the archive of an image unpacked, and stubs for what would change the machine.

SCRIPTS=$REPOSITORY/constructs/machine-image/scripts

# make_image KIND
make_image() {
  local tool
  make_host
  IMAGE=$ROOT/var/lib/sas-grid-image
  export RUNS=5.14.0-1.el9.x86_64
  for tool in grubby depmod locale cloud-init losetup mkfs.lustre tunefs.lustre mount umount mountpoint lfs zpool \
    sync; do
    stub "$tool"
  done
  stub uname '[[ $1 == -r ]] && echo "$RUNS" || echo x86_64'
  stub lctl 'case $* in *health_check) echo "${HEALTH-healthy}" ;; list_nids) echo 10.0.0.5@tcp ;; esac'
  stub rpm '[[ $* != *amazon-ssm-agent* ]] || echo "${AGENT-3.3.100.0}"'
  stub locale 'echo en_US.utf8'
  stub grubby '[[ $1 != --default-kernel ]] || echo "${DEFAULT-/boot/vmlinuz-5.14.0-1.el9.x86_64}"'
  mkdir -p "$IMAGE" "$ROOT"/{boot,etc/dnf,etc/yum.repos.d,var/tmp,var/log,proc/sys/crypto,proc/sys/vm}
  printf '[main]\ngpgcheck=1\n' >"$ROOT/etc/dnf/dnf.conf"
  : >"$ROOT/boot/vmlinuz-5.14.0-1.el9.x86_64"
  unpack_archive "$1"
}

# unpack_archive KIND: what the component does.
unpack_archive() {
  mkdir -p "$IMAGE/host"
  cp -r "$SCRIPTS/." "$IMAGE"
  cp -r "$REPOSITORY"/constructs/host/{bin,lib,systemd,sysctl} "$IMAGE/host"
  printf '%s\n' "KIND=$1" SYSTEM=el RELEASE=9.7 ARCHITECTURE=x86_64 LUSTRE_VERSION=2.17.0 BACKEND=ldiskfs \
    KERNEL=5.14.0-1.el9.x86_64 "HOST_SOFTWARE=$(sum_of_software "$IMAGE/host")" \
    AGENT_MINIMUM=3.3.40.0 >"$IMAGE/image.env"
  printf '%s\t%s\t%s\n' kernel kernel - kernel kernel-core - lustre lustre=2.17.0 lustre \
    lustre kmod-lustre=2.17.0 lustre host mdadm - node libXp - >"$IMAGE/packages.tsv"
}

# sum_of_software FOLDER: by its definition, in another way than the programs: a line with the path, one with the sum.
sum_of_software() {
  python3 - "$1" <<'END'
import hashlib, os, sys
root = sys.argv[1]
names = [os.path.relpath(os.path.join(folder, name), root) for folder, _, files in os.walk(root) for name in files]
sum_of = lambda name: hashlib.sha256(open(os.path.join(root, name), 'rb').read()).hexdigest()
print(hashlib.sha256(''.join(f'{n}\n{sum_of(n)}\n' for n in sorted(names, key=os.fsencode)).encode()).hexdigest())
END
}

# image PROGRAM
image() {
  run "$IMAGE/bin/image-$1" "${@:2}"
}

# says PART...
says() {
  local part
  for part in "$@"; do
    [[ $output == *"$part"* ]] || { printf 'not said: %s\n%s\n' "$part" "$output" >&2 && return 1; }
  done
}

# set_env KEY VALUE
set_env() {
  sed -i "s/^$1=.*/$1=$2/" "$IMAGE/image.env"
}
