# shellcheck shell=bash disable=SC2153
# The cluster's resources as Pacemaker's XML. Every node merges the same into it, and its own fencing: merging again
# changes nothing.

# attributes TAG ID NAME=VALUE...
attributes() {
  local tag=$1 id=$2 pair
  shift 2
  printf '<%s id="%s">' "$tag" "$id"
  for pair in "$@"; do printf '<nvpair id="%s-%s" name="%s" value="%s"/>' "$id" "${pair%%=*}" "${pair%%=*}" "${pair#*=}"; done
  printf '</%s>' "$tag"
}

# primitive ID CLASS PROVIDER TYPE MONITOR NAME=VALUE...
# To look at the mount takes a lock, which no node gets while another one is to be fenced. Who waits for that has not failed:
# a day is longer than EC2's API is away.
primitive() {
  local id=$1 monitor=$5 name interval timeout=180
  [[ $2 != stonith ]] || timeout=$TIMEOUT
  printf '<primitive id="%s" class="%s" %s type="%s"><operations>' "$1" "$2" "${3:+provider=\"$3\"}" "$4"
  for name in start stop monitor; do
    interval=0
    [[ $name != monitor ]] || interval=$monitor
    [[ $id-$name != mount-monitor ]] || timeout=86400
    printf '<op id="%s-%s" name="%s" interval="%s" timeout="%ss"' "$id" "$name" "$name" "$interval" "$timeout"
    [[ $name != monitor || $2 == stonith ]] || printf ' on-fail="fence"'
    printf '/>'
  done
  printf '</operations>'
  attributes instance_attributes "$id-instance" "${@:6}"
  printf '</primitive>'
}

# on_all ID PRIMITIVES: a group, on every node. Each follows its own node only, and none waits for another to start.
on_all() {
  printf '<clone id="%s-clone">%s<group id="%s">%s</group></clone>' \
    "$1" "$(attributes meta_attributes "$1-clone-meta" interleave=true)" "$1" "$2"
}

# fence_level LEVEL AGENT NAME=VALUE...: another way to fence this node, tried when those before failed.
fence_level() {
  local id=fence-$SELF-$1
  FENCES+=$(primitive "$id" stonith '' "$2" 600s "pcmk_off_timeout=${TIMEOUT}s" "pcmk_reboot_timeout=${TIMEOUT}s" pcmk_reboot_action=off "${@:3}")
  LEVELS+="<fencing-level id=\"$id-level\" target=\"$SELF\" index=\"$1\" devices=\"$id\"/>"
}

