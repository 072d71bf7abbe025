#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# What sas-grid-serve checks of the Lustre software, and how it treats LNet, pools, host ids, parameters and many
# targets.

load helpers
load server

setup() {
  make_server
  export TOOLS='lctl 2.17.0' KERNEL=2.17.0 NIDS=172.16.4.21@tcp
  lctl_stub
  for tool in tunefs.lustre modinfo; do stub "$tool"; done
  stub uname 'echo 6.1.0-56-amd64'
}

# lctl_stub [CASE]: an lctl of the release of the recordings, with cases before the others.
lctl_stub() {
  stub lctl "case \$* in
    ${1:-}
    --version) echo \"\$TOOLS\" ;;
    'get_param -n version') echo \"\$KERNEL\" ;;
    list_nids) printf '%b\\n' \"\$NIDS\" ;;
    'get_param -n health_check') echo healthy ;;
    esac"
}

zfs() {
  sed -i s/BACKEND=ldiskfs/BACKEND=zfs/ "$ROOT/etc/sas-grid/lustre-oss.env"
  stub zpool "case \$* in list*) exit 1 ;; get*) echo on ;; 'import '*) ${1:-} ;; esac"
  instance i-0123456789abcdef0
}

instance() {
  stub curl "case \${*: -1} in */local-ipv4s) echo 172.16.4.21 ;; */subnet-ipv4-cidr-block) echo 172.16.4.0/24 ;;
    */instance-id) echo $1 ;; esac"
}

untouched() {
  same '' "$(calls 'mkfs.lustre|mount|tunefs|zpool import')"
}

@test "tools and kernel modules of two releases are an error that names both, before anything is formatted" {
  for backend in ldiskfs zfs; do
    [[ $backend == ldiskfs ]] || zfs
    KERNEL=2.15.6 serve --may-format
    exited 1
    [[ $output == *'the kernel 6.1.0-56-amd64 runs Lustre 2.15.6, but the tools are of Lustre 2.17.0'* ]]
    untouched
  done
}

@test "the recorded release is one: of tools, module and running kernel" {
  TOOLS=$(sed -n 1p "$RECORDINGS/lctl_version.out") KERNEL=$(sed -n 's/^version=//p' "$RECORDINGS/lctl_version.out")
  same "$KERNEL" "$(sed -n 's/^version: *//p' "$RECORDINGS/modinfo_lustre.out")"
  serve --may-format
  exited 0
}

@test "a module that the running kernel does not load is an error that names both kernels, before any formatting" {
  stub modinfo 'echo 6.1.0-37-amd64 SMP preempt mod_unload modversions'
  for module in lnet lustre osd_ldiskfs; do
    stub modprobe "[[ \$1 != $module ]]"
    serve --may-format
    exited 1
    [[ $output == *"no modules for the kernel 6.1.0-56-amd64: $module does not load"*6.1.0-37-amd64* ]]
  done
  untouched
}

@test "tools that are missing are named, before anything is formatted" {
  rm "$STUBS/tunefs.lustre"
  serve --may-format
  exited 1
  [[ $output == *'lack tunefs.lustre'* ]]
  untouched
}

@test "a pinned release counts without the release of its package" {
  echo LUSTRE_VERSION=2.17.0-1.el9 >>"$ROOT/etc/sas-grid/lustre-oss.env"
  serve --may-format
  exited 0
  sed -i s/2.17.0-1/2.16.1-1/ "$ROOT/etc/sas-grid/lustre-oss.env"
  serve --may-format
  exited 1
  [[ $output == *'Lustre 2.16.1-1.el9 is wanted, but 2.17.0 is installed'* ]]
}

@test "LNet is started without a network before a module could start it on the first interface" {
  NIDS='' serve --may-format
  same "$(printf '%s\n' 'modprobe lnet' 'lnetctl lnet configure' 'modprobe lustre' 'modprobe osd_ldiskfs' \
    'lnetctl net del --net tcp' 'lnetctl net add --net tcp --if eth1')" "$(calls 'modprobe|lnetctl')"
}

@test "LNet that has another network besides is an error that names all" {
  NIDS='172.16.4.21@tcp\n10.0.0.9@efa' serve --may-format
  exited 1
  [[ $output == *'LNet has the NIDs 172.16.4.21@tcp 10.0.0.9@efa, not 172.16.4.21@tcp alone'* ]]
  untouched
}

host_id() {
  od -An -tx4 "$ROOT/etc/hostid" | tr -d ' '
}

