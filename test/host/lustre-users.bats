#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# Users of the grid have no account on the metadata servers, which must take them as the clients name them.

load helpers

setup() {
  make_host
  stub lctl '[[ $1 == set_param ]] || { echo "${KEPT:-}"; exit 0; }
    [[ -z ${REFUSED:-} ]] || { echo "error: setting mdt.*.identity_upcall: Input/output error" >&2; exit 5; }'
  mkdir -p "$ROOT/opt/cdk-sas-grid/bin"
  printf '#!/bin/bash\nexit "${SERVES:-0}"\n' >"$ROOT/opt/cdk-sas-grid/bin/sas-grid-serve"
  chmod +x "$ROOT/opt/cdk-sas-grid/bin/sas-grid-serve"
}

# told: as the document tells a host to serve a new slot. told_again: one that was served before.
told() {
  told_again --may-format
}
told_again() {
  run bash "$REPOSITORY/constructs/host/documents/serve.sh" --slot mgs-00 --epoch 1 --address 10.0.0.9 \
    --volumes vol-0a "$@"
}

@test "the management server keeps for all metadata servers that they look nobody up" {
  settings lustre-mgs <<<'FSNAME=sasfs'
  told
  exited 0
  same 'lctl set_param -P mdt.*.identity_upcall=NONE' "$(calls 'lctl set_param')"
  : >"$CALLS"
  line='- { index: 2, event: set_param, device: general, parameter: mdt.*.identity_upcall, value: /l_getidentity }'
  KEPT=$line told
  exited 0
  same '' "$(calls 'lctl set_param')"
}

@test "not served until it could be kept; and nothing is told before it serves" {
  settings lustre-mgs <<<'FSNAME=sasfs'
  REFUSED=yes told
  exited 75
  [[ $output == *'identity_upcall: Input/output error'* ]]
  : >"$CALLS"
  SERVES=75 told
  exited 75
  same '' "$(calls lctl)"
}

@test "a file system that is in use keeps how its users are known" {
  settings lustre-mgs <<<'FSNAME=sasfs'
  told_again
  exited 0
  same '' "$(calls lctl)"
}

@test "other servers are told nothing" {
  settings lustre-oss <<<'FSNAME=sasfs'
  told
  exited 0
  same '' "$(calls lctl)"
}