# fences: how this node is fenced. Off, not rebooted: it must not come back as it was. Yet what is asked for is a reboot, since the DLM
# asks for nothing else: equal requests are one, and of two the later one would stop a node that was started again. An instance that
# was terminated is off as well, which fence_aws does not take for an answer. Of two nodes that lost each other the first has a head start.
fences() {
  local options=() delay=()
  FENCES='' LEVELS='' TIMEOUT=$(setting FENCE_TIMEOUT 300) MONITOR=$(setting MONITOR_SECONDS 30)s
  if [[ $FENCE == ec2* ]]; then
    read -ra options <<<"$(setting FENCE_OPTIONS '')"
    ((${#NODES[@]} > 2 || SELF_ID > 1)) || delay=(pcmk_delay_base=15s)
    # A guest that hangs keeps a stop waiting for minutes; newer releases can skip its shutdown.
    ! grep -q skip_os_shutdown "$(type -P fence_aws)" || options+=(skip_os_shutdown=true)
    fence_level 1 fence_aws "region=$REGION" "pcmk_host_map=$SELF:$INSTANCE" "power_timeout=$TIMEOUT" "${delay[@]}" "${options[@]}"
    fence_level 2 fence_sas_grid method=gone "pcmk_host_map=$SELF:$INSTANCE"
  fi
  [[ $FENCE != *nvme ]] || fence_level 3 fence_sas_grid method=nvme "pcmk_host_map=$SELF:$SELF"
}

# merge RESOURCES CONSTRAINTS [OTHER]: all of it or nothing.
merge() {
  cibadmin --modify --allow-create --scope configuration \
    --xml-text "<configuration>${3:-}<resources>$1</resources><constraints>$2</constraints></configuration>" >&2
}

# in_cib ID
in_cib() {
  cibadmin --query --xpath "//*[@id='$1']" >/dev/null 2>&1
}

# previous_is_gone: the instance that was this node before, by what is recorded, can no longer write.
previous_is_gone() {
  local previous status=0
  previous=$(cibadmin --query --xpath "//nvpair[@id='fence-$SELF-2-instance-pcmk_host_map']" 2>/dev/null) || status=$?
  # 105: there is no such element, which is not the same as no answer.
  ((status == 0)) || return $((status != 105))
  previous=${previous##*:} previous=${previous%%\"*}
  [[ $previous != "$INSTANCE" ]] || return 0
  printf 'action=status\nplug=%s\n' "$previous" | fence_sas_grid >&2 || status=$?
  ((status == 2))
}

# not_being_fenced: no fence of this node is under way. It would be meant for the instance before, and hit the one that is
# recorded: what is recorded stays until that is done. No answer is not the same as none.
not_being_fenced() {
  local found
  found=$(stonith_admin --history "$SELF" --verbose 2>/dev/null) && [[ $found != *pending* ]]
}

# merge_base: fencing first; then locks, on nodes that have told how they are fenced since they joined. An attribute that a node
# loses when it leaves says so, since what is recorded may be of the instance before. Pacemaker does one thing at a time on hosts that
# are busy, as these always are, unless the threshold of load is out of reach. Fencing stays where it works when a node comes back.
# A start that failed is tried again after a while: each node is the only place for its own part.
merge_base() {
  [[ $(crm_node --quorum 2>/dev/null) == 1 ]] || return 1
  # States of nodes are never on disk: this one proves that what is queried is the cluster's, not a new host's own.
  cibadmin --query --xpath "//node_state[@uname='$SELF'][@join='member']" >/dev/null 2>&1 || return 1
  if [[ $FENCE == ec2* ]]; then
    previous_is_gone && not_being_fenced || return 1
  fi
  merge "$FENCES$(on_all locks "$(
    primitive dlm ocf pacemaker controld "$MONITOR"
    primitive lvmlockd ocf heartbeat lvmlockd "$MONITOR"
  )")" '<rsc_location id="locks-fenceable" rsc="locks-clone"><rule id="locks-fenceable-rule" score="-INFINITY"><expression id="locks-fenceable-expression" attribute="sas-grid-fenceable" operation="not_defined"/></rule></rsc_location>' \
    "<crm_config>$(attributes cluster_property_set cib-bootstrap-options stonith-enabled=true \
      "stonith-timeout=${TIMEOUT}s" no-quorum-policy=freeze load-threshold=1000% "cluster-name=$CLUSTER")</crm_config><rsc_defaults>$(
      attributes meta_attributes rsc-defaults resource-stickiness=100 failure-timeout=600
    )</rsc_defaults><fencing-topology>$LEVELS</fencing-topology>" &&
    crm_attribute --node "$SELF" --lifetime reboot --name sas-grid-fenceable --update yes
}

# merge_file_system: volume group and mount, after the locks.
merge_file_system() {
  merge "$(on_all gfs2 "$(
    primitive volume ocf heartbeat LVM-activate "$MONITOR" "vgname=$CLUSTER" lvname=sasdata \
      activation_mode=shared vg_access_mode=lvmlockd
    primitive mount ocf heartbeat Filesystem "$MONITOR" "device=/dev/$CLUSTER/sasdata" "directory=$POINT" fstype=gfs2 options=noatime
  )")" '<rsc_order id="locks-then-gfs2" first="locks-clone" then="gfs2-clone"/><rsc_colocation id="gfs2-with-locks" rsc="gfs2-clone" with-rsc="locks-clone"/>'
}
