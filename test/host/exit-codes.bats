#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # commands are written as text; bats sets status and output
# What the exit codes of other programs mean that the host software looks at, by the programs themselves:
# docs/operations/exit-codes.md has the list.

load helpers

setup() {
  make_host
  PATH=$PATH:/usr/sbin:/sbin
  cd "$BATS_TEST_TMPDIR" || return
}

# real TOOL...: no stand-in; skips where one is not installed.
real() {
  local tool
  for tool in "$@"; do
    rm -f "$STUBS/$tool"
    type -P "$tool" >/dev/null || skip "$tool is not installed"
  done
}

# ends CODE COMMAND...
ends() {
  local code=0
  "${@:2}" &>said || code=$?
  [[ $1 == "$code" ]] || {
    printf '%s: ended with %s, not %s\n%s\n' "${*:2}" "$code" "$1" "$(<said)" >&2
    return 1
  }
}

# ours COMMAND...: a function of the host software.
ours() {
  run bash -c 'set -euo pipefail
    LIB=$0/constructs/host/lib POOL=sas-grid-nfs-00
    for part in log wait settings disks background pool repair serve-nfs lustre-targets; do source "$LIB/$part.sh"; done
    code=0
    "$@" || code=$?
    exit "$code"' "$REPOSITORY" "$@"
}

ext4() {
  truncate -s 16M "$1"
  mkfs.ext4 -q -F "$1"
}

# private COMMAND: in namespaces of its own; skips where there are none.
private() {
  unshare --mount --net true 2>/dev/null || skip 'no namespaces here'
  run timeout 30 unshare --mount --net bash -c "set -eu; $1" "$REPOSITORY" "${@:2}"
}

@test "e2fsck: 0 sound, 1 repaired, 4 errors are left, 8 and above it could not work, with 4 or without" {
  ext4 disk
  ends 0 e2fsck -p disk
  cp disk bent
  debugfs -w -R 'ssv free_blocks_count 1' bent 2>/dev/null
  ends 1 e2fsck -fy bent
  debugfs -w -R 'clri <2>' bent 2>/dev/null
  ends 4 e2fsck -fp bent
  cp disk newer
  debugfs -w -R 'feature FEATURE_C14' newer 2>/dev/null
  ends 12 e2fsck -p newer
  ends 12 e2fsck -y newer
  ends 8 e2fsck -p nothing
  ends 16 e2fsck -Q disk
  # What has no superblock where the first one was is no file system to -p, which is the same 8.
  dd if=/dev/zero of=disk bs=1024 seek=1 count=1 conv=notrunc status=none
  ends 8 e2fsck -p disk
  ends 4 e2fsck -fn disk
  ends 1 e2fsck -y disk
}

@test "dumpe2fs and e2mmpstatus: what they cannot read is no 1 of e2mmpstatus, which means in use" {
  ext4 disk
  ends 0 dumpe2fs -h disk
  ends 2 e2mmpstatus disk
  ends 2 e2mmpstatus nothing
  mkfs.ext4 -q -F -O mmp disk
  ends 0 e2mmpstatus disk
  dd if=/dev/zero of=disk bs=1024 seek=1 count=1 conv=notrunc status=none
  for tool in 'dumpe2fs -h' e2mmpstatus; do
    code=0
    $tool disk &>/dev/null || code=$?
    ((code > 1))
  done
  ours recorded_errors disk
  exited 0
  same '' "$output"
}

@test "flock: 1 is a lock that somebody has; above 63 it could not work itself, which says nothing of damage" {
  exec 8>lock
  flock 8
  ends 1 flock -n lock true 8>&-
  ends 1 flock -w 0 lock true 8>&-
  exec 8>&-
  ends 7 flock lock sh -c 'exit 7'
  ends 66 flock no/lock true
  ends 69 flock lock ./nothing
  ext4 disk
  debugfs -w -R 'ssv state 3' disk 2>/dev/null
  mkdir -p "$ROOT/run/sas-grid"
  ln -s no/lock "$ROOT/run/sas-grid/e2fsck.lock"
  ours repaired disk target "$PWD/words"
  [[ $status -ne 0 && ! -e words.failed ]]
  ours unrepaired 'e2fsck -f disk' "$PWD/words"
  [[ $output == *'could not work, which says nothing of damage'* ]]
}

@test "timeout: 124, and 137 when it has to kill; anything else is the command's, or that there was none" {
  ends 124 timeout 0.1 sleep 9
  ends 137 timeout -k 0.1 0.1 sh -c 'trap "" TERM; while :; do sleep 0.05; done'
  ends 137 timeout -s KILL 0.1 sleep 9
  ends 3 timeout 5 sh -c 'exit 3'
  ends 127 timeout 5 ./nothing
}

