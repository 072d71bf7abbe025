# shellcheck shell=bash disable=SC2016,SC2154
# A node of a GFS2 cluster. The stubs of LVM and Pacemaker keep what they were told in files under $KEPT.

make_node() {
  make_host
  export KEPT=$BATS_TEST_TMPDIR/state
  mkdir -p "$KEPT" "$ROOT/dev/sasfs"
  settings gfs2-node <<'END'
CLUSTER=sasfs
NODES=n1=10.0.0.11,n2=10.0.0.12,n3=10.0.0.13
VOLUMES=vol-0a,vol-0b
MOUNT_POINT=/sas
STRIPE_KIB=1024
SPARE_JOURNALS=1
MAY_FORMAT=yes
FENCE=ec2
REGION=eu-west-1
TOKEN_MS=8000
CONSENSUS_MS=9600
FENCE_OPTIONS=power_wait=1
FENCE_TIMEOUT=240
END
  ebs vol0a
  ebs vol0b
  mkdir -p "$ROOT/etc/lvm" && echo '# use_lvmlockd = 0' >"$ROOT/etc/lvm/lvm.conf"
  touch "$KEPT/cib"
  with_stubs node_stubs
  address 10.0.0.11
}

node_stubs() {
  stub curl 'case ${*: -1} in */instance-id) echo i-0new ;; */api/token) ;; *) exit 22 ;; esac'
  stub systemctl '[[ $1 != is-active || -e $KEPT/active ]]'
  stub modprobe
  stub fence_aws
  stub fence_sas_grid 'cat >>"$CALLS"'
  stub corosync-cfgtool
  stub crm_node 'echo 1'
  stub crm_attribute
  stub stonith_admin 'cat "$RECORDINGS/stonith_admin_history_none.out"'
  stub lvmdevices
  stub lvmconfig 'grep -q "^[^#]*use_lvmlockd = 1" "$SAS_GRID_ROOT/etc/lvm/lvm.conf" && echo use_lvmlockd=1'
  stub pgrep
  stub wipefs
  cib_stub
  lvm_stubs
}

address() {
  stub ip "[[ \$* != *' to $1' ]] || echo '2: eth0 inet $1/24 brd 10.0.0.255'"
}

set_to() {
  sed -i "s|^$1=.*|$1=$2|" "$ROOT/etc/sas-grid/gfs2-node.env"
}

# What is merged is added to a file; when the file system is, Pacemaker mounts it.
cib_stub() {
  stub cibadmin 'case "$1 $2" in
    "--query --no-children")
      sed "s/dc-uuid=\"[0-9]*\"/dc-uuid=\"$(cat "$KEPT/leader" 2>/dev/null || echo 1)\"/" \
        "$RECORDINGS/cibadmin_query_no_children.out" ;;
    --query*) [[ $3 != *node_state* ]] || { [[ ! -e $KEPT/joining ]] && exit || exit 105; }
      id=${3#*\[@id=?} && id=${id%?]} && grep -o "<[a-z_-]* id=\"$id\"[^>]*>" "$KEPT/cib" || exit 105 ;;
    --modify*)
      printf "%s\n" "${*: -1}" >>"$KEPT/cib"
      [[ ${*: -1} != *gfs2-clone* ]] ||
        printf "x %s gfs2 rw 0 0\n" "$SAS_GRID_ROOT/sas" >>"$SAS_GRID_ROOT/proc/mounts" ;;
  esac'
}

lvm_stubs() {
  stub blkid 'case $* in
    *LABEL*) cat "$KEPT/label" ;;
    *) [[ ! -e $KEPT/group && ! -e $KEPT/data.${*: -1:1} &&
    $(head -c 4 "${*: -1}") != data ]] && exit 2; echo TYPE=LVM2_member ;;
  esac'
  stub vgcreate 'echo "dlm $(($# - 4))" >"$KEPT/group" && echo "$3" >"$KEPT/tags"'
  stub pvs '[[ ! -e $KEPT/group ]] || echo "  sasfs  "'
  stub vgs 'case $* in *vg_tags*) cat "$KEPT/tags" ;; *) echo "  $(<"$KEPT/group")" ;; esac'
  stub vgchange '[[ $* != *--deltag* ]] || echo >"$KEPT/tags"'
  stub lvcreate 'touch "$KEPT/volume"'
  stub lvs '[[ ! -e $KEPT/volume ]] || echo sasdata'
  stub lvchange
  stub mkfs.gfs2 'while (($#)); do [[ $1 != -t ]] || echo "$2" >"$KEPT/label"; shift; done'
}

# lacks PATTERN FILE
lacks() {
  same '' "$(grep -- "$1" "$2" || true)"
}

# shellcheck disable=SC2120 # tests give it --leave
join() {
  run "$BIN/sas-grid-gfs2" "$@"
}

# each_joins NODE...: each of them joins, from the same cluster.
each_joins() {
  local node
  for node in "$@"; do
    address "10.0.0.1${node#n}"
    # shellcheck disable=SC2119
    join
    exited 0
  done
}
