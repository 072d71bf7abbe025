# shellcheck shell=bash disable=SC2034,SC2119,SC2120,SC2153 # others use these, and KEYS is of another
# The packages of an image: from the mirror; what it lacks is fetched, compared, signed and stored.

STATE=$WORK/state FETCHED=$WORK/fetched MIRROR=$WORK/mirror
NEW=$STATE/judged.tsv

mirror() {
  python3 "$BASE/lib/mirror.py" "$WORK" "$@"
}

# mirror_or_die WHAT ARGUMENT...: 5 is handed on: another build was first.
mirror_or_die() {
  local what=$1 status=0
  shift
  mirror "$@" 2>"$STATE/said" || status=$?
  case $status in
    0) ;;
    4) die "$EXIT_REFUSED" "$(<"$STATE/said")" ;;
    5) return 5 ;;
    *) die "$EXIT_ERROR" "$what: $(<"$STATE/said")" ;;
  esac
}

# wanted_packages: prints all that the image gets; the agent of Systems Manager unless it is there.
wanted_packages() {
  wanted kernel lustre host node
  agent_is_right || agent_spec
}

# At least AGENT_MINIMUM, in the form of a dependency, which dnf takes, too.
agent_spec() {
  printf 'amazon-ssm-agent >= %s\n' "$(setting AGENT_MINIMUM 0)"
}

# known_keys: the databases of keys to compare signatures with: the distribution's, and those with ours. Sets
# DISTRIBUTION_KEYS. A base image may bring keys that its own rpm refuses, such as those of SHA-1.
known_keys() {
  local key
  DISTRIBUTION_KEYS=()
  rm -rf "$STATE"/keys-*
  mkdir -p "$STATE/keys-distribution"
  export_key "$OUR_KEY"
  rpmkeys --dbpath "$STATE/keys-all" --import "$OUR_KEY"
  for key in "$KEYS"/*; do
    [[ -f $key && $key != "$OUR_KEY" ]] || continue
    if rpmkeys --dbpath "$STATE/keys-distribution" --import "$key" &>"$STATE/said"; then
      rpmkeys --dbpath "$STATE/keys-all" --import "$key"
      DISTRIBUTION_KEYS+=("$key")
    else
      log "the key ${key##*/} of the base image is not used: $(tail -n 1 "$STATE/said")"
    fi
  done
}

# write_repository: packages and index must be signed, by this mirror or the distribution. Nothing of it is modular, and
# a package of a module would be hidden without the module's data.
write_repository() {
  local keys
  keys=$(printf 'file://%s ' "$OUR_KEY" "${DISTRIBUTION_KEYS[@]}")
  printf '%s\n' "[$MIRROR_NAME]" 'name=Mirror of the packages of this image' "baseurl=file://$MIRROR" enabled=0 \
    gpgcheck=1 repo_gpgcheck=1 "gpgkey=${keys% }" module_hotfixes=1 metadata_expire=0 | write_file "$REPOSITORY_FILE"
}

# check_mirror: whose signatures these are. The sums are compared before.
check_mirror() {
  local wrong files
  files=("$MIRROR"/*.rpm)
  [[ -e ${files[0]} ]] || return 0
  wrong=$(rpmkeys --dbpath "$STATE/keys-all" --checksig "${files[@]}" 2>&1 | grep -v ': digests signatures OK$' || :)
  [[ -z $wrong ]] || die "$EXIT_REFUSED" "packages of the mirror are not signed with the key of the secret ($KEY) or" \
    "of the distribution: ${wrong//$MIRROR\//}; put the key back that signed them: the secret keeps its earlier version"
  [[ ! -e $MIRROR/repodata/repomd.xml ]] || signed_by_us "$MIRROR/repodata/repomd.xml" ||
    die "$EXIT_REFUSED" "the index of the mirror is not signed with the key of the secret ($KEY):" \
      "$(tail -n 1 "$KEY_HOME/said"); put the key back that signed it, or restore the earlier version of the index in" \
      'the bucket'
}

# complete [PACKAGE...]: whether the mirror has these, or all that is wanted, with what they depend on and this host
# lacks.
complete() {
  local packages
  [[ -e $MIRROR/repodata/repomd.xml ]] || return
  packages=("$@")
  (($# > 0)) || mapfile -t packages < <(wanted_packages)
  ((${#packages[@]} == 0)) || from_mirror install --downloadonly "${packages[@]}" &>"$STATE/dnf"
}

# make_index: signed, and packed for the bucket.
make_index() {
  rm -rf "$MIRROR/repodata"
  createrepo_c --quiet --no-database --general-compress-type gz "$MIRROR"
  sign_detached "$MIRROR/repodata/repomd.xml"
  find "$MIRROR/repodata" -type f -printf '%f\0' |
    tar -C "$MIRROR/repodata" -cf "$STATE/index.tar" --null --files-from -
}

pull() {
  mirror_or_die 'cannot bring the packages from the mirror' pull
  check_mirror
}

# Another build may write the record at any moment; then its packages come first.
push() {
  local round
  for round in {1..10}; do
    make_index
    complete || die "$EXIT_ERROR" "the mirror would not be complete; nothing was recorded: $(<"$STATE/dnf")"
    if mirror_or_die 'cannot store the packages' push "$STATE/index.tar"; then return; fi
    log "another build wrote the record first ($round); its packages are taken"
    pull
  done
  die "$EXIT_ERROR" 'other builds keep writing the record; let them end, and run this build again'
}

# unfinished: whether an attempt on this host ended before its packages were recorded, or the bucket lost the index.
unfinished() {
  [[ -s $STATE/new.tsv || (-s $STATE/recorded.tsv && ! -e $MIRROR/repodata/repomd.xml) ]]
}

bring_packages() {
  mkdir -p "$STATE" "$MIRROR" "$KEYS"
  begin_key
  known_keys
  write_repository
  pull
  if unfinished; then
    need_tools
    make_index
  elif complete; then
    log 'the mirror has all that is wanted; nothing is fetched from elsewhere'
    return
  fi
  complete || fetch_missing
  push
  clean_tools
  log "the packages are stored in s3://$SAS_IMAGE_BUCKET/${SAS_IMAGE_PREFIX:-}"
}
