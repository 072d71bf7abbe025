#!/usr/bin/env bats
# shellcheck disable=SC2154 # bats sets status and output
# image-packages with the real dnf, rpm, rpmsign, createrepo_c and gpg: a distribution that signs its packages, a source
# that does not, and S3 and Secrets Manager on this machine.

load helpers
load machine-image/real

setup_file() {
  # rpm keeps a database in the home of who calls it.
  export PYENV_ROOT=${PYENV_ROOT:-$HOME/.pyenv} HOME=$BATS_FILE_TMPDIR/home
  mkdir "$HOME"
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

# built: a build that succeeds.
built() {
  image_packages
  exited 0
}

# recorded: the files that the record names.
recorded() {
  record | cut -f 1 | tr '\n' ' '
}

# in_bucket: what the mirror has.
in_bucket() {
  (cd "$WORLD/aws/s3" && find . -name 'mirror*' -exec sha256sum {} + | sort)
}

# refused PART...: with these words, and nothing was stored.
refused() {
  local before part
  before=$(in_bucket)
  image_packages
  exited 4
  for part in "$@"; do
    [[ $output == *"$part"* ]] || { printf 'not said: %s\n%s\n' "$part" "$output" >&2 && return 1; }
  done
  same "$before" "$(in_bucket)"
}

# rebuilt FOLDER NAME VERSION [LINE...]: the source has another file of the same name.
rebuilt() {
  package "$WORLD/www/$1" "$2" "$3" "${@:4}" 'URL: https://example.com/other'
  createrepo_c -q "$WORLD/www/$1"
}

in_root() {
  dnf -y -q --installroot="$ROOT" --releasever=9.7 --disableplugin=local "$@"
}

from_mirror() {
  in_root --disablerepo='*' --enablerepo=sas-grid-mirror "$@"
}

@test "the first build makes a key, fetches, signs what nobody signed, and stores; the next one fetches nothing" {
  rm "$WORLD/aws/secret"
  built
  [[ $output == *'a new one is there now'* && -z $(compgen -G '/dev/shm/sas-grid-key.*') ]]
  names='amazon-ssm-agent-3.3.100.0 base-lib-1.0 e2fsprogs-1.47 foreign-1.0 kernel-5.14.0 kmod-lustre-2.17.0 '
  names+='lustre-2.17.0 mdadm-4.3 '
  same "$names" "$(recorded | sed 's/-1.noarch.rpm//g')"
  sum=$(sha256sum <"$WORLD/www/lustre/lustre-2.17.0-1.noarch.rpm")
  grep -qE "^lustre-2.17.0-1.noarch.rpm +this mirror +${sum%% *} +$WWW/lustre/" <<<"$output"
  grep -qE '^kernel-5.14.0-1.noarch.rpm +its maker' <<<"$output"
  [[ $output == *'the key RPM-GPG-KEY-of-long-ago of the base image is not used'* ]]
  # What the distribution signed is stored as it is.
  cmp "$(object mdadm-4.3)" "$WORLD/www/base/mdadm-4.3-1.noarch.rpm"

  stop "$WWW_PID"
  new_instance
  record >"$IMAGE/recorded.tsv"
  before=$(in_bucket)
  built
  [[ $output == *'nothing is fetched from elsewhere'* ]]
  same '' "$(grep -E '^PUT /mirror|^GET /amazon-ssm' "$WORLD/aws/requests" || :)"
  same "$before" "$(in_bucket)"
  # dnf takes them with all signatures, and none where one is missing.
  from_mirror install lustre-2.17.0 mdadm
  [[ $(cat "$ROOT/opt/test/lustre") == 'lustre 2.17.0'* ]]
}

@test "dnf takes nothing by an index that was not signed by the key of the mirror" {
  built
  sed -i 's/<revision>/<revision>1/' "$IMAGE/mirror/repodata/repomd.xml"
  run from_mirror install mdadm
  [[ $status -ne 0 && $output == *GPG* ]]
}

@test "another package is wanted: only that is fetched, and what was recorded stays" {
  built
  before=$(record)
  new_instance
  printf 'host\tunused\t-\n' >>"$IMAGE/packages.tsv"
  built
  same "$before" "$(record | grep -v '^unused')"
  [[ $output == *'the mirror lacks unused; fetching'* && $(recorded) == *unused-1.0* ]]
}

@test "a committed package that the source gives otherwise is refused with both sums" {
  built
  record | cut -f 1-3 >"$WORLD/committed"
  old=$(sha256sum <"$WORLD/www/lustre/lustre-2.17.0-1.noarch.rpm")
  rebuilt lustre lustre 2.17.0 'Requires: kmod-lustre = 2.17.0' 'Requires: base-lib'
  new=$(sha256sum <"$WORLD/www/lustre/lustre-2.17.0-1.noarch.rpm")
  find "$WORLD/aws/s3" -name 'mirror*' -delete
  new_instance
  cp "$WORLD/committed" "$IMAGE/recorded.tsv"
  refused "lustre-2.17.0-1.noarch.rpm: your record, which was committed, recorded ${old%% *}, but found is ${new%% *}"
}

@test "a package of the mirror's record that the source gives otherwise is refused with both sums" {
  built
  old=$(sha256sum <"$WORLD/www/lustre/kmod-lustre-2.17.0-1.noarch.rpm")
  rebuilt lustre kmod-lustre 2.17.0 'Requires: kernel = 5.14.0'
  rebuilt lustre extra 1.0 'Requires: kmod-lustre'
  new_instance
  printf 'lustre\textra\tlustre\n' >>"$IMAGE/packages.tsv"
  refused 'kmod-lustre-2.17.0-1.noarch.rpm' "the mirror's record recorded ${old%% *}" 'Find out who changed it'
}

@test "a mirror's record that is not the committed one is refused with both sums" {
  built
  new_instance
  record | sed -E '/^lustre/s/\t[0-9a-f]{64}/\t'"$(printf '0%.0s' {1..64})"'/' >"$IMAGE/recorded.tsv"
  refused 'lustre-2.17.0-1.noarch.rpm: your record' "The mirror's record is not what you committed"
}

@test "a package that the mirror lost is not signed anew behind the committed record" {
  built
  record >"$WORLD/committed"
  find "$WORLD/aws/s3" -name 'mirror*' -delete
  new_instance
  cp "$WORLD/committed" "$IMAGE/recorded.tsv"
  refused 'lustre-2.17.0-1.noarch.rpm: your record names it as this mirror signed it' 'Restore the object'
}

@test "a package that was changed in the mirror is refused with both sums" {
  built
  echo changed >>"$(object /lustre-2.17.0 2>/dev/null || object Flustre-2.17.0)"
  sum=$(sha256sum <"$(object Flustre-2.17.0)")
  new_instance
  refused 's3://mirror/el9/packages/' "but found is ${sum%% *}" 'Restore the earlier version'
  [[ ! -e $IMAGE/mirror/lustre-2.17.0-1.noarch.rpm ]]
}

@test "a package that was changed on the build instance is refused" {
  built
  echo changed >>"$IMAGE/mirror/lustre-2.17.0-1.noarch.rpm"
  refused "$IMAGE/mirror/lustre-2.17.0-1.noarch.rpm: the mirror's record has" 'remove the file'
}

@test "a package and the record that were changed together in the mirror lack the signature" {
  built
  file=$(object Flustre-2.17.0) sum=$(sha256sum <"$WORLD/www/lustre/lustre-2.17.0-1.noarch.rpm")
  other=${file%packages%2F*}packages%2F${sum%% *}%2Flustre-2.17.0-1.noarch.rpm
  rm "$file"
  cp "$WORLD/www/lustre/lustre-2.17.0-1.noarch.rpm" "$other"
  sed -i "/^lustre/s/[0-9a-f]*\$/${sum%% *}/" "$WORLD/aws/s3/mirror%2Fel9%2Frecorded.tsv"
  new_instance
  refused 'are not signed with the key of the secret' 'lustre-2.17.0-1.noarch.rpm: digests OK'
}

@test "a record with a path in it is refused" {
  built
  sed -i 's,^mdadm,../mdadm,' "$WORLD/aws/s3/mirror%2Fel9%2Frecorded.tsv"
  new_instance
  image_packages
  exited 1
  [[ $output == *'is not a record: ../mdadm'* && ! -e $IMAGE/mdadm-4.3-1.noarch.rpm ]]
}

@test "a package of the distribution without its signature is refused, also with another one" {
  rebuilt base mdadm 4.3 'Requires: base-lib'
  refused 'mdadm-4.3-1.noarch.rpm from' 'is not signed by the distribution'
  sign_with "$BATS_FILE_TMPDIR/k/foreign" "$WORLD/www/base/mdadm-4.3-1.noarch.rpm"
  gpgconf --homedir "$BATS_FILE_TMPDIR/k/foreign" --kill gpg-agent
  createrepo_c -q "$WORLD/www/base"
  refused 'mdadm-4.3-1.noarch.rpm from' 'is not signed by the distribution'
}

@test "a package whose content is not what its header says is refused, and not signed" {
  file=$WORLD/www/lustre/lustre-2.17.0-1.noarch.rpm
  printf 'xxxx' | dd of="$file" bs=1 seek=$(($(stat -c %s "$file") - 40)) conv=notrunc status=none
  createrepo_c -q "$WORLD/www/lustre"
  refused 'lustre-2.17.0-1.noarch.rpm from' 'wrong signature or digest' BAD
}

@test "a secret that holds no private key, a key with a passphrase, or two is refused" {
  for value in 'no key' "$(gpg --homedir "$BATS_FILE_TMPDIR/k/distribution" --armor --export)"; do
    printf '%s\n' "$value" >"$WORLD/aws/secret"
    refused 'the secret holds no armoured private key'
  done
  printf -- '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nbm8=\n-----END PGP PRIVATE KEY BLOCK-----\n' >"$WORLD/aws/secret"
  refused 'gpg cannot read the key of the secret'
  home=$BATS_FILE_TMPDIR/k/locked
  mkdir -m 700 "$home"
  locked=(gpg --homedir "$home" --batch --quiet --pinentry-mode loopback --passphrase locked)
  "${locked[@]}" --quick-generate-key locked rsa2048 sign never
  "${locked[@]}" --armor --export-secret-keys >"$WORLD/aws/secret"
  gpgconf --homedir "$home" --kill gpg-agent
  refused 'the key of the secret cannot sign'
  [[ -z $(compgen -G '/dev/shm/sas-grid-key.*') ]]
}

@test "another key than the one that signed the mirror is refused" {
  built
  cp "$WORLD/foreign-secret" "$WORLD/aws/secret"
  new_instance
  refused 'are not signed with the key of the secret' 'put the key back'
}

@test "of two builds that find no key, the second one takes the first one's" {
  rm "$WORLD/aws/secret"
  built
  # The token of any build that finds none.
  mv "$WORLD/aws/token" "$WORLD/aws/token-before-put"
  rm "$WORLD/aws/secret"
  find "$WORLD/aws/s3" -name 'mirror*' -delete
  cp "$WORLD/foreign-secret" "$WORLD/aws/secret-before-put"
  new_instance
  built
  cmp "$WORLD/foreign-secret" "$WORLD/aws/secret"
  new_instance
  built
}

@test "a build that ended between two uploads is gone on with, by another instance" {
  for puts in 0 3 8 9; do
    find "$WORLD/aws/s3" -name 'mirror*' -delete
    new_instance
    echo $puts >"$WORLD/aws/fail-after"
    image_packages
    exited 1
    [[ $output == *'503 ServiceUnavailable'* && ! -e $WORLD/aws/s3/mirror%2Fel9%2Frecorded.tsv ]]
    same $puts "$(in_bucket | wc -l)"
    rm "$WORLD/aws/fail-after"
    new_instance
    built
    same 8 "$(record | wc -l)"
  done
  stop "$WWW_PID"
  new_instance
  built
}

@test "a build that ended between two uploads is gone on with, by the same instance, which fetches nothing again" {
  echo 3 >"$WORLD/aws/fail-after"
  image_packages
  exited 1
  rm "$WORLD/aws/fail-after"
  stop "$WWW_PID"
  built
  same 8 "$(record | wc -l)"
  same 8 "$(find "$WORLD/aws/s3" -name '*packages*' | wc -l)"
}

@test "a build whose record comes second takes the packages of the first one" {
  built
  cp -r "$WORLD/aws/s3" "$WORLD/aws/before-record"
  first=$(record)
  find "$WORLD/aws/s3" -name 'mirror*' -delete
  new_instance
  printf 'host\tunused\t-\n' >>"$IMAGE/packages.tsv"
  built
  [[ $output == *'another build wrote the record first'* ]]
  same "$first" "$(record | grep -v '^unused')"
  [[ $(recorded) == *unused-1.0* ]]
  stop "$WWW_PID"
  new_instance
  built
}

@test "an index that the bucket lost is made again, without the sources" {
  built
  rm "$WORLD"/aws/s3/*index*
  stop "$WWW_PID"
  new_instance
  built
  new_instance
  built
  [[ $output == *'nothing is fetched from elsewhere'* ]]
}

@test "what is held is not offered by dnf, but comes from the mirror of a build" {
  built
  from_mirror install kernel lustre-2.17.0
  # shellcheck disable=SC2016
  bash -c 'set -euo pipefail; KIND=lustre-server BACKEND=ldiskfs LIB=$1
    for part in host/lib/log host/lib/settings lib/el-hold; do source "$LIB/$part.sh"; done
    hold_versions' - "$IMAGE"
  package "$WORLD/www/base" kernel 5.15.0
  package "$WORLD/www/base" base-lib 1.1
  sign_with "$BATS_FILE_TMPDIR/k/distribution" "$WORLD"/www/base/{kernel-5.15,base-lib-1.1}*.rpm
  gpgconf --homedir "$BATS_FILE_TMPDIR/k/distribution" --kill gpg-agent
  createrepo_c -q "$WORLD/www/base"
  run in_root check-update
  exited 100
  [[ $output == *base-lib* && $output != *kernel* ]]
  from_mirror --disableexcludes=main install kernel lustre-2.17.0
}
