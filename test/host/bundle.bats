#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # stubs are written as text; bats sets status and output
# What a support bundle has of a host, and that no secret is in it.

load helpers

setup_file() {
  # The list as the document of the deployment has it.
  SECRETS=$(cd "$BATS_TEST_DIRNAME/../.." && node_modules/.bin/tsx -e \
    'import { secretsProgram } from "./constructs/operations/secrets"; process.stdout.write(secretsProgram())' |
    base64 -w 0)
  export SECRETS
}

setup() {
  make_host
  export SINCE=1000 MOST=24000 SAS_GRID_BUNDLE_TRIES=2 SAS_GRID_BUNDLE_SECONDS=5
  ADDRESS=$(printf %s 'https://bucket.example.com/key?X-Amz-Signature=5e0f' | base64 -w 0)
  export ADDRESS
  settings slot <<<$'TIER=oss\nPASSWORD=hunter2'
  mkdir -p "$ROOT/run/sas-grid" "$ROOT/var/log"
  echo 'e2fsck: 12 inodes, token: geheim' >"$ROOT/run/sas-grid/e2fsck-0.log"
  echo 'corosync-key' >"$ROOT/run/sas-grid/authkey"
  echo 'secret_key=abc' >"$ROOT/var/log/user-data.log"
  echo "172.16.4.50:/e /sasdata nfs4 rw 0 0" >"$ROOT/proc/mounts"
  echo 'MemTotal: 1 kB' >"$ROOT/proc/meminfo"
  stub journalctl 'case $* in *-k*) echo "2026-11-28T10:00:01+0000 host kernel: mounted" ;;
    *) printf "%s\n" "2026-11-28T10:00:00+0000 host serve: password=hunter2 used" \
      "2026-11-28T10:00:02+0000 host serve: GET https://b/k?X-Amz-Signature=5e0f" \
      "-----BEGIN RSA PRIVATE KEY-----" MIIE "-----END RSA PRIVATE KEY-----" ;; esac'
  stub lsblk 'echo "NAME SIZE"'
  stub df 'echo "${FULL:-Filesystem}"'
  stub lctl 'case $1 in debug_kernel) echo "00000020:1: ldlm, credential=geheim" ;; *) echo "lctl $1" ;; esac'
  # Takes the archive in place of S3.
  stub python3 'for file; do :; done
    [[ -z ${REFUSED:-} ]] || { echo "S3 refused it: 403 $REFUSED" >&2; exit 1; }
    cp "$file" "$TMPDIR/sent.tar.gz"'
}

bundle() {
  run bash "$REPOSITORY/constructs/operations/documents/bundle.sh"
  mkdir -p "$TMPDIR/got"
  [[ ! -f $TMPDIR/sent.tar.gz ]] || tar -C "$TMPDIR/got" -xzf "$TMPDIR/sent.tar.gz"
}

@test "a host sends its journals, kernel, disks, mounts, configuration, and what repairs and Lustre said" {
  bundle
  exited 0
  [[ $output =~ ^sent\ [0-9]+\ bytes,\ [0-9]+\ files$ ]]
  grep -q 'kernel: mounted' "$TMPDIR/got/kernel.txt"
  grep -q '^TIER=oss' "$TMPDIR/got/configuration.txt"
  grep -q '^==> /run/sas-grid/e2fsck-0.log' "$TMPDIR/got/said.txt"
  grep -q 'ldlm' "$TMPDIR/got/lustre-debug.txt"
  grep -q '/sasdata nfs4' "$TMPDIR/got/mounts.txt"
  grep -qF -- '--since @1000 -u sas-grid-*' "$CALLS"
}

@test "nothing that is sent has a secret in it" {
  bundle
  exited 0
  run grep -rE 'hunter2|geheim|5e0f|MIIE|corosync-key|secret_key=abc' "$TMPDIR/got"
  same '' "$output"
  grep -q 'password=\[removed: secret\] used' "$TMPDIR/got/journal.txt"
}

