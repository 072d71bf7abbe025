# shellcheck shell=bash
# What the programs for Debian share: what synthesis wrote, messages, apt with the local repository alone.

shopt -s inherit_errexit
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive

# Everything lies under another root in tests.
ROOT=${SAS_IMAGE_ROOT:-}
IMAGE=${SAS_IMAGE_FOLDER:-/var/lib/sas-grid-image}
# shellcheck disable=SC2034
REPOSITORY=$IMAGE/repository
# shellcheck disable=SC2034
RECORD=$IMAGE/recorded.tsv
SOURCE_LIST=$ROOT/etc/apt/sources.list.d/sas-grid-image.list

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# die MESSAGE
die() {
  say "$*"
  exit 1
}

# A tool that fails is named.
set -E
trap 'say "failed ($?): $BASH_COMMAND"; exit 1' ERR

# The comment block under the shebang is the help text.
show_help() {
  sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p;}' "$0"
}

# told KEY [DEFAULT]: what image.env says. Without a default, nothing is an error.
told() {
  local value
  value=$(sed -n "s/^$1=//p" "$IMAGE/image.env" | tail -n 1)
  [[ -n $value || $# -gt 1 ]] || die "image.env says no $1: name it in the configuration of the image"
  printf '%s\n' "${value:-${2:-}}"
}

# packages_of STEP...: prints each package as apt-get takes it, a name or name=version.
packages_of() {
  local step name _ wanted
  while IFS=$'\t' read -r step name _; do
    for wanted in "$@"; do [[ $step != "$wanted" ]] || printf '%s\n' "$name"; done
  done <"$IMAGE/packages.tsv"
}

# apt_get COMMAND...: knows the local repository and no other, so nothing comes from elsewhere.
apt_get() {
  apt-get -q -y -o Dir::Etc::SourceList="$SOURCE_LIST" -o Dir::Etc::SourceParts=- "$@" >&2
}

# install_step STEP: what packages.tsv names for it.
install_step() {
  local names
  mapfile -t names < <(packages_of "$1")
  ((${#names[@]} == 0)) || apt_get --no-install-recommends --allow-change-held-packages install "${names[@]}"
}

# in_chroot: no kernel of the image runs, as when the lab makes an image. Then nothing can be loaded, and is not.
in_chroot() { [[ ${SAS_IMAGE_CHROOT:-} == yes ]]; }
