#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-gfs2: membership, volumes, file system.

load helpers
load gfs2

setup() {
  make_node
}

@test "a first node makes volume group, striped volume and GFS2, with a journal for each node and a spare, and mounts" {
  join
  exited 0
  disk=$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0
  same "vgcreate --shared --addtag unformatted sasfs ${disk}a ${disk}b" "$(calls vgcreate)"
  [[ $(calls lvcreate) == *'--activate ey '*' -i 2 -I 1024k sasfs' ]]
  same "mkfs.gfs2 -O -q -p lock_dlm -t sasfs:sasdata -j 4 -J 128 $ROOT/dev/sasfs/sasdata" "$(calls mkfs)"
  [[ $(calls 'lvchange|vgchange|mkfs') == *'--activate ey'*mkfs*'--deltag unformatted'*'--activate n'* ]]
}

@test "one volume is not striped; the size of journals is a setting" {
  set_to VOLUMES vol-0a
  echo JOURNAL_MIB=64 >>"$ROOT/etc/sas-grid/gfs2-node.env"
  join
  exited 0
  [[ $(calls lvcreate) != *' -i '* && $(calls mkfs) == *' -J 64 '* ]]
}

@test "a file system as it was made is for everybody; one that is used, or has another mode, stays as it is" {
  join
  exited 0
  same 1777 "$(stat -c %a "$ROOT/sas")"
  chmod 770 "$ROOT/sas"
  join
  exited 0
  same 770 "$(stat -c %a "$ROOT/sas")"
  chmod 750 "$ROOT/sas" && touch "$ROOT/sas/data"
  join
  exited 0
  same 750 "$(stat -c %a "$ROOT/sas")"
}

@test "joining again changes nothing" {
  join
  touch "$KEPT/active"
  before=$(find "$ROOT/etc" -type f -exec sha256sum {} + | sort)
  : >"$CALLS"
  join
  exited 0
  same '' "$(calls 'vgcreate|lvcreate|mkfs|wipefs|corosync-cfgtool|systemctl stop')"
  same "$before" "$(find "$ROOT/etc" -type f -exec sha256sum {} + | sort)"
}

@test "a file system that is there is used; only the node that leads the cluster looks, the others wait" {
  join
  rm "$KEPT/cib" && touch "$KEPT/cib" && : >"$ROOT/proc/mounts" && : >"$CALLS"
  address 10.0.0.12
  join
  exited 75
  same '' "$(calls 'vgcreate|lvcreate|lvchange|mkfs')"
  address 10.0.0.11
  join
  exited 0
  same '' "$(calls 'vgcreate|lvcreate|mkfs')"
}

@test "what another node began is ended: a group without a volume, a volume that was not formatted" {
  echo 'dlm 2' >"$KEPT/group" && echo unformatted >"$KEPT/tags"
  join
  exited 0
  same '' "$(calls vgcreate)"
  [[ -n $(calls lvcreate) && -n $(calls mkfs) ]]
  rm "$KEPT"/{cib,label} && touch "$KEPT/cib" && : >"$ROOT/proc/mounts" && : >"$CALLS"
  echo unformatted >"$KEPT/tags"
  join
  exited 0
  same '' "$(calls 'vgcreate|lvcreate')"
  [[ -n $(calls mkfs) ]]
}

@test "while another node has the volume, or the locks are not there yet, nothing is formatted" {
  stub lvchange 'exit 5'
  join
  exited 75
  stub vgchange 'exit 5'
  join
  exited 75
  stub pgrep 'exit 1'
  join
  exited 75
  same '' "$(calls mkfs)"
  lacks gfs2-clone "$KEPT/cib"
}

