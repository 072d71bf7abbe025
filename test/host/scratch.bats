#!/usr/bin/env bats
# shellcheck disable=SC2013,SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-scratch: which disks it takes, and which it never touches.

load helpers
load scratch

setup() {
  scratch_host
}

@test "blank disks become two striped arrays with file systems, and the EBS disk is left alone" {
  run "$BIN/sas-grid-scratch"
  exited 0
  same "$(printf 'mdadm --create %s --run --homehost=any --level=0 --chunk=256 --name=%s --raid-devices=2 %s %s\n' \
    "$ROOT/dev/md/saswork" saswork "$BY_ID/${STORE}1" "$BY_ID/${STORE}2" \
    "$ROOT/dev/md/utilloc" utilloc "$BY_ID/${STORE}3" "$BY_ID/${STORE}4")" "$(calls 'mdadm --create')"
  same "$(printf 'mkfs.xfs -q -K -b size=4096 -L %s %s\n' saswork "$ROOT/dev/md127" utilloc "$ROOT/dev/md126")" \
    "$(calls mkfs.xfs)"
  same "mount -t xfs -o noatime,nodiratime $ROOT/dev/md127 $ROOT/saswork" "$(calls 'mount .*/saswork$')"
  same 1777 "$(stat -c %a "$ROOT/saswork")"
  [[ $(calls '.*') != *vol0root* ]]
}

@test "read-ahead is set on the members and on the array" {
  run "$BIN/sas-grid-scratch"
  same 6 "$(calls 'blockdev --setra 16384' | wc -l)"
}

@test "after a reboot the arrays are assembled with their data" {
  member 1 saswork && member 2 saswork && member 3 utilloc && member 4 utilloc
  run "$BIN/sas-grid-scratch"
  exited 0
  same 2 "$(calls 'mdadm --assemble' | wc -l)"
  same '' "$(calls '(mdadm --create|mkfs)')"
}

@test "foreign data on a disk is refused" {
  disk "${STORE}2" 'somebody was here'
  run "$BIN/sas-grid-scratch"
  exited 4
  member 1 other
  run "$BIN/sas-grid-scratch"
  exited 4
  # An array of another host that has our name.
  disk "${STORE}1" 'md:elsewhere:saswork
'
  member 2 saswork
  run "$BIN/sas-grid-scratch"
  exited 4
  same '' "$(calls '(mdadm --create|mkfs)')"
}

@test "an array of which a disk is blank is refused: it lost data" {
  member 1 saswork
  run "$BIN/sas-grid-scratch"
  exited 4
  same '' "$(calls '(mdadm --(create|assemble)|mkfs)')"
}

@test "too few disks are an error that says how many" {
  rm "$BY_ID/${STORE}4"
  run "$BIN/sas-grid-scratch"
  exited 1
  [[ $output == *'3 instance-store disks, but 4 are wanted'* ]]
}

@test "one disk is used as it is, with UTILLOC as a directory of it" {
  sed -i 's/SASWORK_DISKS=2/SASWORK_DISKS=1/;s/UTILLOC_DISKS=2/UTILLOC_DISKS=0/' "$ROOT/etc/sas-grid/scratch.env"
  run "$BIN/sas-grid-scratch"
  exited 0
  same '' "$(calls 'mdadm --(create|assemble)')"
  [[ $(calls mkfs.xfs) == *"$BY_ID/${STORE}1" ]]
  same "mount -t none -o bind $ROOT/saswork/.utilloc $ROOT/utilloc" "$(calls 'mount .*/utilloc$')"
  same 1777 "$(stat -c %a "$ROOT/utilloc")"
  boot
  run "$BIN/sas-grid-scratch"
  exited 0
  same '' "$(calls mkfs)"
  [[ -n $(calls 'mount .*/saswork$') ]]
}

@test "a disk that has died, and has no size, is not made anew when a reboot brings it back with its data" {
  sed -i 's/SASWORK_DISKS=2/SASWORK_DISKS=1/;s/UTILLOC_DISKS=2/UTILLOC_DISKS=0/' "$ROOT/etc/sas-grid/scratch.env"
  run "$BIN/sas-grid-scratch"
  exited 0
  mv "$BY_ID/${STORE}1" "$BY_ID/kept"
  : >"$BY_ID/${STORE}1"
  boot
  stub mkfs.xfs 'exit 1'
  run "$BIN/sas-grid-scratch"
  exited 4
  mv "$BY_ID/kept" "$BY_ID/${STORE}1"
  run "$BIN/sas-grid-scratch"
  exited 0
  same '' "$(calls mkfs)"
}

@test "one disk with a file system that is not ours is neither mounted nor written" {
  sed -i 's/SASWORK_DISKS=2/SASWORK_DISKS=1/;s/UTILLOC_DISKS=2/UTILLOC_DISKS=0/' "$ROOT/etc/sas-grid/scratch.env"
  file_system archive >"$BY_ID/${STORE}1"
  run "$BIN/sas-grid-scratch"
  exited 4
  [[ $output == *'carries xfs, not xfs called saswork'* ]]
  cp "$RECORDINGS/blkid_export_member.out" "$BY_ID/${STORE}1"
  run "$BIN/sas-grid-scratch"
  exited 4
  [[ $output == *'carries linux_raid_member, not xfs'* ]]
  same '' "$(calls '(mount|mkfs|mdadm --(create|assemble))')"
}

@test "ext4 is made when it is wanted, and another file system is not mounted in its place" {
  sed -i s/=xfs/=ext4/ "$ROOT/etc/sas-grid/scratch.env"
  run "$BIN/sas-grid-scratch"
  exited 0
  same "mkfs.ext4 -q -E nodiscard -b 4096 -L saswork $ROOT/dev/md127" "$(calls 'mkfs.ext4.*saswork')"
  boot
  run "$BIN/sas-grid-scratch"
  exited 4
  [[ $output == *'carries xfs, not ext4'* ]]
  same '' "$(calls '(mount|mkfs)')"
}

@test "disks without an NVMe identity are taken when EC2 says that they are instance store, and no others" {
  rm "$BY_ID"/nvme-Amazon_EC2_NVMe_Instance_Storage_*
  for name in xvdb xvdc xvdd xvde xvdf; do truncate -s 1M "$ROOT/dev/$name"; done
  echo DISK_DEVICES=/dev/xvdb /dev/xvdc /dev/xvdd /dev/xvde /dev/xvdf >>"$ROOT/etc/sas-grid/scratch.env"
  # xvdd is a volume, whatever the settings say.
  stub curl 'case ${*: -1} in
  */block-device-mapping/) printf "ami\nebs1\nephemeral0\nephemeral1\nephemeral2\nephemeral3\nroot" ;;
  */ephemeral0) printf sdb ;; */ephemeral1) printf sdc ;; */ephemeral2) printf xvde ;; */ephemeral3) printf sdf ;;
  */ebs1) printf sdd ;;
esac'
  run "$BIN/sas-grid-scratch"
  exited 0
  same "$ROOT/dev/xvdb $ROOT/dev/xvdc" "$(calls 'mdadm --create' | sed -n '1s/.*raid-devices=2 //p')"
  same "$ROOT/dev/xvde $ROOT/dev/xvdf" "$(calls 'mdadm --create' | sed -n '2s/.*raid-devices=2 //p')"
}
