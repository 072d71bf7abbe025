#!/usr/bin/env bats
# shellcheck disable=SC2154 # bats sets status and output
# image-packages with the real dnf, rpm, rpmsign, createrepo_c and gpg: a distribution that signs its packages, a source
# that does not, and S3 and Secrets Manager on this machine.

load helpers
load machine-image/real

setup_file() {
  need_programs
  build_world
}

setup() {
  export TMPDIR=$BATS_TEST_TMPDIR
  make_world
}

teardown() {
  end_world
}

# refused PART...: and nothing was stored, which is what is in the file `stored`.
stored() {
  (cd "$WORLD/aws/s3" && sha256sum -- mirror* 2>/dev/null) || :
}

@test "the first build fetches, signs what nobody signed, and stores; the next one fetches nothing" {
  image_packages
  exited 0
  [[ $output == *'FILE'*'SIGNED BY'*'this mirror'* ]]
  echo "$output" >&3; find "$ROOT" -name '*.rpm*' >&3; record >&3; ls "$WORLD/aws/s3" >&3; cat "$WORLD/aws/requests" "$IMAGE/state/dnf" >&3
}
