# shellcheck shell=bash disable=SC2034
# What the programs of an image share: what synthesis wrote, messages, files.

BASE=$(dirname "$(readlink -f "$0")")/..
# The programs of the Debian family are others, of the same names.
case $(sed -n 's/^SYSTEM=//p' "$BASE/image.env" 2>/dev/null) in
  debian) exec "$BASE/debian/${0##*/}" "$@" ;;
esac
for part in log wait settings; do
  # shellcheck disable=SC1090
  source "$BASE/host/lib/$part.sh"
done

# The folder of the build. It goes with image-clean.
WORK=$ROOT/var/lib/sas-grid-image

# begin ARGUMENT...: help, or what the image is to be.
begin() {
  [[ ${1:-} != --help ]] || { show_help && exit 0; }
  (($# == 0)) || die "$EXIT_USAGE" "unknown argument $1; see --help"
  [[ -e $BASE/image.env ]] || die "$EXIT_ERROR" "$BASE/image.env is missing: unpack the archive of the image again"
  load_settings "$BASE/image.env"
  KIND=$(setting KIND) KERNEL=$(setting KERNEL '') BACKEND=$(setting BACKEND ldiskfs)
  case $KIND in
    lustre-server | grid-node) ;;
    *) die "$EXIT_ERROR" "KIND is '$KIND' in image.env, which must be lustre-server or grid-node" ;;
  esac
  [[ $(setting SYSTEM) == el ]] ||
    die "$EXIT_ERROR" "SYSTEM is '$(setting SYSTEM)' in image.env, which must be el or debian"
}

# not_below VERSION MINIMUM: 3.10 is not below 3.9.
not_below() {
  [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]
}

# wanted STEP...: prints what packages.tsv wants for these steps, as dnf takes it.
wanted() {
  local step name _
  while IFS=$'\t' read -r step name _ || [[ -n $step ]]; do
    [[ " $* " == *" $step "* ]] || continue
    # The kernel is the exact one, also where only its packages' names are given.
    [[ $step != kernel || $name == *=* || -z $KERNEL || $name != kernel* ]] || name=$name=$KERNEL
    printf '%s\n' "${name/=/-}"
  done <"$BASE/packages.tsv"
}
