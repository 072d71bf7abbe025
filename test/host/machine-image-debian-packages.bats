#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154,SC2312 # stubs are written as text; bats sets status and output
# Where the packages of an image of Debian come from, what is refused, and who signs the index. gpg and dpkg-deb
# are real.

bats_require_minimum_version 1.5.0

REPOSITORY=${BATS_TEST_DIRNAME%/test/host}
FILE=lustre-server-utils_2.17.0-1_amd64.deb

setup_file() {
  mkdir -p "$BATS_FILE_TMPDIR/package/DEBIAN"
  printf '%s\n' 'Package: lustre-server-utils' 'Version: 2.17.0-1' 'Architecture: amd64' 'Maintainer: x <x@localhost>' \
    'Description: nothing' >"$BATS_FILE_TMPDIR/package/DEBIAN/control"
  dpkg-deb --root-owner-group --build "$BATS_FILE_TMPDIR/package" "$BATS_FILE_TMPDIR/made.deb"
}

setup() {
  export SAS_GRID_ROOT=$BATS_TEST_TMPDIR/root CALLS=$BATS_TEST_TMPDIR/calls STUBS=$BATS_TEST_TMPDIR/stubs
  export SAS_IMAGE_CHROOT=yes SAS_GRID_MEMORY=$BATS_TEST_TMPDIR TMPDIR=$BATS_TEST_TMPDIR
  ROOT=$SAS_GRID_ROOT BASE=$BATS_TEST_TMPDIR/base GIVEN=$BATS_TEST_TMPDIR/given
  export MIRROR=$ROOT/var/lib/sas-grid-image/mirror
  mkdir -p "$ROOT/etc" "$BASE" "$STUBS" "$GIVEN"
  cp -r "$REPOSITORY"/constructs/machine-image/scripts/{debian,lib} "$BASE/"
  ln -s "$REPOSITORY/constructs/host" "$BASE/host"
  cp "$BATS_FILE_TMPDIR/made.deb" "$GIVEN/$FILE"
  (cd "$GIVEN" && sha256sum "$FILE" >SHA256SUMS)
  printf '%s\n' SYSTEM=debian KIND=lustre-server KERNEL=6.1.0-56-amd64 >"$BASE/image.env"
  printf '%s\t%s\t%s\n' kernel linux-image-6.1.0-56-amd64 - \
    lustre lustre-server-utils=2.17.0-1 lustre >"$BASE/packages.tsv"
  printf 'lustre\tfile://%s\n' "$GIVEN" >"$BASE/sources.tsv"
  : >"$BASE/recorded.tsv"
  # No test asks the metadata service of the machine that it runs on.
  export AWS_EC2_METADATA_SERVICE_ENDPOINT=http://127.0.0.1:9
  : >"$CALLS"
  PATH=$STUBS:$PATH
  stub apt-get
  stub dpkg-query 'echo "installed 3.3.0"'
}

stub() {
  printf '#!/bin/bash\nprintf "%%s\\n" "%s $*" >>"$CALLS"\n%s\n' "$1" "${2:-}" >"$STUBS/$1"
  chmod +x "$STUBS/$1"
}

packages() {
  run -"${1:-0}" "$BASE/debian/image-packages"
}

says() {
  [[ $output == *"$1"* ]] || { printf 'not said: %s\nbut: %s\n' "$1" "$output" && false; }
}

called() {
  grep -q -- "$1" "$CALLS" || { printf 'not called: %s\n' "$1" && cat "$CALLS" && false; }
}

# aws [PULL]: a mirror and a secret. Pulling runs PULL.
aws() {
  unset SAS_IMAGE_CHROOT
  gpg --homedir "$BATS_TEST_TMPDIR" --batch --quiet --passphrase '' \
    --quick-generate-key mirror@localhost rsa3072 sign never
  gpg --homedir "$BATS_TEST_TMPDIR" --batch --armor --export-secret-keys >"$BATS_TEST_TMPDIR/secret"
  gpgconf --homedir "$BATS_TEST_TMPDIR" --kill gpg-agent
  export SECRET=$BATS_TEST_TMPDIR/secret PULL=${1:-true} SAS_IMAGE_REGION=eu-west-1
  stub python3 'case $* in
    *"store.py secret") cat "$SECRET" ;;
    *"import store"*) echo amazonaws.com ;;
    *pull) eval "$PULL" ;;
    *judge*) printf "lustre-server-utils_2.17.0-1_amd64.deb\t%s\tfile:///given\n" "$(printf a%.0s {1..64})" ;;
    *push*) tar -tf "${*: -1}" >"$CALLS.index" ;;
    esac'
  stub dpkg-query 'exit 1'
  AGENT=$BATS_FILE_TMPDIR/made.deb
  export AGENT
  stub curl 'case $* in
    *amazon-ssm-agent.deb) cp "$AGENT" "${@: -2:1}" ;;
    *) exec /usr/bin/curl "$@" ;; esac'
}

