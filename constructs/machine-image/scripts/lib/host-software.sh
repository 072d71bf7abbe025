# shellcheck shell=bash disable=SC2034 # others read FOUND
# The host software and its name, which is the SHA-256 over all of its files.

# software_files FOLDER: prints the paths, in the order that counts.
software_files() {
  (cd "$1" && find bin lib systemd sysctl ! -type d ! -name '*.pyc' | LC_ALL=C sort)
}

# software_sum FOLDER: of a line with the path and a line with the file's SHA-256, for each file.
software_sum() {
  local file
  software_files "$1" | while read -r file; do
    printf '%s\n' "$file"
    sha256sum <"$1/$file" | cut -d' ' -f1
  done | sha256sum | cut -d' ' -f1
}

# verify_software FOLDER SUM: sets FOUND.
verify_software() {
  FOUND=$(software_sum "$1")
  [[ $FOUND == "$2" ]]
}

# Another release may lie there already: hosts that were deployed with it use this image, too.
bring_software() {
  local sum target file
  sum=$(setting HOST_SOFTWARE) target=$ROOT/usr/share/cdk-sas-grid/$sum
  verify_software "$BASE/host" "$sum" || die "$EXIT_REFUSED" "the host software in the archive is $FOUND, but" \
    "image.env names $sum; synthesize and deploy the images again"
  rm -rf "$target"
  while read -r file; do
    mkdir -p "$target/${file%/*}"
    cp "$BASE/host/$file" "$target/$file"
  done < <(software_files "$BASE/host")
  chmod -R u=rwX,go=rX "$target"
  chmod 755 "$target"/bin/*
  verify_software "$target" "$sum" ||
    die "$EXIT_ERROR" "the copy in $target is not whole; look whether the disk is full"
  relabel "$target"
  log "the host software is in ${target#"$ROOT"}"
}
