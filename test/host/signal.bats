#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-signal: what a deployment is told of a node, and when.

load helpers

STACK=arn:aws:cloudformation:eu-west-1:123456789012:stack/grid/1

setup() {
  make_host
  mkdir -p "$ROOT/opt" "$ROOT/run"
  cp -r "$REPOSITORY/constructs/host" "$ROOT/opt/cdk-sas-grid"
  settings grid-node <<<"$(printf 'HOST_NAME=node1\nSIGNAL_STACK=%s\nSIGNAL_RESOURCE=Node1' "$STACK")"
  echo 'ROLES=scratch grid-node' >"$ROOT/etc/sas-grid/roles"
  stub python3
}

signal() {
  run "$ROOT/opt/cdk-sas-grid/bin/sas-grid-signal" "$@"
}

# What CloudFormation is told: the status, and the reason.
told() {
  sed -n "s|^python3 .*/tell_stack.py $STACK Node1 ||p" "$CALLS"
}

@test "a node that is up with all its roles is a success" {
  signal SUCCESS
  exited 0
  same 'SUCCESS ' "$(told)"
  [[ -n $(calls 'systemctl -q is-active sas-grid-scratch.target') ]]
}

@test "a node of which a role did not start is a failure that says which" {
  stub systemctl '[[ $* != *is-active* ]]'
  signal SUCCESS
  exited 0
  same 'FAILURE node1: the role scratch did not start' "$(told)"
}

@test "an installation that failed is a failure the third time, and never before" {
  for attempt in 1 2; do
    signal RETRY 'cannot install mdadm'
    exited 0
    same '' "$(told)"
  done
  signal RETRY 'cannot install mdadm'
  exited 0
  same 'FAILURE node1: cannot install mdadm' "$(told)"
}

@test "who is not waited for tells nobody" {
  settings grid-node <<<'HOST_NAME=node1'
  signal SUCCESS
  exited 0
  same '' "$(told)"
}

@test "a CloudFormation that cannot be reached is tried again" {
  stub python3 '[[ $(grep -c tell_stack "$CALLS") -ge 3 ]]'
  SAS_GRID_WAIT=30 signal SUCCESS
  exited 0
  stub python3 'exit 1'
  SAS_GRID_WAIT=0 signal SUCCESS
  exited 1
}

@test "an installation says what failed, and tells the deployment in the end" {
  stub rpm '[[ $1 != -q ]]'
  stub uname 'echo x86_64'
  stub dnf 'exit 1'
  settings scratch </dev/null
  for attempt in 1 2 3; do
    SAS_GRID_AGAIN=yes run "$ROOT/opt/cdk-sas-grid/bin/sas-grid-bootstrap" scratch grid-node
    exited 1
  done
  same 'FAILURE node1: cannot install mdadm xfsprogs' "$(told)"
  grep -q '^cannot install mdadm xfsprogs (1, or was ended)' "$ROOT/etc/sas-grid/install-failed"
}

@test "a node that cannot be set up tells the deployment why" {
  settings grid-node <<<"$(printf \
    'HOST_NAME=node1\nSAS_UID=3000\nSAS_GID=3001\nSHARED_MOUNT=/sas\nSIGNAL_STACK=%s\nSIGNAL_RESOURCE=Node1' "$STACK")"
  stub getent 'exit 2'
  : >"$ROOT/etc/hosts"
  run "$ROOT/opt/cdk-sas-grid/bin/sas-grid-node"
  exited 1
  same 'FAILURE node1: /sas is not mounted' "$(told)"
}
