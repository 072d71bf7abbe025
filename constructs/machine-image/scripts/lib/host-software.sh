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
