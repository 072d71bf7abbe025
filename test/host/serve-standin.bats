#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2034,SC2154 # stubs are written as text; bats sets status and output
# sas-grid-serve with the lctl of the embedded AWS: a volume that is taken away under a mounted target.

load helpers
load server

setup() {
  make_server
  # A root among others, as the embedded AWS has them.
  STATE=$BATS_TEST_TMPDIR/state
  mkdir -p "$STATE/hosts" "$STATE/volumes/vol-0a"
  mv "$ROOT" "$STATE/hosts/i-1"
  export SAS_GRID_ROOT=$STATE/hosts/i-1
  ROOT=$SAS_GRID_ROOT
  truncate -s 1M "$STATE/volumes/vol-0a/disk"
  DEVICE=$ROOT/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0a
  mounted_by '"i-1"'
  attach
  printf '%s %s lustre rw,svname=sasfs-OST0000 0 0\n' "$DEVICE" "$ROOT/srv/lustre/sasfs-OST0000" >"$ROOT/proc/mounts"
  mkdir -p "$ROOT/run"
  echo 172.16.4.21@tcp >"$ROOT/run/lnet-nids"
  stub lctl 'if [[ $1 == ping ]]; then exit 0; fi; exec python3 "$STANDIN" lctl "$@"'
  export STANDIN=$REPOSITORY/proof/localcloud/sas_grid_localcloud/hosts/standins/main.py PYTHONDONTWRITEBYTECODE=1
}

mounted_by() {
  printf '{"target": "sasfs-OST0000", "service": "oss", "mountedBy": %s}\n' \
    "$1" >"$STATE/volumes/vol-0a/superblock.json"
}

attach() {
  ln -sf "$STATE/volumes/vol-0a/disk" "$DEVICE"
}

# As the embedded AWS does it: the disk is gone, and what was mounted from it is mounted nowhere any more.
detach() {
  rm "$DEVICE"
  mounted_by null
}

health() {
  lctl get_param -n health_check
}

@test "a target whose volume has been there ever since is healthy, and served" {
  same healthy "$(health)"
  serve
  exited 0
}

@test "a host with nothing mounted, or with a client only, is healthy" {
  printf '172.16.4.10@tcp:/sasfs /sas lustre rw,flock 0 0\n' >"$ROOT/proc/mounts"
  same healthy "$(health)"
}

@test "a mount whose volume was taken away is not healthy, also when the volume is back, and is not served" {
  detach
  same 'NOT HEALTHY' "$(health)"
  attach
  same 'NOT HEALTHY' "$(health)"
  serve
  exited 1
  [[ $output == *'(NOT HEALTHY): this server has to be replaced'* ]]
}
