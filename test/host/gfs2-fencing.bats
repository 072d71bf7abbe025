#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# Fencing: what sas-grid-gfs2 gives Pacemaker, and the agent fence_sas_grid.

load helpers
load gfs2

setup() {
  make_node
}

# value ID: of an element that was merged last.
value() {
  grep -o "id=\"$1\"[^>]*" "$KEPT/cib" | tail -n 1 | sed 's/.*value="//;s/"\/*$//'
}

@test "what is merged is well-formed, and Pacemaker's own check accepts the whole" {
  set_to FENCE ec2+nvme
  each_joins n1 n2 n3
  while read -r line; do
    "$(type -P python3)" -c 'import sys, xml.dom.minidom; xml.dom.minidom.parseString(sys.argv[1])' "$line"
  done <"$KEPT/cib"
  type -P crm_verify >/dev/null || skip 'crm_verify is not installed'
  { cibadmin() { "$(type -aP cibadmin | tail -n 1)" "$@"; }; }
  export CIB_file=$KEPT/real.xml
  cibadmin --empty >"$CIB_file"
  while read -r line; do cibadmin --modify --allow-create --scope configuration --xml-text "$line"; done <"$KEPT/cib"
  crm_verify --xml-file "$CIB_file"
}

@test "every node is fenced by its own instance: EC2 first, then what EC2 has ended already" {
  each_joins n1
  same n1:i-0new "$(value fence-n1-1-instance-pcmk_host_map)"
  same eu-west-1 "$(value fence-n1-1-instance-region)"
  same 240 "$(value fence-n1-1-instance-power_timeout)"
  same 240s "$(value fence-n1-1-instance-pcmk_off_timeout)"
  same 240s "$(value fence-n1-1-instance-pcmk_reboot_timeout)"
  same off "$(value fence-n1-1-instance-pcmk_reboot_action)"
  same 1 "$(value fence-n1-1-instance-power_wait)"
  same gone "$(value fence-n1-2-instance-method)"
  level='<fencing-level id="fence-n1-%s-level" target="n1" index="%s" devices="fence-n1-%s"/>'
  grep -q "$(printf "$level" 1 1 1 2 2 2)</fencing-topology>" "$KEPT/cib"
  lacks 'nvme\|pcmk_delay\|skip_os_shutdown' "$KEPT/cib"
}

@test "the cluster freezes without quorum, reboots as the DLM asks, and takes locks only once fencing was told" {
  each_joins n1
  same true "$(value cib-bootstrap-options-stonith-enabled)"
  same '' "$(value cib-bootstrap-options-stonith-action)"
  same freeze "$(value cib-bootstrap-options-no-quorum-policy)"
  same 100 "$(value rsc-defaults-resource-stickiness)"
  expression='<expression id="[a-z-]*" attribute="sas-grid-fenceable" operation="not_defined"/>'
  grep -q 'rsc="locks-clone"><rule id="locks-fenceable-rule" score="-INFINITY">'"$expression" "$KEPT/cib"
  told='crm_attribute --node n1 --lifetime reboot --name sas-grid-fenceable --update yes'
  [[ $(calls 'cibadmin --modify|crm_attribute') == *cibadmin*"$told"*cibadmin* ]]
}

@test "a monitor that fails fences; locks come before the file system, on every node" {
  each_joins n1
  for resource in dlm lvmlockd volume; do
    grep -q "id=\"$resource-monitor\" name=\"monitor\" interval=\"30s\" timeout=\"180s\" on-fail=\"fence\"" "$KEPT/cib"
  done
  # It waits for locks, as long as another node is not fenced.
  grep -q 'id="mount-monitor" name="monitor" interval="30s" timeout="86400s" on-fail="fence"' "$KEPT/cib"
  grep -q '<group id="locks"><primitive id="dlm".*<primitive id="lvmlockd"' "$KEPT/cib"
  grep -q '<group id="gfs2"><primitive id="volume".*<primitive id="mount"' "$KEPT/cib"
  with='<rsc_colocation id="gfs2-with-locks" rsc="gfs2-clone" with-rsc="locks-clone"/>'
  grep -q "first=\"locks-clone\" then=\"gfs2-clone\"/>$with" "$KEPT/cib"
  same noatime "$(value mount-instance-options)"
}

@test "a start that failed is tried again on the node that it is for, after a while" {
  each_joins n1
  same 600 "$(value rsc-defaults-failure-timeout)"
}

@test "how often a resource is looked at can be chosen" {
  echo MONITOR_SECONDS=45 >>"$ROOT/etc/sas-grid/gfs2-node.env"
  each_joins n1
  for resource in dlm lvmlockd volume mount; do
    grep -q "id=\"$resource-monitor\" name=\"monitor\" interval=\"45s\"" "$KEPT/cib"
  done
}

