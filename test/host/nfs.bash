# shellcheck shell=bash disable=SC2016,SC2154
# What the tests of the NFS servers share: an LVM made of files. $ROOT/lvm says what pvs says of each physical volume.

make_nfs_server() {
  make_host
  settings nfs-server <<'XEND'
SERVICE=nfs
KIND=ebs
VOLUMES_PER_SLOT=2
EXPORT_NAME=sasdata
CLIENTS=172.16.0.0/20,172.16.32.7
STRIPE_KIB=256
READ_AHEAD_KIB=4096
GRACE_SECONDS=30
LEASE_SECONDS=20
XEND
  software_installed
  DISK_A=$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a
  DISK_B=$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0b
  ebs vol0a
  ebs vol0b
  machine
  : >"$ROOT/lvm"
  with_stubs lvm_stubs
}

machine() {
  printf 'processor : %s\n' 0 1 2 3 >"$ROOT/proc/cpuinfo"
  echo 'MemTotal:       16000000 kB' >"$ROOT/proc/meminfo"
  with_stubs machine_stubs
}

machine_stubs() {
  # One that reads no nfs.conf.d.
  stub nfsconf 'if [[ $1 == --set ]]; then echo "$2 $3" >>"$SAS_GRID_ROOT/etc/nfs.conf";
    elif grep -qsx "$2 $3" "$SAS_GRID_ROOT/etc/nfs.conf"; then echo n; else echo y; fi'
  stub systemctl
  stub find
  stub mount 'printf "%s %s %s rw,noatime 0 0\n" "${*: -2:1}" "${*: -1}" "$2" >>"$SAS_GRID_ROOT/proc/mounts"'
  stub resize2fs
  stub e2mmpstatus
  stub dumpe2fs 'echo "Filesystem state: clean"'
  stub e2fsck
  stub mkfs.ext4
  stub mkfs.xfs
}

lvm_stubs() {
  # A disk is blank when its first MiB is.
  stub wipefs 'if [[ $1 == -q ]]; then for disk in "${@:3}"; do truncate -s 0 "$disk" && truncate -s 1M "$disk"; done;
    : >"$SAS_GRID_ROOT/lvm"
else grep -q . <(tr -d "\0" <"${*: -1}") && echo signature || true; fi'
  stub blkid '[[ $* != *value* ]] || { echo xfs; exit; }; grep -q . <(tr -d "\0" <"${*: -1}") || exit 2'
  stub pvs 'case $* in
  *vg_tags) sed "s/^/  /" "$SAS_GRID_ROOT/lvm" ;;
  *pv_size) while IFS=, read -r disk _; do echo "  $disk 512.00 ${PV_MIB:-508.00}"; done <"$SAS_GRID_ROOT/lvm" ;;
  *) while read -r _; do echo "  127 ${USED:-127}"; done <"$SAS_GRID_ROOT/lvm" ;;
esac'
  stub vgcreate 'group=$5 && for disk in "${@:6}"; do echo "LABELONE" | dd of="$disk" conv=notrunc 2>/dev/null;
    echo "$disk,$group,"; done >"$SAS_GRID_ROOT/lvm"'
  stub lvcreate 'mkdir -p "$SAS_GRID_ROOT/dev/${*: -1}"; touch "$SAS_GRID_ROOT/dev/${*: -1}/${*: -2:1}"'
  stub vgchange 'case $* in
  *--addtag*) sed -i "s/,[^,]*$/,${*: -2:1}/" "$SAS_GRID_ROOT/lvm" ;;
  *-K*)
    slaves=$SAS_GRID_ROOT/sys/block/data/slaves && mkdir -p "$slaves" "$SAS_GRID_ROOT/dev/${*: -1}"
    touch "$SAS_GRID_ROOT/dev/${*: -1}/data"
    while IFS=, read -r disk _; do touch "$slaves/${disk##*/}"; done <"$SAS_GRID_ROOT/lvm" ;;
esac'
  stub pvresize
  stub lvextend
}

# pool_of GROUP TAG DISK...: the disks carry this pool.
pool_of() {
  local disk
  for disk in "${@:3}"; do
    echo LABELONE | dd of="$disk" conv=notrunc 2>/dev/null
    echo "$disk,$1,$2"
  done >>"$ROOT/lvm"
}

complete_pool() {
  pool_of sas-grid-nfs-00 sas-grid-complete "$DISK_A" "$DISK_B"
}

serve_nfs() {
  run "$BIN/sas-grid-serve" --slot nfs-00 --epoch 3 --address 172.16.4.21 --volumes vol-0a,vol-0b "$@"
}