@test "refused before the cluster starts: foreign data, blank without permission, some blank, another group, doubt" {
  set_to MAY_FORMAT no
  join
  exited 4
  set_to MAY_FORMAT yes
  ebs vol0b data
  join
  exited 4
  [[ $output == *vol0b*'carries data'* ]]
  ebs vol0b
  stub pvs 'echo other'
  touch "$KEPT/group"
  join
  exited 4
  stub pvs '[[ $* == *0b ]] || echo sasfs'
  join
  exited 4
  lvm_stubs
  echo 'dlm 3' >"$KEPT/group"
  join
  exited 4
  echo 'none 2' >"$KEPT/group"
  join
  exited 4
  stub blkid 'exit 4'
  join
  exited 4
  [[ $output == *'cannot tell'* ]]
  same '' "$(calls 'vgcreate|lvcreate|mkfs|systemctl start|cibadmin')"
}

@test "some volumes blank and others of the group: refused" {
  echo 'dlm 2' >"$KEPT/group"
  stub blkid '[[ $* == *0b ]] && exit 2; echo TYPE=LVM2_member'
  join
  exited 4
  [[ $output == *'only 1 of vol-0a vol-0b are blank'* ]]
}

@test "a GFS2 of another cluster is refused" {
  join
  rm "$KEPT/cib" && touch "$KEPT/cib" && : >"$ROOT/proc/mounts"
  echo other:sasdata >"$KEPT/label"
  join
  exited 4
  [[ $output == *'no GFS2 with the lock table sasfs:sasdata'* ]]
}

@test "a failing mkfs is an error, whatever its exit code, and the volume stays marked" {
  stub mkfs.gfs2 'exit 75'
  join
  exited 1
  same unformatted "$(cat "$KEPT/tags")"
}

@test "a group that lost its logical volume is refused, whatever may be formatted: the file system was there" {
  join
  rm "$KEPT"/{cib,volume} && touch "$KEPT/cib" && : >"$ROOT/proc/mounts" && : >"$CALLS"
  join
  exited 4
  [[ $output == *'no logical volume any more'* ]]
  same '' "$(calls 'lvcreate|mkfs')"
}

@test "a group that was begun is not ended without permission to format" {
  set_to MAY_FORMAT no
  echo 'dlm 2' >"$KEPT/group" && echo unformatted >"$KEPT/tags"
  join
  exited 4
  [[ $output == *'sasfs was never formatted, and must not be'* ]]
  touch "$KEPT/volume"
  join
  exited 4
  same '' "$(calls 'lvcreate|mkfs')"
}

@test "what LVM does not answer is no answer: nothing is made" {
  echo 'dlm 2' >"$KEPT/group" && touch "$KEPT/volume"
  stub lvs 'exit 5'
  join
  exited 75
  stub lvs 'echo sasdata'
  stub vgs 'case $* in *vg_tags*) exit 5 ;; *) echo "  $(<"$KEPT/group")" ;; esac'
  join
  exited 75
  same '' "$(calls 'lvcreate|mkfs')"
}

@test "EC2 is told of formatted volumes before they are mounted; volumes that look blank but were are refused" {
  echo FORMATTED_TAG=formatted >>"$ROOT/etc/sas-grid/gfs2-node.env"
  stub python3 'case $* in
    *"aws.py tagged"*) cat "$KEPT/formatted" 2>/dev/null || true ;;
    *"aws.py tag "*) [[ ! -e $KEPT/deaf ]] && echo vol-0a >"$KEPT/formatted" ;;
  esac'
  touch "$KEPT/deaf"
  join
  exited 75
  lacks gfs2-clone "$KEPT/cib"
  same unformatted "$(cat "$KEPT/tags")"
  rm "$KEPT/deaf"
  join
  exited 0
  of='eu-west-1 formatted vol-0a vol-0b'
  [[ $(calls python3) == *"aws.py tagged $of"*"aws.py tag $of"* ]]
  # All that LVM knew is gone, the volumes look blank.
  rm "$KEPT"/{cib,group,volume,tags} && touch "$KEPT/cib" && : >"$ROOT/proc/mounts" && : >"$CALLS"
  join
  exited 4
  [[ $output == *'look blank, but vol-0a has the tag formatted'* ]]
  same '' "$(calls 'vgcreate|lvcreate|mkfs')"
  stub python3 'exit 1'
  join
  exited 75
  same '' "$(calls 'vgcreate|lvcreate|mkfs')"
}

