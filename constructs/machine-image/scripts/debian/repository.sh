# shellcheck shell=bash
# The local repository: a flat folder of packages with a signed index, which apt trusts for the key of this image only.

KEYRING=$ROOT/etc/apt/keyrings/sas-grid-image.gpg

# index_repository KEYRING_HOME: writes Packages, Release and InRelease.
index_repository() {
  local file
  : >"$REPOSITORY/Packages"
  for file in "$REPOSITORY"/*.deb; do
    dpkg-deb --field "$file"
    printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "${file##*/}" "$(stat -c %s "$file")" "$(sum_of "$file")"
  done >>"$REPOSITORY/Packages"
  {
    printf 'Origin: sas-grid-image\nLabel: sas-grid-image\nSuite: image\nArchitectures: %s\n' "$(dpkg --print-architecture)"
    printf 'Date: %s\nSHA256:\n' "$(date -u '+%a, %d %b %Y %H:%M:%S +0000')"
    printf ' %s %s Packages\n' "$(sum_of "$REPOSITORY/Packages")" "$(stat -c %s "$REPOSITORY/Packages")"
  } >"$REPOSITORY/Release"
  rm -f "$REPOSITORY/InRelease"
  gpg --homedir "$1" --batch --quiet --clearsign --output "$REPOSITORY/InRelease" "$REPOSITORY/Release"
}

# add_repository KEYRING_HOME: apt trusts this repository for this key, and the key for this repository.
add_repository() {
  mkdir -p "${KEYRING%/*}" "${SOURCE_LIST%/*}"
  gpg --homedir "$1" --batch --export >"$KEYRING"
  printf 'deb [signed-by=%s] file:%s ./\n' "$KEYRING" "$REPOSITORY" >"$SOURCE_LIST"
}

sum_of() {
  local sum
  sum=$(sha256sum <"$1")
  printf '%s\n' "${sum%% *}"
}