@test "blkid and wipefs: only together, and with what is read, do they say that a disk is blank" {
  : >empty
  truncate -s 2M zeros
  ext4 disk
  # blkid takes for nothing what it cannot read, and both do a disk of no size, as one that died is.
  ends 2 blkid -p zeros
  ends 2 blkid -p nothing
  ends 2 blkid -p empty
  ends 0 wipefs --no-act --parsable empty
  ends 1 wipefs --no-act --parsable nothing
  ends 0 blkid -p disk
  for each in 'zeros 0' 'disk 1' 'empty 1' 'nothing 2' '. 2'; do
    ours is_blank "${each% *}"
    exited "${each#* }"
  done
  printf x | dd of=zeros bs=1 seek=1048575 conv=notrunc status=none
  ends 2 blkid -p zeros
  ours is_blank zeros
  exited 1
}

@test "blkid: 8 when two file systems are found" {
  real mkfs.xfs
  truncate -s 320M disk
  ends 0 mkfs.xfs -q disk
  printf '\123\357' | dd of=disk bs=1 seek=1080 conv=notrunc status=none
  ends 8 blkid -p disk
  ours is_blank disk
  exited 1
}

@test "mkfs.xfs: 1 where a file system is; xfs_repair -n: 1 for damage, and for what it cannot open" {
  real mkfs.xfs xfs_repair
  truncate -s 320M disk
  ends 0 mkfs.xfs -q disk
  ends 1 mkfs.xfs -q disk
  ends 0 xfs_repair -n disk
  dd if=/dev/zero of=disk bs=512 count=1 conv=notrunc status=none
  ends 1 xfs_repair -n disk
  ends 1 xfs_repair -n nothing
}

@test "stat: 1 on an XFS that has shut down, which stays mounted" {
  real mkfs.xfs xfs_io
  truncate -s 320M disk
  mkfs.xfs -q disk
  mkdir point
  private 'mount -o loop -t xfs disk point || exit 99
    stat point >/dev/null; xfs_io -x -c shutdown point; grep -q " $PWD/point xfs " /proc/mounts; stat point 2>/dev/null'
  [[ $status -ne 99 ]] || skip 'no XFS can be mounted here'
  exited 1
}

@test "mkfs.ext4, tune2fs and resize2fs: 1 when they cannot; resize2fs 0 when there is nothing to do" {
  ext4 disk
  ends 0 resize2fs disk
  ends 1 resize2fs nothing
  ends 1 mkfs.ext4 -q nothing
  ends 1 tune2fs -e remount-ro nothing
}

@test "mount: 32 whatever the kernel refuses; the code of a helper, as Lustre's, is passed on as it is" {
  ext4 disk
  dd if=/dev/zero of=disk bs=1024 seek=1 count=1 conv=notrunc status=none
  mkdir point
  private 'mount -o loop -t ext4 disk point'
  exited 32
  # One that ends as mount.lustre does, beside the programs of this machine.
  private 'mount -t tmpfs none "$1/point" && mkdir "$1"/point/{upper,work,target}
    layers=lowerdir=/usr/sbin,upperdir=$1/point/upper,workdir=$1/point/work
    mount -t overlay -o "$layers" none /usr/sbin 2>/dev/null || exit 99
    [ /sbin -ef /usr/sbin ] || exit 99
    for part in log wait settings lustre-targets; do source "$0/constructs/host/lib/$part.sh"; done
    in_use_by() { :; }
    for code in 0 5 11 16 107 108 110 113 2 22 32; do
      printf "#!/bin/sh\nexit %s\n" "$code" >/usr/sbin/mount.lustre && chmod 755 /usr/sbin/mount.lustre
      found=0
      (mount_target none "$1/point/target") 2>/dev/null || found=$?
      echo "$code $found"
    done' "$PWD"
  [[ $status -ne 99 ]] || skip 'no helper of mount can be put up here'
  same '0 0 5 75 11 75 16 75 107 75 108 75 110 75 113 75 2 1 22 1 32 1' "$(xargs <<<"$output")"
}

@test "mdadm --examine: 1 for a disk that is no member, and for one that cannot be read" {
  real mdadm
  ends 1 mdadm --examine --export /dev/null
  ends 1 mdadm --examine --export nothing
}

