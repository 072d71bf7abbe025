# shellcheck shell=bash
# The repository of this build: a folder of packages, and an index in repodata/ that the image's key signs.

# index FOLDER: writes Packages, Release and InRelease. The packages' own names lead from the folder.
index() {
  local file data=$1/repodata
  rm -rf "$data"
  mkdir -p "$data"
  for file in "$1"/*.deb; do
    [[ -e $file ]] || continue
    dpkg-deb --field "$file"
    printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "${file##*/}" "$(stat -c %s "$file")" "$(sum_of "$file")"
  done >"$data/Packages"
  {
    printf '%s\n' 'Origin: cdk-sas-grid' 'Suite: image' "Architectures: $(dpkg --print-architecture)" \
      "Date: $(date -u '+%a, %d %b %Y %H:%M:%S +0000')" 'SHA256:'
    printf ' %s %s Packages\n' "$(sum_of "$data/Packages")" "$(stat -c %s "$data/Packages")"
  } >"$data/Release"
  quiet_gpg --local-user "$KEY" --clearsign --output "$data/InRelease" "$data/Release"
}

# add_repository FOLDER FILE: apt trusts it for this key, and the key for it alone.
add_repository() {
  export_key "$KEYRING"
  printf 'deb [signed-by=%s] file:%s repodata/\n' "$KEYRING" "$1" | write_file "$2"
}

sum_of() {
  local sum
  sum=$(sha256sum <"$1")
  printf '%s\n' "${sum%% *}"
}

# throwaway_key: for an image that nobody keeps.
throwaway_key() {
  GNUPGHOME=$(mktemp -d) KEY=lab@localhost
  export GNUPGHOME
  trap 'gpgconf --kill gpg-agent; rm -rf "$GNUPGHOME"' EXIT
  quiet_gpg --quick-generate-key "$KEY" rsa3072 sign never
}
