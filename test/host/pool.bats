#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# The pool of an NFS slot: which volumes it takes, which it refuses, and what a call that is cut off leaves behind.

load helpers
load server
load nfs

setup() {
  make_nfs_server
  interface
}

refused() {
  exited 4
  same '' "$(calls 'vgcreate|lvcreate|mkfs|mount|vgchange|wipefs -q')"
}

@test "blank volumes become a striped pool that no host activates by itself" {
  serve_nfs --may-format
  exited 0
  [[ $(calls vgcreate) == *"sas-grid-nfs-00 $DISK_A $DISK_B" ]]
  [[ $(calls lvcreate) == *'-K -k y -i 2 -I 256 -L 128m -n state'*'-K -k y -i 2 -I 256 -l 0 -n data'* ]]
  [[ ! -e $ROOT/etc/sas-grid/formatting/vol-0a && ! -e $ROOT/etc/sas-grid/formatting/vol-0b ]]
}

@test "a complete pool is activated, never formatted, with permission or without" {
  complete_pool
  for permission in '' --may-format; do
    : >"$ROOT/proc/mounts"
    serve_nfs $permission
    exited 0
    same '' "$(calls 'vgcreate|lvcreate|mkfs|wipefs -q')"
  done
}

@test "blank volumes are not formatted without permission" {
  serve_nfs
  refused
}

@test "foreign data on one volume is refused, and the message says what is there" {
  ebs vol0b 'somebody was here'
  serve_nfs --may-format
  refused
  [[ $output == *"$DISK_A: blank; $DISK_B: xfs"* ]]
  stub blkid 'exit 2'
  serve_nfs --may-format
  refused
  [[ $output == *"$DISK_B: unknown data"* ]]
}

@test "the pool of another slot is refused" {
  pool_of sas-grid-nfs-01 sas-grid-complete "$DISK_A" "$DISK_B"
  serve_nfs --may-format
  refused
}

@test "only some volumes of the pool: one blank, one of another pool, one missing" {
  pool_of sas-grid-nfs-00 sas-grid-complete "$DISK_A"
  serve_nfs --may-format
  refused
  pool_of sas-grid-nfs-01 sas-grid-complete "$DISK_B"
  serve_nfs --may-format
  refused
  : >"$ROOT/lvm"
  complete_pool
  echo '[unknown],sas-grid-nfs-00,sas-grid-complete' >>"$ROOT/lvm"
  serve_nfs --may-format
  refused
}

@test "an incomplete pool without this host's marks is refused" {
  pool_of sas-grid-nfs-00 '' "$DISK_A" "$DISK_B"
  serve_nfs --may-format
  refused
  mkdir -p "$ROOT/etc/sas-grid/formatting"
  echo 2 >"$ROOT/etc/sas-grid/formatting/vol-0a"
  echo 2 >"$ROOT/etc/sas-grid/formatting/vol-0b"
  serve_nfs --may-format
  refused
  echo 3 >"$ROOT/etc/sas-grid/formatting/vol-0a"
  serve_nfs --may-format
  refused
  echo 3 >"$ROOT/etc/sas-grid/formatting/vol-0b"
  serve_nfs
  refused
}