@test "what is in it, and what is missing with the reason, is a list" {
  stub exportfs 'echo "cannot open" >&2; exit 3'
  rm "$STUBS/lctl"
  bundle
  exited 0
  local list=$TMPDIR/got/contents.tsv
  grep -qP '^mounts.txt\tcat .*/proc/mounts\t[0-9]+\t$' "$list"
  grep -qP '^nfs-exports.txt\texportfs -v\t-\texportfs ended with 3: cannot open$' "$list"
  grep -qP '^lustre-debug.txt\tlctl debug_kernel\t-\tthis host has no lctl$' "$list"
  [[ ! -e $TMPDIR/got/nfs-exports.txt ]]
}

@test "of what is long the newest is sent, and the list says so" {
  export SAS_GRID_BUNDLE_BYTES=20
  stub lsblk 'seq 1000'
  bundle
  exited 0
  same 1000 "$(tail -n 1 "$TMPDIR/got/disks.txt")"
  grep -qP '^disks.txt\t.*\t20\tonly the newest 20 bytes; ' "$TMPDIR/got/contents.tsv"
}

@test "a command that hangs is waited for so long and no longer" {
  export SAS_GRID_BUNDLE_SECONDS=0.2
  stub df 'exec sleep 60'
  bundle
  exited 0
  grep -qP '^space.txt\tdf -hlT\t-\tdf ended with 124' "$TMPDIR/got/contents.tsv"
}

@test "a command that nothing ends is left alone, and all else is sent" {
  export SAS_GRID_BUNDLE_GIVE_UP=1
  # As one that waits in the kernel for a disk that is gone.
  stub timeout '[[ $* != *lsblk* ]] || sleep 4; while [[ $1 != [a-z]* ]]; do shift; done; exec "$@"'
  bundle
  exited 0
  grep -qP '^disks.txt\tlsblk .*\t-\tlsblk hangs in the kernel, and cannot be ended$' "$TMPDIR/got/contents.tsv"
  grep -q '/sasdata nfs4' "$TMPDIR/got/mounts.txt"
}

@test "an address that S3 refuses is tried again, then said, without the address" {
  export REFUSED='X-Amz-Security-Token=abc&X-Amz-Signature=5e0f expired ?X-Amz-Signature=5e0f'
  bundle
  exited 1
  [[ $output == 'S3 refused it: 403 '* && $output != *5e0f\ * ]]
  same 2 "$(grep -c '^python3' "$CALLS")"
}

@test "without the list of secrets nothing is sent" {
  export SECRETS=''
  bundle
  exited 1
  [[ $output == *'nothing is sent' && ! -e $TMPDIR/sent.tar.gz ]]
  export SECRETS
  SECRETS=$(base64 <<<'s!(!x!')
  bundle
  exited 1
  [[ $output == *'nothing is sent' && ! -e $TMPDIR/sent.tar.gz ]]
}

@test "nothing of it stays on the host" {
  bundle
  same '' "$(find "$TMPDIR" -maxdepth 1 -name 'sas-grid-bundle.*')"
}

@test "a journal is shown in the order of time, without secrets" {
  run bash "$REPOSITORY/constructs/operations/documents/journal.sh"
  exited 0
  [[ ${lines[0]} == *'[removed: private key]'* || ${lines[0]} == *password=* ]]
  [[ $output != *hunter2* && $output != *MIIE* ]]
  local kernel last
  kernel=$(grep -n 'kernel: mounted' <<<"$output" | cut -d : -f 1)
  last=$(grep -n 'serve: GET' <<<"$output" | cut -d : -f 1)
  ((kernel < last))
}

@test "a journal that is too long for an answer loses its oldest lines, and says how many" {
  export MOST=200
  stub journalctl '[[ $* != *-k* ]] || exit 0
    for ((i = 100; i < 200; i++)); do echo "2026-11-28T10:00:00+0000 line $i"; done'
  run bash "$REPOSITORY/constructs/operations/documents/journal.sh"
  exited 0
  [[ ${lines[0]} =~ ^cut\ off:\ [0-9]+\ earlier\ lines ]]
  [[ ${lines[-1]} == *'line 199' && ${#output} -lt 330 ]]
  local left
  read -r _ _ left _ <<<"${lines[0]}"
  same 100 "$((left + ${#lines[@]} - 1))"
}
