# shellcheck shell=bash disable=SC2153 # others set BASE, ROOT and WORK
# What the mirror lacks, at the first build: Debian's packages from its signed repositories, the others from the sources
# of sources.tsv. A source is a folder with packages and their SHA256SUMS. What is to be built from a tree is built.

FETCHED=$WORK/fetched
OWN_LIST=$ROOT/etc/apt/sources.list.d/sas-grid-fetched.list

# check_name FILE: a name out of a list of others must not lead elsewhere.
check_name() {
  [[ $1 =~ ^[A-Za-z0-9][A-Za-z0-9.+~%:_-]*\.deb$ ]] || die "$EXIT_REFUSED" "'$1' is no name of a package's file"
}

# fetch ADDRESS FILE
fetch() {
  curl -fsS --retry 5 --max-time 600 -o "$2" "$1" ||
    die "$EXIT_ERROR" "cannot fetch $1; the first build needs a way there"
}

# fetch_source NAME ADDRESS
fetch_source() {
  local sum file
  fetch "$2/SHA256SUMS" "$WORK/$1.sums"
  while read -r sum file; do
    file=${file#[*]}
    [[ $file == *.deb ]] || continue
    check_name "$file"
    fetch "$2/$file" "$FETCHED/$file"
    [[ $(sum_of "$FETCHED/$file") == "$sum" ]] ||
      die "$EXIT_REFUSED" "$2/$file is not what SHA256SUMS says there; nothing was stored; ask who runs the source"
    printf '%s/%s\n' "$2" "$file" >>"$WORK/addresses"
  done <"$WORK/$1.sums"
}

# build_source: where image.env names a tree. Compilers do not make the same file twice, so what the mirror has of this
# tree stays: another one of the same name would be refused.
build_source() {
  local sum
  sum=$(setting SOURCE_SHA256 '')
  [[ -n $sum ]] || return 0
  ! compgen -G "$MIRROR/lustre-server-modules-${KERNEL}_*+src${sum:0:8}_*.deb" >/dev/null || return 0
  "$PARTS/image-source" || exit
  fetch_source built "file://$WORK/built"
}

# fetch_agent: from the region's bucket (Systems Manager User Guide: Manually installing SSM Agent on EC2 instances).
fetch_agent() {
  local architecture domain address version
  ! in_chroot || die "$EXIT_ERROR" 'a chroot asks no metadata service: a source has to bring amazon-ssm-agent'
  architecture=$(dpkg --print-architecture)
  domain=$(PYTHONPATH=$BASE/lib python3 -c "import store; print(store.metadata('services/domain').strip())")
  address=https://s3.$SAS_IMAGE_REGION.$domain/amazon-ssm-$SAS_IMAGE_REGION
  address+=/latest/debian_$architecture/amazon-ssm-agent.deb
  fetch "$address" "$FETCHED/agent.part"
  version=$(dpkg-deb --field "$FETCHED/agent.part" Version)
  dpkg --compare-versions "$version" ge "$(setting AGENT_MINIMUM 0)" ||
    die "$EXIT_ERROR" "$address is the agent $version, but AGENT_MINIMUM is $(setting AGENT_MINIMUM); lower that"
  mv "$FETCHED/agent.part" "$FETCHED/amazon-ssm-agent_${version}_$architecture.deb"
  printf '%s#/amazon-ssm-agent_%s_%s.deb\n' "$address" "$version" "$architecture" >>"$WORK/addresses"
}

# fetch_distribution PACKAGE...: what apt takes of Debian's own sources beside ours. apt verifies their signatures.
fetch_distribution() {
  local options=(--no-install-recommends --download-only -o "Dir::Cache::archives=$FETCHED/")
  mkdir -p "$FETCHED/partial"
  apt-get -q update >&2
  # Each line: the address in quotes, the name of the file, and more.
  apt-get -q -y "${options[@]}" --print-uris install "$@" |
    sed -n "s,^'\([^']*\)' \([^ ]*\.deb\) .*,\1#/\2,p" >>"$WORK/addresses"
  apt-get -q -y "${options[@]}" install "$@" >&2 ||
    die "$EXIT_ERROR" "apt-get cannot fetch $*; what it says is above; the first build needs a way to Debian's archive"
  rm -rf "$FETCHED/partial" "$FETCHED/lock"
}

# fetch_all PACKAGE...
fetch_all() {
  local name address
  rm -rf "$FETCHED"
  mkdir -p "$FETCHED"
  : >"$WORK/addresses"
  take_contrib
  while IFS=$'\t' read -r name address _ || [[ -n $name ]]; do
    [[ -z $name ]] || fetch_source "$name" "${address%/}"
  done <"$BASE/sources.tsv"
  build_source
  # A source may bring it, where the region's bucket is out of reach.
  [[ " $* " != *' amazon-ssm-agent '* ]] || compgen -G "$FETCHED/amazon-ssm-agent_*.deb" >/dev/null || fetch_agent
  index "$FETCHED"
  add_repository "$FETCHED" "$OWN_LIST"
  fetch_distribution "$@"
  rm -rf "$OWN_LIST" "$FETCHED/repodata"
}