@test "LVM that cannot work says nothing of the volumes, whatever they look like: an error, and nothing is written" {
  stub pvs 'exit 5'
  for content in LABELONE ''; do
    ebs vol0a "$content"
    serve_nfs --may-format
    exited 1
    [[ ${output##*serve: } == 'LVM cannot tell what the disks of sas-grid-nfs-00 carry'* ]]
    same '' "$(calls 'vgcreate|lvcreate|mkfs|mount|vgchange|wipefs -q')"
    [[ ! -e $ROOT/etc/sas-grid/formatting/vol-0a ]]
  done
}

@test "volumes that cannot be read are a refusal that says so" {
  stub wipefs 'exit 1'
  serve_nfs --may-format
  refused
  [[ $output == *"$DISK_A: it cannot be read; $DISK_B: it cannot be read"* ]]
}

@test "volumes that died, and have no size, are not taken for blank, and nothing is noted that could format them" {
  truncate -s 0 "$DISK_A" "$DISK_B"
  serve_nfs --may-format
  refused
  [[ ! -e $ROOT/etc/sas-grid/formatting/vol-0a ]]
}

@test "a pool that is still active on a device that was taken away is not mounted" {
  complete_pool
  stub vgchange 'mkdir -p "$SAS_GRID_ROOT/sys/block/data/slaves/${DISK##*/}" "$SAS_GRID_ROOT/dev/sas-grid-nfs-00" &&
    touch "$SAS_GRID_ROOT/dev/sas-grid-nfs-00/data"'
  export DISK=$DISK_A
  serve_nfs
  exited 1
  [[ $output == *"without $DISK_B"*'has to be replaced'* ]]
  same '' "$(calls mount)"
}

# cut_off TOOL TIMES WHEN: the power goes at the given call of the tool, before it did anything or after all.
cut_off() {
  mv "$STUBS/$1" "$STUBS/$1.whole"
  stub "$1" "echo >>\"\$CALLS.$1\"
[[ \$(wc -l <\"\$CALLS.$1\") -ne $2 ]] || here=yes
[[ -z \${here:-} || $3 != before ]] || { kill -9 \$PPID; exit; }
$1.whole \"\$@\"
[[ -z \${here:-} ]] || kill -9 \$PPID"
}

@test "cut off at any step, the same host finishes with permission; no other formats; nothing mounted is formatted" {
  for step in 'vgcreate 1' 'lvcreate 1' 'lvcreate 2' 'mkfs.ext4 1' 'mkfs.ext4 2' 'vgchange 1' 'vgchange 2' \
    'mount 1' 'mount 2' 'resize2fs 1' 'systemctl 2'; do
    for when in before after; do
      rm -rf "$BATS_TEST_TMPDIR"/{root,stubs,calls*}
      make_nfs_server && interface
      read -r tool times <<<"$step"
      cut_off "$tool" "$times" "$when"
      serve_nfs --may-format
      [[ $status -ge 128 ]] || { echo "$step $when: not cut off: $status $output" >&2 && return 1; }
      mounted=$(wc -l <"$ROOT/proc/mounts")
      mv "$STUBS/$tool.whole" "$STUBS/$tool"
      : >"$CALLS"
      cp -r "$ROOT" "$ROOT.host"
      # Another host has other marks: none.
      rm -rf "$ROOT/etc/sas-grid/formatting"
      : >"$ROOT/proc/mounts"
      serve_nfs
      [[ $status -eq 0 || $status -eq 4 ]]
      same '' "$(calls 'vgcreate|mkfs')"
      # This host, after it came back.
      rm -rf "$ROOT" && mv "$ROOT.host" "$ROOT"
      : >"$ROOT/proc/mounts"
      sed -i "s,^[^,]*/root/,$ROOT/," "$ROOT/lvm"
      serve_nfs --may-format
      exited 0
      ((mounted == 0)) || same '' "$(calls 'vgcreate|mkfs|wipefs -q')"
      same 2 "$(wc -l <"$ROOT/proc/mounts")"
    done
  done
}

@test "a pool is known by what LVM printed of one, on disks behind links" {
  for number in 0 1; do
    disk "nvme${number}n1" LABELONE
    mv "$ROOT/dev/disk/by-id/nvme${number}n1" "$ROOT/dev/"
  done
  ln -sf ../../nvme0n1 "$DISK_A"
  ln -sf ../../nvme1n1 "$DISK_B"
  stub pvs 'case $* in
  *vg_tags) sed "s,/dev/,$SAS_GRID_ROOT/dev/," "$RECORDINGS/pvs_members.out" ;;
  *pv_size) cat "$RECORDINGS/pvs_sizes.out" ;;
  *) cat "$RECORDINGS/pvs_extents.out" ;;
esac'
  stub vgchange 'mkdir -p "$SAS_GRID_ROOT/sys/block/data/slaves" "$SAS_GRID_ROOT/dev/sas-grid-nfs-00"
touch "$SAS_GRID_ROOT"/sys/block/data/slaves/nvme{0,1}n1 "$SAS_GRID_ROOT/dev/sas-grid-nfs-00/data"'
  serve_nfs
  exited 0
  same '' "$(calls 'vgcreate|mkfs|pvresize|lvextend')"
  [[ $(calls vgchange) == *"a|^$ROOT/dev/nvme0n1\$|"* ]]
}