# Pacemaker 2.1.5 on a real node: "We were allegedly just fenced by node1 for node1!", then "staying down after fatal
# error".
@test "a node that is told of the fence of the instance before starts its Pacemaker again" {
  stub systemctl 'case $* in
    is-active*) [[ -e $KEPT/active ]] ;;
    "start corosync.service pacemaker.service") touch "$KEPT/up" ;;
  esac'
  stub crm_node '[[ -e $KEPT/told ]] || { touch "$KEPT/told" && rm "$KEPT/up"; }
    [[ ! -e $KEPT/up ]] || echo 1'
  # It ends as soon as the node is a member.
  SAS_GRID_WAIT=60 each_joins n1
  grep -q " $ROOT/sas gfs2 " "$ROOT/proc/mounts"
}

@test "of two nodes the first is fenced with a delay" {
  set_to NODES n1=10.0.0.11,n2=10.0.0.12
  each_joins n1 n2
  same 15s "$(value fence-n1-1-instance-pcmk_delay_base)"
  same '' "$(value fence-n2-1-instance-pcmk_delay_base)"
}

@test "a release of fence_aws that can skip the guest's shutdown does" {
  stub fence_aws '# skip_os_shutdown'
  each_joins n1
  same true "$(value fence-n1-1-instance-skip_os_shutdown)"
}

@test "a new instance of a node is recorded only when the one before is off" {
  each_joins n1
  stub curl 'case ${*: -1} in */instance-id) echo i-0newer ;; esac'
  : >"$CALLS"
  for code in 0 1; do
    stub fence_sas_grid "cat >>\$CALLS; exit $code"
    join
    exited 75
  done
  [[ $(calls 'action|plug') == $'action=status\nplug=i-0new\n'* ]]
  same n1:i-0new "$(value fence-n1-1-instance-pcmk_host_map)"
  same '' "$(calls crm_attribute)"
  stub fence_sas_grid 'cat >>$CALLS; exit 2'
  join
  exited 0
  same n1:i-0newer "$(value fence-n1-1-instance-pcmk_host_map)"
}

@test "a new instance of a node is recorded only when nobody fences the one before any more" {
  each_joins n1 n2
  stub curl 'case ${*: -1} in */instance-id) echo i-0newer ;; esac'
  stub fence_sas_grid 'cat >>$CALLS; exit 2'
  : >"$CALLS"
  # Or else the fence would hit the new one.
  for answer in 'cat "$RECORDINGS/stonith_admin_history_pending.out"' 'exit 102'; do
    stub stonith_admin "$answer"
    join
    exited 75
  done
  [[ $(calls stonith_admin) == *'stonith_admin --history n2 --verbose'* ]]
  same n2:i-0new "$(value fence-n2-1-instance-pcmk_host_map)"
  same '' "$(calls crm_attribute)"
  stub stonith_admin 'cat "$RECORDINGS/stonith_admin_history_none.out"'
  join
  exited 0
  same n2:i-0newer "$(value fence-n2-1-instance-pcmk_host_map)"
}

@test "without an answer of the cluster about the instance before, nothing is recorded" {
  stub cibadmin 'exit 1'
  join
  exited 75
  same '' "$(calls 'cibadmin --modify|crm_attribute')"
}

@test "NVMe: the node registers before it joins, and is fenced last by its key" {
  set_to FENCE ec2+nvme
  each_joins n1
  [[ $(cat "$CALLS") == *$'action=on\nmethod=nvme\nplug=n1\n'*'systemctl start corosync.service pacemaker.service'* ]]
  same nvme "$(value fence-n1-3-instance-method)"
  grep -q 'index="3" devices="fence-n1-3"' "$KEPT/cib"
  set_to FENCE nvme
  : >"$KEPT/cib"
  join
  exited 0
  lacks fence_aws "$KEPT/cib"
  stub fence_sas_grid 'exit 1'
  join
  exited 1
}

# agent NAME=VALUE...
agent() {
  run "$BIN/fence_sas_grid" < <(printf '%s\n' "$@")
}

states() {
  stub python3 "printf '%s\n' $(printf '"%s" ' "$@")"
}

# attached INSTANCE...: to the volumes of the cluster, as EC2 says; the states stay.
attached() {
  stub python3 "if [[ \$* == *' attached '* ]]; then printf '%s\n' $*; else echo 'i-0new running'; fi"
}

@test "the agent tells what it can" {
  for arguments in '-o metadata' ''; do
    # shellcheck disable=SC2086
    run "$BIN/fence_sas_grid" $arguments <<<action=metadata
    exited 0
    "$(type -P python3)" -c 'import sys, xml.etree.ElementTree as x
r = x.fromstring(sys.argv[1])
assert {a.get("name") for a in r.iter("action")} == {"on", "off", "status", "monitor", "metadata"}' "$output"
  done
  agent action=monitor
  exited 0
  agent action=reboot plug=i-0a
  exited 1
}