@test "not yet: no address of a node, a volume is missing, no quorum, no mount" {
  address 10.9.9.9
  join
  exited 75
  address 10.0.0.11
  rm "$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0b"
  join
  exited 75
  ebs vol0b
  stub crm_node 'echo 0'
  join
  exited 75
  same '' "$(cat "$KEPT/cib")"
  stub crm_node 'echo 1'
  stub cibadmin '[[ $1 != --query ]]'
  join
  exited 75
}

@test "an interface with the node's address that came late is configured" {
  address 10.9.9.9
  mkdir -p "$ROOT/sys/class/net/eth1"
  echo 02:00:00:00:00:01 >"$ROOT/sys/class/net/eth1/address"
  echo 3 >"$ROOT/sys/class/net/eth1/ifindex"
  stub curl 'case ${*: -1} in */instance-id) echo i-0new ;; */local-ipv4s) echo 10.0.0.13 ;;
    */subnet-ipv4-cidr-block) echo 10.0.0.0/24 ;; esac'
  echo 3 >"$KEPT/leader"
  join
  exited 0
  [[ $(calls ip) == *'ip address replace 10.0.0.13/24 dev eth1'* ]]
  grep -q fence-n3-1 "$KEPT/cib"
}

conf() {
  sed 1d "$ROOT/etc/corosync/corosync.conf"
}

@test "corosync.conf: nodes by place, times, quorum for two, three, four and five nodes" {
  join
  [[ $(conf) == *$'token: 8000\n  consensus: 9600\n'* ]]
  [[ $(conf) == *$'  node {\n    ring0_addr: 10.0.0.13\n    name: n3\n    nodeid: 3\n  }\n'* ]]
  [[ $(conf) == *$'wait_for_all: 1\n}\n'* && $(conf) == *'crypto_cipher: none'* ]]
  set_to NODES n1=10.0.0.11,n2=10.0.0.12
  join
  [[ $(conf) == *$'wait_for_all: 1\n  two_node: 1\n}\n'* && $(conf) != *n3* ]]
  set_to NODES n1=10.0.0.11,n2=10.0.0.12,n3=10.0.0.13,n4=10.0.0.14
  join
  [[ $(conf) == *$'wait_for_all: 1\n  auto_tie_breaker: 1\n}\n'* ]]
  set_to NODES n1=10.0.0.11,n2=10.0.0.12,n3=10.0.0.13,n4=10.0.0.14,n5=10.0.0.15
  join
  [[ $(conf) == *$'nodeid: 5\n'* && $(conf) == *$'wait_for_all: 1\n}\n'* ]]
  # Corosync takes no section that opens and closes in one line.
  lacks '{.*}' "$ROOT/etc/corosync/corosync.conf"
}

@test "a running cluster takes a changed configuration without a stop" {
  join
  touch "$KEPT/active"
  set_to NODES n1=10.0.0.11,n2=10.0.0.12,n3=10.0.0.13,n4=10.0.0.14
  : >"$CALLS"
  join
  exited 0
  [[ -n $(calls 'corosync-cfgtool -R') && -z $(calls 'systemctl stop') ]]
}

@test "with a secret the members authenticate and encrypt; a short key is an error" {
  echo AUTHKEY_SECRET=cluster-key >>"$ROOT/etc/sas-grid/gfs2-node.env"
  stub python3 'head -c 128 /dev/zero | tr "\0" x'
  join
  exited 0
  [[ $(calls python3) == *'aws.py secret eu-west-1 cluster-key' ]]
  same 400 "$(stat -c %a "$ROOT/etc/corosync/authkey")"
  [[ $(conf) == *$'crypto_cipher: aes256\n  crypto_hash: sha256\n'* ]]
  rm "$ROOT/etc/corosync/authkey"
  stub python3 'echo short'
  join
  exited 1
}

