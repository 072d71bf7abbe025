# shellcheck shell=bash disable=SC2154
# Real packages for image-packages: a distribution that signs, a source that does not, and AWS on this machine.

SCRIPTS=$REPOSITORY/constructs/machine-image/scripts
FAKE_AWS=$REPOSITORY/test/host/machine-image/aws.py

# need_programs: skips, and says why, where one is not installed and cannot be.
need_programs() {
  bash "$REPOSITORY/scripts/image-tools.sh" >"$BATS_FILE_TMPDIR/tools" 2>&1 ||
    skip "$(tail -n 1 "$BATS_FILE_TMPDIR/tools")"
}

# package FOLDER NAME VERSION [LINE...]: builds a package; lines go to its description.
package() {
  local folder=$1 name=$2 version=$3 top=$BATS_FILE_TMPDIR/rpmbuild
  shift 3
  mkdir -p "$folder" "$top"
  {
    printf '%s\n' "Name: $name" "Version: $version" 'Release: 1' 'Summary: a package of a test' 'License: none' \
      'BuildArch: noarch' "$@" '%description' 'For a test.' '%install' "mkdir -p %{buildroot}/opt/test" \
      "echo $name $version ${*: -1} >%{buildroot}/opt/test/$name" '%files' "/opt/test/$name"
  } >"$top/$name.spec"
  rpmbuild --quiet -bb --define "_topdir $top" --define "_rpmdir $folder" \
    --define '_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' \
    "$top/$name.spec" >"$top/log" 2>&1 || { cat "$top/log" >&2 && return 1; }
}

# new_key HOME
new_key() {
  mkdir -p "${1%/*}" && mkdir -m 700 "$1"
  gpg --homedir "$1" --batch --quiet --passphrase '' --quick-generate-key "test ${1##*/}" rsa2048 sign never 2>/dev/null
}

# sign_with HOME FILE...
sign_with() {
  GNUPGHOME=$1 rpmsign --define "_gpg_name test ${1##*/}" --define "_gpg_path $1" \
    --define "__gpg $(type -P gpg)" --addsign "${@:2}" >"$BATS_FILE_TMPDIR/signed" 2>&1 || {
    cat "$BATS_FILE_TMPDIR/signed" >&2
    return 1
  }
}

