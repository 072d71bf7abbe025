# shellcheck shell=bash
# Settings: those of a role, KEY=value lines that are read, never executed, and those of the host, which are written.

declare -gA SETTINGS=()

# Where EBS volumes have an identity, the firmware tells the instance's, too. What else it says there may change with the hardware.
INSTANCE=$(grep -xE 'i-[0-9a-f]+' "$ROOT/sys/class/dmi/id/board_asset_tag" 2>/dev/null || true)
INSTALLED=$ROOT/etc/sas-grid/installed

# load_settings FILE: reads the file, when there is one, into SETTINGS.
load_settings() {
  local key value
  [[ -e $1 ]] || return 0
  while IFS='=' read -r key value || [[ -n $key ]]; do
    [[ ! $key =~ ^[A-Z][A-Z0-9_]*$ ]] || SETTINGS[$key]=$value
  done <"$1"
}

# load_role ROLE: the settings of a role; an error when the host has not the role.
load_role() {
  local file=$ROOT/etc/sas-grid/$1.env
  [[ -e $file ]] || die "$EXIT_ERROR" "$file is missing: this host has not the role $1"
  SETTINGS=()
  load_settings "$file"
}

# setting KEY [DEFAULT]: prints a setting; without a default a missing one is an error.
setting() {
  if [[ -n ${SETTINGS[$1]:-} ]]; then
    printf '%s\n' "${SETTINGS[$1]}"
  elif (($# > 1)); then
    printf '%s\n' "$2"
  else
    die "$EXIT_ERROR" "the setting $1 is missing"
  fi
}

# write_file PATH [MODE]: standard input becomes the file, all of it or nothing, also after a power failure.
write_file() {
  local temporary
  # Under a condition the shell goes on after an error, so each step asks for the one before.
  { [[ -d ${1%/*} ]] || mkdir -p "${1%/*}"; } && temporary=$(mktemp "$1.XXXXXX") || return
  { cat >"$temporary" && chmod "${2:-644}" "$temporary" && sync "$temporary" && mv -f "$temporary" "$1"; } ||
    { rm -f "$temporary" && return 1; }
  relabel "$1"
  sync "${1%/*}"
}

# changed FILE: standard input becomes the file; fails when it is so already: what is so need not be written, also when the disk is full.
changed() {
  local text
  text=$(cat)
  [[ ! -e $1 || $text != "$(<"$1")" ]] || return 1
  write_file "$1" <<<"$text" || die "$EXIT_ERROR" "cannot write $1"
}

# relabel PATH...: gives what is new there the label that SELinux expects, where SELinux is.
relabel() {
  ! type -P restorecon >/dev/null || restorecon -R "$@" >&2
}

# mark_installed ROLE...: the installation has ended.
mark_installed() {
  printf 'ROLES=%s\nINSTANCE=%s\n' "$*" "$INSTANCE" | write_file "$INSTALLED"
}

# installed: whether it has ended on this instance. An image that was made of a server brings that server's mark, with its programs and settings.
installed() {
  grep -qsxF "INSTANCE=$INSTANCE" "$INSTALLED"
}