@test "zfs: each instance has a host id of its own, also where the image brought one" {
  zfs
  printf 'abcd' >"$ROOT/etc/hostid"
  serve --may-format
  exited 0
  first=$(host_id)
  same "$(echo i-0123456789abcdef0 | sha256sum | cut -c 1-8)" "$first"
  same 4 "$(stat -c %s "$ROOT/etc/hostid")"
  instance i-0fedcba9876543210
  serve --may-format
  exited 0
  [[ $(host_id) != "$first" ]]
}

@test "zfs: the host id stays while a pool is imported" {
  zfs
  printf 'abcd' >"$ROOT/etc/hostid"
  stub zpool 'case $* in list*) echo sasfs-ost0001 ;; get*) echo on ;; esac'
  serve --may-format
  exited 0
  same abcd "$(cat "$ROOT/etc/hostid")"
}

@test "zfs: a new pool is not imported by itself at boot" {
  zfs
  serve --may-format
  exited 0
  same 'zpool set cachefile=none sasfs-ost0000' "$(calls 'zpool set')"
  [[ $(calls 'mkfs.lustre') == *'--backfstype=zfs'*' sasfs-ost0000/target '* ]]
}

@test "zfs: only a pool that another system used before is forced; what is in use, or unclear, means not yet" {
  existing tunefs_dryrun_ost.out
  stub tunefs.lustre 'cat "$RECORDINGS/tunefs_dryrun_ost.out"'
  zfs 'echo "cannot import: pool is currently imported by oss2 (hostid=26b4a064)" >&2; exit 1'
  serve
  exited 75
  [[ $(calls 'zpool import') != *' -f '* && $output == *'currently imported by oss2'* ]]
  zfs '[[ $* == *" -f "* ]] || { cat "$RECORDINGS/zpool_import_foreign_no_force.err" >&2; exit 1; }'
  serve
  exited 0
  [[ $(calls 'zpool import' | tail -n 1) == *'-o cachefile=none -f sasfs-ost0000' ]]
}

# Of three volumes; what is mounted is noted, as the kernel does.
three() {
  ebs vol0b
  ebs vol0c
  sed -i s/VOLUMES_PER_SLOT=1/VOLUMES_PER_SLOT=3/ "$ROOT/etc/sas-grid/lustre-oss.env"
  stub mount 'printf "%s %s lustre rw 0 0\n" "$3" "$4" >>"$SAS_GRID_ROOT/proc/mounts"'
}

@test "a call that has taken long ends between two targets; the next goes on, and the last ends" {
  three
  export SAS_GRID_SERVE_SECONDS=0
  for call in {1..20}; do
    serve --volumes vol-0a,vol-0b,vol-0c --may-format
    ((status == 75)) || break
    [[ $output == *'; call again' ]]
  done
  exited 0
  # Each call formats and mounts one.
  ((call > 3))
  same 'sasfs-OST0000 sasfs-OST0001 sasfs-OST0002' \
    "$(sed 's,.*/srv/lustre/\([^ ]*\).*,\1,' "$ROOT/proc/mounts" | tr '\n' ' ' | sed 's/ $//')"
  same 3 "$(calls mkfs.lustre | wc -l)"
}

@test "a call in time mounts all targets" {
  three
  serve --volumes vol-0a,vol-0b,vol-0c --may-format
  exited 0
  same 3 "$(grep -c lustre "$ROOT/proc/mounts")"
}

@test "a parameter that is refused, or reads back otherwise, is reported; none stops the service" {
  echo 'TUNABLES=osd-ldiskfs.*.readcache_max_filesize=32M obdfilter.*.brw_size=16 osc.*.no_such_param=1' \
    >>"$ROOT/etc/sas-grid/lustre-oss.env"
  lctl_stub '*set_param*no_such*) cat "$RECORDINGS/lctl_set_param_unknown.err" >&2; exit 2 ;;
    "get_param -n osd-"*) sed -n "2s/.*=//p" "$RECORDINGS/lctl_set_param_readcache.out" ;;
    "get_param -n obdfilter"*) printf "16\n8\n" ;;'
  serve --may-format
  exited 0
  [[ $output == *'No such file or directory'*'warning: the parameter osc.*.no_such_param=1 is not accepted here'* ]]
  [[ $output == *'warning: obdfilter.*.brw_size was set to 16, but is 8'* ]]
  [[ $output != *'readcache_max_filesize was set'* ]]
}

@test "a Lustre that does not answer about its health is not taken for healthy" {
  printf 'x %s lustre rw 0 0\n' "$ROOT/srv/lustre/sasfs-OST0000" >"$ROOT/proc/mounts"
  stub timeout '[[ $* != *health_check ]] || exit 124; while [[ $1 != lctl ]]; do shift; done; exec "$@"'
  serve
  exited 1
  [[ $output == *'sasfs-OST0000 is mounted, but Lustre is not healthy'* ]]
}