@test "an instance that is stopped, terminated or not known any more is off; one on its way is not yet" {
  for state in stopped terminated; do
    states 'i-0new running' "i-0a $state"
    agent action=off plug=i-0a method=gone
    exited 0
    agent action=status plug=i-0a
    exited 2
  done
  states 'i-0new running'
  attached i-0new i-0b
  agent action=off plug=i-0a
  exited 0
  for state in pending running stopping shutting-down; do
    states "i-0a $state" 'i-0new running'
    agent action=off plug=i-0a
    exited 1
    agent action=status plug=i-0a
    exited 0
  done
  [[ $(calls python3) == *'aws.py states eu-west-1 i-0a i-0new'* ]]
}

@test "an instance that is not in the answer is not off while it has a volume, nor when this one has none in it" {
  for instances in 'i-0new i-0a' 'i-0a' ''; do
    # shellcheck disable=SC2086
    attached $instances
    for action in off status; do
      agent action=$action plug=i-0a
      [[ $status -ne 0 || $action == status ]]
      [[ $status -ne 2 ]]
    done
  done
  [[ $(calls python3) == *'aws.py attached eu-west-1 vol-'* ]]
}

@test "what is no instance is not off, whatever the answer" {
  attached i-0new
  for plug in node2 i-0A 'i-0a i-0b' ''; do
    for action in off status; do
      agent action=$action plug="$plug"
      exited 1
    done
  done
}

@test "an answer that does not know this instance, and no answer, say nothing about another" {
  states 'i-0a stopped'
  for action in off status; do
    agent action=$action plug=i-0a
    exited 1
  done
  stub python3 'exit 1'
  for action in off status; do
    agent action=$action plug=i-0a
    exited 1
  done
}

@test "an instance that runs is not off because EC2 tells of it in the second part of its answer" {
  mkdir -p "$ROOT/usr/lib/fence-agents/bundled/aws"
  cat >"$ROOT/usr/lib/fence-agents/bundled/aws/boto3.py" <<'END'
class client:
    def __init__(self, service, region_name):
        pass

    def describe_instances(self, Filters, NextToken=None):
        one = {'InstanceId': 'i-0a' if NextToken else 'i-0new', 'State': {'Name': 'running'}}
        return {'Reservations': [{'Instances': [one]}], **({} if NextToken else {'NextToken': 'more'})}
END
  agent action=status plug=i-0a
  exited 0
  agent action=off plug=i-0a
  exited 1
}

# registered KEY...
registered() {
  stub nvme "[[ \$1 != resv-report ]] || printf '  hostid  : 1\n  rkey    : %s\n' $*"
}

@test "NVMe: on registers the node's key on every volume and reserves it for all that are registered" {
  registered
  agent action=on method=nvme plug=n2
  exited 0
  for volume in vol0a vol0b; do
    device=$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_$volume
    [[ $(calls nvme) == *"nvme resv-register $device --nrkey=0x5a50000000000002 --rrega=0 --iekey"* ]]
    [[ $(calls nvme) == *"nvme resv-acquire $device --crkey=0x5a50000000000002 --rtype=5 --racqa=0"* ]]
  done
  stub nvme 'exit 1'
  agent action=on method=nvme plug=n2
  exited 1
}

@test "NVMe: off takes the key off every volume and looks whether it is gone" {
  stub crm_node 'echo n1'
  registered 5a50000000000001
  agent action=off method=nvme plug=n3
  exited 0
  [[ $(calls nvme) == *'0b --crkey=0x5a50000000000001 --prkey=0x5a50000000000003 --rtype=5 --racqa=2'* ]]
  agent action=status method=nvme plug=n3
  exited 2
  registered 5a50000000000001 5a50000000000003
  agent action=off method=nvme plug=n3
  exited 1
  agent action=status method=nvme plug=n3
  exited 0
  stub nvme 'exit 1'
  agent action=off method=nvme plug=n3
  exited 1
  agent action=off method=nvme plug=n9
  exited 1
}

@test "NVMe: a report that does not show this node's own key on every volume says nothing about another's" {
  stub crm_node 'echo n1'
  # In another form, decimal for example, no key is found.
  registered 6510615555426900993 6510615555426900995
  agent action=off method=nvme plug=n3
  exited 1
  agent action=status method=nvme plug=n3
  exited 1
  # This node lost its own key, on one volume.
  stub nvme "[[ \$* != 'resv-report '*0a* ]] || echo 'rkey : 5a50000000000001'"
  agent action=off method=nvme plug=n3
  exited 1
  # It does not know its own name.
  registered 5a50000000000001
  stub crm_node 'exit 1'
  agent action=status method=nvme plug=n3
  exited 1
}
