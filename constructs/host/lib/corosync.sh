# shellcheck shell=bash disable=SC2034,SC2153
# Membership: which node of the cluster this host is, and corosync's configuration. A node's number is its place in NODES.

load_cluster() {
  local node='[a-z][a-z0-9-]*=[0-9]+(\.[0-9]+){3}'
  load_role gfs2-node
  CLUSTER=$(setting CLUSTER) NODES=$(setting NODES) REGION=$(setting REGION) FENCE=$(setting FENCE ec2)
  # 32 characters: mkfs.gfs2(8), -t. 16 nodes: GFS2 in RHEL, and Multi-Attach.
  [[ $CLUSTER =~ ^[a-z][a-z0-9_]{0,31}$ && $NODES =~ ^$node(,$node){1,15}$ ]] ||
    die "$EXIT_USAGE" "wrong CLUSTER or NODES (2 to 16, name=address,...): '$CLUSTER', '$NODES'"
  IFS=, read -ra NODES <<<"$NODES"
  IFS=, read -ra VOLUMES <<<"$(setting VOLUMES)"
}

# find_self: the node whose address this host has. A network interface that came late is configured first.
find_self() {
  local node id=0 mac
  for node in "${NODES[@]}"; do
    id=$((id + 1))
    if [[ -z $(ip -4 -o address show to "${node#*=}") ]]; then
      mac=$(slot_interface "${node#*=}") || continue
      configure_interface "${node#*=}" "$mac" >&2 || return 1
    fi
    SELF=${node%%=*} SELF_ID=$id
    return 0
  done
  return 1
}

# corosync_conf: all nodes must have been there once since the whole cluster started (wait_for_all). That keeps two nodes from being
# two clusters, and many from fencing one that still boots. The number of votes never shrinks (last_man_standing): a
# minority could go on.
corosync_conf() {
  local crypto=none hash=none node id=0
  [[ -z $(setting AUTHKEY_SECRET '') ]] || crypto=aes256 hash=sha256
  printf '# %s of cdk-sas-grid, %s\ntotem {\n  version: 2\n  cluster_name: %s\n  transport: knet\n  crypto_cipher: %s\n  crypto_hash: %s\n  token: %s\n  consensus: %s\n}\nnodelist {\n' \
    "$CLUSTER" "$INSTANCE" "$CLUSTER" $crypto $hash "$(setting TOKEN_MS 10000)" "$(setting CONSENSUS_MS 12000)"
  for node in "${NODES[@]}"; do
    id=$((id + 1))
    printf '  node {\n    ring0_addr: %s\n    name: %s\n    nodeid: %s\n  }\n' "${node#*=}" "${node%%=*}" $id
  done
  printf '}\nquorum {\n  provider: corosync_votequorum\n  wait_for_all: 1\n'
  if ((id == 2)); then
    printf '  two_node: 1\n'
  elif ((id % 2 == 0)); then
    # Of two equal halves the one with the lowest number goes on.
    printf '  auto_tie_breaker: 1\n'
  fi
  printf '}\nlogging {\n  to_syslog: yes\n}\n'
}

# configured_here: whether this instance wrote corosync's configuration. An image that was made of a node brings that
# node's, with the key of its cluster and what its Pacemaker knew: whom to fence, for one.
configured_here() {
  [[ $(head -n 1 "$ROOT/etc/corosync/corosync.conf" 2>/dev/null) == "# $CLUSTER of cdk-sas-grid, $INSTANCE" ]]
}

# aws CALL REGION ARGUMENT...: see aws.py. Some packages of fence_aws bring boto3 in a folder of their own.
aws() {
  PYTHONPATH=$(printf '%s:' "$ROOT"/usr/lib/fence-agents/*/aws*) python3 "$LIB/aws.py" "$@"
}

# fetch_key: what members authenticate and encrypt with, when a secret has it. Corosync wants 128 bytes.
fetch_key() {
  local file=$ROOT/etc/corosync/authkey secret key=$ROOT/run/sas-grid/authkey
  secret=$(setting AUTHKEY_SECRET '')
  # One that a power failure has cut off is fetched again.
  [[ -n $secret ]] || return 0
  ! configured_here || ((0$(wc -c 2>/dev/null <"$file" || true) < 128)) || return 0
  (umask 077 && aws secret "$REGION" "$secret" >"$key") || return 1
  (($(wc -c <"$key") >= 128)) || die "$EXIT_ERROR" "the secret $secret is shorter than 128 bytes"
  write_file "$file" 400 <"$key" && rm "$key"
}

# start_members: the cluster with this configuration. What packages started by themselves with another one knows nothing of use.
start_members() {
  local file=$ROOT/etc/corosync/corosync.conf conf locks=("$ROOT"/sys/kernel/dlm/*)
  conf=$(corosync_conf)
  # They start when this program says so, or by Pacemaker, not by themselves.
  rm -f "$ROOT"/etc/systemd/system/multi-user.target.wants/{pacemaker,corosync,dlm,lvmlockd,lvmlocks}.service
  if ! configured_here; then
    systemctl stop pacemaker lvmlocks lvmlockd dlm corosync >/dev/null 2>&1 || true
    rm -f "$ROOT"/var/lib/pacemaker/cib/cib*
  fi
  if ! systemctl is-active --quiet corosync; then
    [[ ! -e ${locks[0]} ]] || die "$EXIT_ERROR" 'this host lost the cluster while it held locks: reboot it'
    write_file "$file" <<<"$conf"
  elif [[ $(<"$file") != "$conf" ]]; then
    write_file "$file" <<<"$conf"
    corosync-cfgtool -R >&2
  fi
  # boto3 gives the metadata service one second, once: fencing must not depend on that.
  drop_in pacemaker 'Environment=AWS_METADATA_SERVICE_TIMEOUT=5 AWS_METADATA_SERVICE_NUM_ATTEMPTS=5'
  drop_in corosync "ExecStopPost=-/bin/sh -c '$(reboot_with_locks)'"
  systemctl daemon-reload
  systemctl start corosync.service pacemaker.service
}

# reboot_with_locks: prints what systemd runs when corosync has ended. A member that wakes up before its fence has cut
# its power has the lock manager end corosync of healthy ones (dlm_controld: "kill due to stateful merge"). Locks stay
# in the kernel, and only a reboot gives them back: at once, since what waits for them cannot be unmounted or synced.
reboot_with_locks() {
  # shellcheck disable=SC2016 # for systemd's shell
  printf '[ "$$SERVICE_RESULT" = success ] || [ -z "$$(ls %s/sys/kernel/dlm 2>/dev/null)" ] || ' "$ROOT"
  printf '{ echo "<2>%s" >%s/dev/kmsg; echo b >%s/proc/sysrq-trigger; }' \
    'sas-grid: corosync ended while this host holds locks: it is rebooted' "$ROOT" "$ROOT"
}

# drop_in SERVICE LINE: a line that is added to a unit of a package.
drop_in() {
  write_file "$ROOT/etc/systemd/system/$1.service.d/sas-grid.conf" <<<"[Service]"$'\n'"$2"
}