# build_world: made once; every test gets a copy. Short paths: gpg's agent listens on a socket in its home.
build_world() {
  local world=$BATS_FILE_TMPDIR/world home=$BATS_FILE_TMPDIR/k
  package "$world/www/base" base-lib 1.0
  package "$world/www/base" mdadm 4.3 'Requires: base-lib' 'Recommends: unused'
  package "$world/www/base" kernel 5.14.0
  package "$world/www/base" e2fsprogs 1.50
  package "$world/www/base" unused 1.0
  new_key "$home/distribution"
  sign_with "$home/distribution" "$world"/www/base/*.rpm
  package "$world/www/lustre" kmod-lustre 2.17.0 'Requires: kernel = 5.14.0'
  package "$world/www/lustre" lustre 2.17.0 'Requires: kmod-lustre = 2.17.0' 'Requires: base-lib'
  package "$world/www/lustre" e2fsprogs 1.47
  package "$world/www/lustre" mdadm 9.9
  package "$world/www/lustre" foreign 1.0
  new_key "$home/foreign"
  sign_with "$home/foreign" "$world"/www/lustre/foreign*.rpm
  package "$world/agent" amazon-ssm-agent 3.3.100.0
  createrepo_c -q "$world/www/base" && createrepo_c -q "$world/www/lustre"
  mkdir -p "$world/root/etc/pki/rpm-gpg"
  gpg --homedir "$home/distribution" --armor --export >"$world/root/etc/pki/rpm-gpg/RPM-GPG-KEY-distribution"
  gpg --homedir "$home/foreign" --armor --export-secret-keys >"$world/foreign-secret"
  new_key "$home/mirror"
  gpg --homedir "$home/mirror" --armor --export-secret-keys >"$world/mirror-secret"
  printf -- '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nbm8=\n-----END PGP PUBLIC KEY BLOCK-----\n' \
    >"$world/root/etc/pki/rpm-gpg/RPM-GPG-KEY-of-long-ago"
  for key in distribution foreign mirror; do gpgconf --homedir "$home/$key" --kill gpg-agent; done
}

# serve_www, serve_aws: each until end_servers, on a port that is free.
serve_www() {
  python3 -u -m http.server --bind 127.0.0.1 --directory "$WORLD/www" 0 >"$WORLD/www.log" 2>&1 3>&- &
  WWW_PID=$!
  eventually grep -q 'port [0-9]' "$WORLD/www.log"
  WWW=http://127.0.0.1:$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$WORLD/www.log")
}

serve_aws() {
  "$REPOSITORY/.venv/bin/python" "$FAKE_AWS" "$WORLD/aws" >"$WORLD/aws.log" 2>&1 3>&- &
  AWS_PID=$!
  eventually test -e "$WORLD/aws/port"
  AWS_ENDPOINT_URL=http://127.0.0.1:$(<"$WORLD/aws/port")
  export AWS_ENDPOINT_URL AWS_ENDPOINT_URL_S3=$AWS_ENDPOINT_URL AWS_EC2_METADATA_SERVICE_ENDPOINT=$AWS_ENDPOINT_URL
}

eventually() {
  local end=$((SECONDS + 20))
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.05
  done
}

stop() {
  kill "$1" 2>/dev/null || :
  wait "$1" 2>/dev/null || :
}

# new_instance: a build instance, with nothing but its base image and the archive of the image.
new_instance() {
  end_agents
  rm -rf "$WORLD/instance"
  export SAS_GRID_ROOT=$WORLD/instance
  ROOT=$SAS_GRID_ROOT IMAGE=$ROOT/var/lib/sas-grid-image
  mkdir -p "$IMAGE" "$ROOT/etc/yum.repos.d" "$ROOT/etc/dnf"
  cp -r "$WORLD/root/." "$ROOT"
  cp -r "$SCRIPTS/." "$IMAGE"
  ln -s "$REPOSITORY/constructs/host" "$IMAGE/host"
  printf '[main]\nbest=True\nskip_if_unavailable=False\ngpgcheck=1\n' >"$ROOT/etc/dnf/dnf.conf"
  printf '[base]\nname=base\nbaseurl=%s/base\nenabled=1\nmetadata_expire=0\n' "$WWW" >"$ROOT/etc/yum.repos.d/base.repo"
  printf '%s\n' KIND=lustre-server SYSTEM=el RELEASE=9.7 ARCHITECTURE=x86_64 KERNEL=5.14.0-1.noarch \
    AGENT_MINIMUM=3.2 >"$IMAGE/image.env"
  printf 'lustre\t%s/lustre\n' "$WWW" >"$IMAGE/sources.tsv"
  printf '%s\t%s\t%s\n' kernel kernel - lustre lustre=2.17.0 lustre lustre e2fsprogs lustre lustre foreign lustre \
    host mdadm - >"$IMAGE/packages.tsv"
  : >"$IMAGE/recorded.tsv"
}

make_world() {
  WORLD=$BATS_TEST_TMPDIR/w
  mkdir -p "$WORLD/aws/s3"
  cp -r "$BATS_FILE_TMPDIR/world/." "$WORLD"
  cp "$WORLD/agent"/*.rpm "$WORLD/aws/s3/amazon-ssm-us-east-1%2Flatest%2Flinux_amd64%2Famazon-ssm-agent.rpm"
  cp "$WORLD/mirror-secret" "$WORLD/aws/secret"
  serve_www
  serve_aws
  export SAS_IMAGE_BUCKET=mirror SAS_IMAGE_PREFIX=el9/ SAS_IMAGE_REGION=us-east-1 SAS_GRID_POLL=0.01 SAS_GRID_WAIT=1
  export SAS_IMAGE_SECRET=arn:aws:secretsmanager:us-east-1:111111111111:secret:image
  new_instance
}

# end_agents: dnf leaves the agent of its keys running.
end_agents() {
  local ring
  for ring in "$WORLD"/instance/var/cache/dnf/*/pubring; do
    [[ ! -d $ring ]] || gpgconf --homedir "$ring" --kill gpg-agent || :
  done
}

end_world() {
  end_agents
  [[ -z ${WWW_PID:-} ]] || stop "$WWW_PID"
  [[ -z ${AWS_PID:-} ]] || stop "$AWS_PID"
}

image_packages() {
  : >"$WORLD/aws/requests"
  run timeout 600 "$IMAGE/bin/image-packages"
}

# record: the mirror's.
record() {
  cat "$WORLD/aws/s3/mirror%2Fel9%2Frecorded.tsv"
}

# object NAME: the file in which the server keeps a package of the mirror.
object() {
  ls "$WORLD"/aws/s3/mirror%2Fel9%2Fpackages%2F*"$1"*
}