@test "a key that cannot be written starts no member without it" {
  echo AUTHKEY_SECRET=cluster-key >>"$ROOT/etc/sas-grid/gfs2-node.env"
  stub python3 'head -c 128 /dev/zero | tr "\0" x'
  stub mktemp '[[ $* != *authkey* ]] || { echo "mktemp: No space left on device" >&2; exit 1; };
    exec /usr/bin/mktemp "$@"'
  join
  exited 75
  [[ $output == *'No space left'*'the key of the cluster cannot be read'* ]]
  same '' "$(calls 'systemctl start')"
}

@test "a cluster that the packages started by themselves is stopped, and what it knew is dropped" {
  mkdir -p "$ROOT"/{etc/corosync,var/lib/pacemaker/cib}
  mkdir -p "$ROOT/etc/systemd/system/multi-user.target.wants"
  touch "$ROOT/etc/corosync/corosync.conf" "$ROOT/var/lib/pacemaker/cib/cib.xml" \
    "$ROOT"/etc/systemd/system/multi-user.target.wants/{dlm,other}.service
  join
  [[ -n $(calls 'systemctl stop pacemaker') && ! -e $ROOT/var/lib/pacemaker/cib/cib.xml ]]
  same other.service "$(ls "$ROOT/etc/systemd/system/multi-user.target.wants")"
  touch "$ROOT/var/lib/pacemaker/cib/cib.xml"
  : >"$CALLS"
  join
  [[ -z $(calls 'systemctl stop') && -e $ROOT/var/lib/pacemaker/cib/cib.xml ]]
}

@test "a host that lost the cluster while it held locks does not join before it is rebooted" {
  mkdir -p "$ROOT/sys/kernel/dlm/lvm_global"
  join
  exited 1
  [[ $output == *'reboot it'* ]]
  same '' "$(calls 'systemctl start')"
}