@test "LVM: 5 for what is not there, 3 for what it does not understand" {
  real pvs vgs vgchange
  ends 5 vgs sas-grid-no-group
  ends 5 vgchange -a y sas-grid-no-group
  ends 3 pvs --no-such-option
  ends 5 pvs "$PWD/nothing"
}

@test "nfsconf --get: 1 when nothing says so, which is not n" {
  real nfsconf
  : >conf
  ends 1 nfsconf --file "$PWD/conf" --get nfsd vers3
  ends 0 nfsconf --file "$PWD/conf" --set nfsd vers3 n
  ends 0 nfsconf --file "$PWD/conf" --get nfsd vers3
  same n "$(<said)"
  ends 1 nfsconf --file "$PWD/no/conf" --set nfsd vers3 n
}

@test "exportfs: 0 though it could write nothing of the exports, 1 for a line that it does not understand" {
  real exportfs
  mkdir -p folder
  private 'mount -t tmpfs -o size=4k none /var/lib/nfs; mkdir -p /etc/exports.d; mount -t tmpfs none /etc/exports.d
    echo "$1 10.0.0.0/8(sec=sys,rw,sync,fsid=1,no_subtree_check)" >/etc/exports.d/a.exports
    exportfs -r && grep -c "^$1[[:space:]]" /var/lib/nfs/etab
    : >/var/lib/nfs/etab; head -c 4096 /dev/zero >/var/lib/nfs/full
    exportfs -r && wc -c </var/lib/nfs/etab
    rm /var/lib/nfs/full
    echo "$1 10.0.0.0/8((" >/etc/exports.d/a.exports; exportfs -r || echo "ended with $?"' "$PWD/folder"
  [[ $output == 1$'\n'*0$'\n'*'ended with 1' ]]
}

@test "getent: 2 for a name that nobody knows, 1 for a question that it does not understand" {
  ends 2 getent passwd no-such-account
  ends 1 getent no-such-database root
}

@test "getfacl: 1 for a file that went away, with all of the others" {
  real getfacl
  touch here
  ends 1 getfacl -n -p here gone
  grep -q '^# file: here' said
}

@test "systemctl: is-enabled is not 0 for a unit that is disabled, masked or not there" {
  real systemctl
  install -D -m 644 /dev/stdin units/etc/systemd/system/one.service \
    <<<$'[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target'
  is_enabled() { systemctl --root="$PWD/units" is-enabled --quiet "$1.service"; }
  ends 1 is_enabled one
  systemctl --root="$PWD/units" enable one.service 2>/dev/null
  ends 0 is_enabled one
  systemctl --root="$PWD/units" mask two.service 2>/dev/null
  ends 1 is_enabled two
  ! is_enabled three 2>/dev/null || false
}

@test "curl: what the metadata service answers late is asked again; one that refuses the connection is not (7)" {
  real curl ip
  type -P python3 >/dev/null || skip 'python3 is not installed'
  private 'ip link set lo up && ip address add 169.254.169.254/32 dev lo || exit 99
    source "$0/constructs/host/lib/log.sh" && source "$0/constructs/host/lib/distro.sh"
    code=0; metadata instance-id || code=$?; echo "$code"
    python3 -c "
import http.server
class Late(http.server.BaseHTTPRequestHandler):
    left = 1
    def do_PUT(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b\"token\")
    def do_GET(self):
        Late.left -= 1
        self.send_response(503 if Late.left >= 0 else 404 if \"none\" in self.path else 200)
        self.end_headers(); self.wfile.write(b\"i-1\")
    def log_message(self, *_): pass
http.server.HTTPServer((\"169.254.169.254\", 80), Late).serve_forever()" >log 2>&1 3>&- &
    trap "kill $!" EXIT
    for try in {1..100}; do ! (</dev/tcp/169.254.169.254/80) 2>/dev/null || break; sleep 0.05; done
    metadata instance-id; echo
    code=0; metadata none || code=$?; echo "$code"'
  [[ $status -ne 99 ]] || skip 'no address can be given to the loopback interface here'
  same '7 i-1 22' "$(grep -vE '^(curl|Warning):' <<<"$output" | xargs)"
}

@test "aws: no code but 0 says that anything was done; 255, 1 and 2 depend on the command and its version" {
  real aws
  export AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b AWS_MAX_ATTEMPTS=1 AWS_EC2_METADATA_DISABLED=true
  export AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null
  touch file
  ends 1 aws s3 cp file s3://bucket/key --region eu-west-1 --endpoint-url http://127.0.0.1:1
  ends 255 aws s3api list-objects-v2 --bucket bucket --region eu-west-1 --endpoint-url http://127.0.0.1:1
}
