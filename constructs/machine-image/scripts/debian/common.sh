# shellcheck shell=bash disable=SC2034 # the programs use what is set here
# What the programs for Debian share: what synthesis wrote, and apt with the repository of this build alone.

BASE=$(dirname "$(readlink -f "$0")")/..
for part in log wait settings; do
  # shellcheck disable=SC1090
  source "$BASE/host/lib/$part.sh"
done
export DEBIAN_FRONTEND=noninteractive

# The folder of the build. It goes with image-clean.
WORK=$ROOT/var/lib/sas-grid-image
MIRROR=$WORK/mirror
SOURCE_LIST=$ROOT/etc/apt/sources.list.d/sas-grid-mirror.list
KEYRING=$ROOT/etc/apt/keyrings/sas-grid-mirror.asc

# begin ARGUMENT...: help, or what the image is to be.
begin() {
  [[ ${1:-} != --help ]] || { show_help && exit 0; }
  (($# == 0)) || die "$EXIT_USAGE" "unknown argument $1; see --help"
  [[ -e $BASE/image.env ]] || die "$EXIT_ERROR" "$BASE/image.env is missing: unpack the archive of the image again"
  load_settings "$BASE/image.env"
  KIND=$(setting KIND) BACKEND=$(setting BACKEND zfs) KERNEL=$(setting KERNEL '')
  [[ $(setting SYSTEM) == debian ]] ||
    die "$EXIT_ERROR" "SYSTEM is '$(setting SYSTEM)' in image.env, which must be debian"
  [[ -n $KERNEL ]] || die "$EXIT_ERROR" 'image.env names no KERNEL: name the release that Lustre is built for'
}

# wanted STEP...: prints each package as apt-get takes it, a name or name=version.
wanted() {
  local step name _
  while IFS=$'\t' read -r step name _ || [[ -n $step ]]; do
    [[ " $* " != *" $step "* ]] || printf '%s\n' "$name"
  done <"$BASE/packages.tsv"
}

# from_mirror COMMAND...: apt knows the repository of this build and no other, so nothing comes from elsewhere.
from_mirror() {
  apt-get -q -y -o Dir::Etc::SourceList="$SOURCE_LIST" -o Dir::Etc::SourceParts=/dev/null \
    --no-install-recommends "$@" >&2
}

# take_contrib: Debian has ZFS in a section that its images do not ask for.
take_contrib() {
  local file
  [[ $BACKEND == zfs ]] || return 0
  for file in "$ROOT"/etc/apt/sources.list "$ROOT"/etc/apt/sources.list.d/*.{list,sources}; do
    [[ ! -f $file ]] || sed -Ei '/^(deb .* main|Components:)/{/contrib/!s/\bmain\b/main contrib/}' "$file"
  done
}

# install_step STEP: what packages.tsv wants for it.
install_step() {
  local names
  mapfile -t names < <(wanted "$1")
  ((${#names[@]} == 0)) || from_mirror --allow-change-held-packages install "${names[@]}" ||
    die "$EXIT_ERROR" "apt-get cannot install ${names[*]} from the mirror; what it says is above;" \
      'run image-packages again'
}

# agent_version: prints the version of the agent of Systems Manager that is installed, or nothing.
agent_version() {
  dpkg-query -W -f '${db:Status-Status} ${Version}' amazon-ssm-agent 2>/dev/null | sed -n 's/^installed //p'
}

# agent_is_right: whether one is installed that is new enough.
agent_is_right() {
  local found
  found=$(agent_version || :)
  [[ -n $found ]] && dpkg --compare-versions "$found" ge "$(setting AGENT_MINIMUM 0)"
}

# in_chroot: no kernel of the image runs, as when the lab makes an image. Then nothing is loaded, and there is no AWS.
in_chroot() { [[ ${SAS_IMAGE_CHROOT:-} == yes ]]; }