@test "a node whose corosync was ended while it held locks is rebooted; one that was stopped, or holds none, is not" {
  local line
  join
  mkdir -p "$ROOT/sys/kernel/dlm" "$ROOT/proc" "$ROOT/dev"
  line=$(sed -n 's/^ExecStopPost=-\/bin\/sh -c //p' "$ROOT/etc/systemd/system/corosync.service.d/sas-grid.conf")
  # systemd takes the quotes away, and makes $$ a dollar.
  [[ $line == \'*\' ]]
  line=${line:1:-1}
  ended() { SERVICE_RESULT=$1 sh -c "${line//'$$'/$}" && [[ ! -s $ROOT/proc/sysrq-trigger ]]; }
  ended exit-code
  mkdir "$ROOT/sys/kernel/dlm/sasdata"
  ended success
  ! ended signal
  same b "$(<"$ROOT/proc/sysrq-trigger")"
  grep -q 'it is rebooted' "$ROOT/dev/kmsg"
}

@test "where LVM has a list of devices, the volumes are put on it" {
  join
  same '' "$(calls lvmdevices)"
  mkdir -p "$ROOT/etc/lvm/devices"
  touch "$ROOT/etc/lvm/devices/system.devices"
  : >"$ROOT/proc/mounts"
  join
  [[ $(calls lvmdevices) == *'--adddev'*vol0a*'--adddev'*vol0b ]]
}

@test "leaving stops the cluster on this node, and is an error when the file system stays mounted" {
  join
  : >"$CALLS"
  : >"$ROOT/proc/mounts"
  join --leave
  exited 0
  same 'systemctl stop pacemaker.service corosync.service' "$(calls '.*')"
  printf 'x %s gfs2 rw 0 0\n' "$ROOT/sas" >"$ROOT/proc/mounts"
  join --leave
  exited 1
}

@test "wrong usage and wrong settings" {
  join --go
  exited 64
  set_to NODES n1=10.0.0.11
  join
  exited 64
  set_to NODES n1=10.0.0.11,n2=10.0.0.12
  set_to CLUSTER no-dashes
  join
  exited 64
}

@test "nothing is written to the cluster's configuration before this node is a member of it" {
  touch "$KEPT/joining"
  join
  exited 75
  same '' "$(calls 'cibadmin --modify')"
  rm "$KEPT/joining"
  join
  exited 0
}

@test "LVM is told once to use lvmlockd, which not every release of the resource agent does" {
  join
  : >"$ROOT/proc/mounts"
  join
  same 1 "$(grep -c '^[^#]*use_lvmlockd = 1' "$ROOT/etc/lvm/lvm.conf")"
}

@test "a node that still holds locks does not give itself back the right to write" {
  sed -i 's/^FENCE=.*//' "$ROOT/etc/sas-grid/gfs2-node.env"
  echo FENCE=nvme >>"$ROOT/etc/sas-grid/gfs2-node.env"
  stub nvme
  mkdir -p "$ROOT/sys/kernel/dlm/lvm_global"
  join
  exited 1
  same '' "$(calls 'nvme resv-register')"
}

@test "after an update of Ubuntu's kernel the modules that are missing are installed" {
  printf 'ID=ubuntu\nID_LIKE=debian\n' >"$ROOT/etc/os-release"
  stub uname 'echo 6.8.0-1022-aws'
  stub dpkg-query 'exit 1'
  stub modprobe "[[ -e $ROOT/modules ]]"
  stub apt-get "[[ \$* != *install* ]] || touch $ROOT/modules"
  join
  exited 0
  [[ $(calls 'apt-get .* install') == *linux-modules-extra-6.8.0-1022-aws ]]
}

@test "metadata that is damaged on one of two disks is LVM's to mend" {
  join
  exited 0
  # As a real LVM says it, among its answers.
  stub pvs 'echo "  Retrying metadata scan."; echo "  sasfs  "'
  stub vgs 'case $* in *vg_tags*) cat "$KEPT/tags" ;;
    *) echo "  Retrying metadata scan."; echo "  $(<"$KEPT/group")" ;; esac'
  sed -i '/gfs2/d' "$ROOT/proc/mounts"
  SAS_GRID_WAIT=0 join
  [[ $output != *refused* && $status == 75 ]]
}

@test "an image that was made of a node brings its key and what its Pacemaker knew: neither is taken" {
  echo AUTHKEY_SECRET=key >>"$ROOT/etc/sas-grid/gfs2-node.env"
  stub python3 'head -c 128 /dev/zero | tr "\0" x'
  join
  exited 0
  same '# sasfs of cdk-sas-grid, i-0new' "$(head -n 1 "$ROOT/etc/corosync/corosync.conf")"
  # The same instance keeps both over a reboot, also while the secret cannot be read.
  mkdir -p "$ROOT/var/lib/pacemaker/cib"
  touch "$ROOT/var/lib/pacemaker/cib/cib.xml"
  stub python3 'exit 1'
  join
  exited 0
  [[ -e $ROOT/var/lib/pacemaker/cib/cib.xml ]]
  sed -i '1s/i-0new/i-0old/' "$ROOT/etc/corosync/corosync.conf"
  stub python3 'head -c 128 /dev/zero | tr "\0" y'
  join
  exited 0
  same yyy "$(head -c 3 "$ROOT/etc/corosync/authkey")"
  same '# sasfs of cdk-sas-grid, i-0new' "$(head -n 1 "$ROOT/etc/corosync/corosync.conf")"
  [[ ! -e $ROOT/var/lib/pacemaker/cib/cib.xml ]]
}

@test "a key of the cluster that a power failure has cut off is fetched again" {
  echo AUTHKEY_SECRET=key >>"$ROOT/etc/sas-grid/gfs2-node.env"
  stub python3 'head -c 128 /dev/zero | tr "\0" x'
  mkdir -p "$ROOT/etc/corosync"
  echo torn >"$ROOT/etc/corosync/authkey"
  join
  exited 0
  same 128 "$(stat -c %s "$ROOT/etc/corosync/authkey")"
}
