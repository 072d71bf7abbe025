# shellcheck shell=bash
# Disks by identity. The kernel's names change from boot to boot; the NVMe model and serial do not.

# volume_device VOLUME-ID: prints the path of an EBS volume, whether it is there or not.
volume_device() {
  printf '%s/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_%s\n' "$ROOT" "${1/-/}"
}

# is_blank DEVICE: 0 blank, 1 carries something, 2 cannot tell. Both tools must find nothing, and the first MiB must
# be zeros, which tr makes one of. Of a disk that died the kernel sets the size to 0: there the tools find nothing, either.
is_blank() {
  local found status=0 bytes
  found=$(wipefs --no-act --parsable "$1") || return 2
  blkid -p "$1" >/dev/null 2>&1 || status=$?
  bytes=$(head -c 1048576 "$1" | tr -s '\0' | wc -c) || return 2
  case $status in
    2) [[ -z $found && $bytes -eq 1 ]] || return 1 ;;
    0 | 8) return 1 ;;
    *) return 2 ;;
  esac
}
