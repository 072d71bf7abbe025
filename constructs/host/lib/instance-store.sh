# shellcheck shell=bash
# The disks of the instance store. They are blank when the instance was stopped.

# instance_store_disks: prints the paths of the instance-store disks, one a line, in a fixed order. Types before NVMe show
# no identity: for them DISK_DEVICES names the disks, and only those count that EC2 says are instance store.
instance_store_disks() {
  local link path found='' names
  for link in "$ROOT"/dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_*; do
    [[ $link == *-part* || $link == *-ns-* || $link =~ _[0-9]$ || ! -e $link ]] || found+=$link$'\n'
  done
  if [[ -z $found && -n $(setting DISK_DEVICES '') ]]; then
    names=$(ephemeral_names)
    for path in $(setting DISK_DEVICES); do
      # EC2 says sdb, or xvdb, for what the kernel calls xvdb.
      [[ ! -e $ROOT$path || " ${names//$'\n'/ } " != *" "?(s|xv)"${path#/dev/xv} "* ]] || found+=$ROOT$path$'\n'
    done
  fi
  printf '%s' "$found"
}

# ephemeral_names: prints the device names that the instance's block device mapping gives to instance store.
ephemeral_names() {
  local entry
  for entry in $(metadata block-device-mapping/); do
    [[ $entry != ephemeral* ]] || metadata "block-device-mapping/$entry"
    echo
  done
}