@test "packages of a source are in the index, which apt trusts for one key only" {
  packages
  grep -q '^Filename: ./lustre-server-utils_2.17.0-1_amd64.deb$' "$MIRROR/repodata/Packages"
  grep -q "^SHA256: $(sha256sum <"$GIVEN/$FILE" | cut -d ' ' -f 1)$" "$MIRROR/repodata/Packages"
  grep -qx "deb \[signed-by=$ROOT/etc/apt/keyrings/sas-grid-mirror.asc\] file:$MIRROR repodata/" \
    "$ROOT/etc/apt/sources.list.d/sas-grid-mirror.list"
  gpg --dearmor <"$ROOT/etc/apt/keyrings/sas-grid-mirror.asc" >"$BATS_TEST_TMPDIR/key"
  gpgv --keyring "$BATS_TEST_TMPDIR/key" "$MIRROR/repodata/InRelease"
}

@test "no list but the mirror's is left, and apt is asked for all that is wanted" {
  packages
  [[ $(ls "$ROOT/etc/apt/sources.list.d") == sas-grid-mirror.list ]]
  called 'SourceParts=/dev/null .*--simulate install linux-image-6.1.0-56-amd64 lustre-server-utils=2.17.0-1'
  called '--download-only .*install linux-image-6.1.0-56-amd64'
}

@test "in a chroot the agent comes from a source, and no metadata service is asked" {
  stub dpkg-query 'exit 1'
  packages 1
  says 'a source has to bring amazon-ssm-agent'
  cp "$GIVEN/$FILE" "$GIVEN/amazon-ssm-agent_0_all.deb"
  (cd "$GIVEN" && sha256sum ./*.deb | sed 's,\./,,' >SHA256SUMS)
  packages
}

@test "a package that is not what SHA256SUMS says is refused" {
  sed -i 's/^./f/;s/^f\(.\)/0\1/;s/^0./00/' "$GIVEN/SHA256SUMS"
  packages 4
  says 'is not what SHA256SUMS says there'
  [[ ! -e $MIRROR/$FILE ]]
}

@test "a name that leads elsewhere is refused" {
  printf '%064d  ../../etc/x.deb\n' 0 >"$GIVEN/SHA256SUMS"
  packages 4
  says 'is no name of a package'
}

@test "a source that is not there is named" {
  rm "$GIVEN/SHA256SUMS"
  packages 1
  says "cannot fetch file://$GIVEN/SHA256SUMS"
}

@test "the first build records each package with its address, then stores index and record" {
  aws
  packages
  called "mirror.py .* add $FILE a* file:///given"
  called 'mirror.py .* push .*/index.tar'
  [[ $(sort "$CALLS.index" | paste -sd ' ') == 'InRelease Packages Release' ]]
  called 'amazon-ssm-eu-west-1/latest/debian_.*/amazon-ssm-agent.deb'
}

@test "a later build fetches nothing: the mirror has it" {
  aws 'mkdir -p "$MIRROR/repodata" && touch "$MIRROR/repodata/InRelease"'
  packages
  says 'nothing is fetched from elsewhere'
  run ! grep -E '^curl|download-only|apt-get -q update' "$CALLS"
}

@test "a mirror with the index of another key is refused before anything is installed" {
  aws 'mkdir -p "$MIRROR/repodata" && touch "$MIRROR/repodata/InRelease"'
  stub apt-get '[[ $* != *update ]]'
  packages 4
  says 'apt refuses the index of the mirror'
}

@test "a package that is not what was recorded ends the build with 4" {
  aws 'echo "refused: it differs" >&2; exit 4'
  packages 4
  says 'it differs'
}
