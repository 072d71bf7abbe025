# shellcheck shell=bash disable=SC2153 # BASE and KEYS are of others
# What the mirror lacks: fetched from the sources and the distribution, judged, and signed where its maker did not.

TOOLS=()

# need_tools: what signs and indexes is on no base image, and goes again: later builds do without.
need_tools() {
  local entry
  TOOLS=()
  for entry in rpmsign=rpm-sign createrepo_c=createrepo_c; do
    type -P "${entry%=*}" >/dev/null || TOOLS+=("${entry#*=}")
  done
  ((${#TOOLS[@]} == 0)) || run_dnf install "${TOOLS[@]}" ||
    die "$EXIT_ERROR" "dnf cannot install ${TOOLS[*]} from the distribution; the first build needs a way to the" \
      'internet'
  dnf download --help &>/dev/null || {
    run_dnf install dnf-plugins-core || die "$EXIT_ERROR" 'dnf cannot install dnf-plugins-core from the distribution'
    TOOLS+=(dnf-plugins-core)
  }
}

clean_tools() {
  ((${#TOOLS[@]} == 0)) || run_dnf --disablerepo='*' remove "${TOOLS[@]}"
}

# of_repository NAME: prints the names of packages, without versions, that are to come from a repository; - is the
# distribution. With ! before the name: those that are to come from another one.
of_repository() {
  awk -F'\t' -v from="$1" 'BEGIN {no = sub(/^!/, "", from)}
    NF {source = $3 == "" ? "-" : $3; sub(/=.*/, "", $2); if ((source == from) != no) print $2}' "$BASE/packages.tsv" |
    sort -u | paste -sd,
}

# write_sources: a repository for each source. Its packages are compared with their sums, and signed here.
write_sources() {
  local name address
  rm -rf "$STATE/sources"
  mkdir -p "$STATE/sources"
  while IFS=$'\t' read -r name address _ || [[ -n $name ]]; do
    [[ -n $name ]] || continue
    printf '%s\n' "[sas-grid-source-$name]" "name=$name" "baseurl=$address" enabled=1 gpgcheck=0 module_hotfixes=1 \
      metadata_expire=0 "excludepkgs=$(of_repository "!$name")" >"$STATE/sources/$name.repo"
  done <"$BASE/sources.tsv"
}

# fetching ARGUMENT...: dnf with the sources and the distribution. Names that a source is to give are not taken from
# elsewhere.
fetching() {
  local id options=() others
  others=$(of_repository '!-')
  if [[ -n $others ]]; then
    while read -r id; do
      [[ $id == sas-grid-* ]] || options+=("--setopt=$id.excludepkgs=$others")
    done < <(call_dnf repolist --enabled |
      awk 'on {print $1} /^repo id/ {on = 1}')
  fi
  call_dnf --setopt=reposdir="$ROOT/etc/yum.repos.d,$STATE/sources" "${options[@]}" "$@"
}

# missing: prints what the mirror cannot give; all, where it has each but not together.
missing() {
  local package found=()
  while read -r package; do
    complete "$package" || found+=("$package")
  done < <(wanted_packages)
  if ((${#found[@]} == 0)); then wanted_packages; else printf '%s\n' "${found[@]}"; fi
}

# fetch_packages PACKAGE...: these in any case, and of what they depend on what this host lacks. `download --resolve`
# would take what they only recommend, too. Signatures are judged afterwards.
fetch_packages() {
  local files
  fetching download --destdir "$FETCHED" "$@" &>"$STATE/dnf" || return
  fetching install --downloadonly --downloaddir "$FETCHED" --nogpgcheck "$@" &>"$STATE/dnf" || return
  files=("$FETCHED"/*.rpm)
  files=("${files[@]##*/}")
  fetching download --urls "${files[@]%.rpm}" >"$STATE/addresses" 2>"$STATE/dnf"
}

fetch_missing() {
  local packages name agent=''
  need_tools
  write_sources
  rm -rf "$FETCHED"
  mkdir -p "$FETCHED"
  mapfile -t packages < <(missing)
  for name in "${!packages[@]}"; do
    [[ ${packages[name]} != amazon-ssm-agent* ]] || { agent=yes && unset "packages[name]"; }
  done
  log "the mirror lacks ${packages[*]}${agent:+ amazon-ssm-agent}; fetching"
  : >"$STATE/addresses"
  if ((${#packages[@]} > 0)); then
    fetch_packages "${packages[@]}" || die "$EXIT_ERROR" "dnf cannot fetch ${packages[*]}: $(tail -n 5 "$STATE/dnf")"
  fi
  [[ -z $agent ]] || fetch_agent
  mirror_or_die 'cannot judge what was fetched' judge "$STATE/addresses" >"$NEW"
  sign_fetched
}

# fetch_agent: from the region's bucket (Systems Manager User Guide: Manually installing SSM Agent on EC2 instances).
# It is named as its maker names it inside.
fetch_agent() {
  local base=${AWS_ENDPOINT_URL_S3:-} arch=amd64 address file=$FETCHED/agent.part name found
  [[ $(setting ARCHITECTURE x86_64) == x86_64 ]] || arch=arm64
  [[ -n $base ]] || base=$(python3 "$BASE/lib/store.py" endpoint)
  address=$base/amazon-ssm-$SAS_IMAGE_REGION/latest/linux_$arch/amazon-ssm-agent.rpm
  wait_until "${SAS_GRID_WAIT:-120}" curl -fsS --max-time 120 -o "$file" "$address" ||
    die "$EXIT_ERROR" "cannot fetch the agent of Systems Manager from $address; the first build needs a way there"
  name=$(rpm --nosignature -qp --qf '%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm' "$file")
  found=$(rpm --nosignature -qp --qf '%{VERSION}' "$file")
  not_below "$found" "$(setting AGENT_MINIMUM 0)" ||
    die "$EXIT_ERROR" "$address is the agent $found, but AGENT_MINIMUM is $(setting AGENT_MINIMUM); lower that"
  mv "$file" "$FETCHED/$name"
  printf '%s#/%s\n' "$address" "$name" >>"$STATE/addresses"
}

# of_source ADDRESS: whether it is one of the sources', not the distribution's.
of_source() {
  local name address
  [[ $1 != */amazon-ssm-agent.rpm#* ]] || return 0
  while IFS=$'\t' read -r name address _ || [[ -n $name ]]; do
    [[ -z $name || $1 != "${address%/}"/* ]] || return 0
  done <"$BASE/sources.tsv"
  return 1
}

# judge_signature FILE ADDRESS: prints keep or sign. One that is wrong is refused, and so is a package of the
# distribution without one.
judge_signature() {
  local said
  said=$(rpmkeys --dbpath "$STATE/keys-distribution" --checksig --verbose "$1" 2>&1 || :)
  if [[ $said == *': BAD'* ]]; then
    die "$EXIT_REFUSED" "${1##*/} from $2 has a wrong signature or digest; nothing was stored; ask who runs the" \
      "source: $(grep ': BAD' <<<"$said" | head -n 1)"
  fi
  if grep -qE 'Signature, key ID [0-9a-f]+: OK$' <<<"$said"; then
    echo keep
  elif of_source "$2"; then
    echo sign
  else
    die "$EXIT_REFUSED" "${1##*/} from $2 is not signed by the distribution, whose keys are in $KEYS; nothing was" \
      'stored; name its repository in the sources of the image, or bring the key to the base image'
  fi
}

# sign_fetched: each is judged before any is signed.
sign_fetched() {
  local file sum address verdict to_sign=()
  while IFS=$'\t' read -r file sum address; do
    verdict=$(judge_signature "$FETCHED/$file" "$address") || exit "$EXIT_REFUSED"
    [[ $verdict != sign ]] || to_sign+=("$FETCHED/$file")
  done <"$NEW"
  if ((${#to_sign[@]} > 0)); then
    rpmsign --define "_gpg_name $KEY" --define "_gpg_path $KEY_HOME" --define "__gpg $(type -P gpg)" \
      --define '_gpg_digest_algo sha256' --addsign "${to_sign[@]}" >"$STATE/said" 2>&1 ||
      die "$EXIT_ERROR" "rpmsign cannot sign: $(tail -n 3 "$STATE/said")"
    log "signed: ${to_sign[*]##*/}"
  fi
  while IFS=$'\t' read -r file sum address; do
    mv "$FETCHED/$file" "$MIRROR/$file"
    mirror_or_die 'cannot note a package' add "$file" "$sum" "$address"
  done <"$NEW"
  rm -rf "$FETCHED"
  rm -rf "$MIRROR/repodata"
  check_mirror
}
