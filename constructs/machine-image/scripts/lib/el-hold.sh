# shellcheck shell=bash disable=SC2153 # KIND is of image.sh
# Kernel and Lustre stay as they are: dnf.conf excludes them. The plugin versionlock would be another package that has
# to be there, knows only packages that are installed, and unlocks without a word when it is removed.

# held: prints the patterns. Lustre's e2fsprogs are newer than the distribution's, and others on a client.
held() {
  printf '%s\n' 'kernel*' 'kmod-lustre*' 'lustre*'
  [[ $KIND == lustre-server ]] || return 0
  case $BACKEND in
    zfs) printf '%s\n' 'kmod-zfs*' 'zfs*' 'libzfs*' 'libzpool*' 'libnvpair*' 'libuutil*' ;;
    *) printf '%s\n' 'e2fsprogs*' 'libcom_err*' 'libss' ;;
  esac
}

# hold_versions: adds the patterns to what dnf.conf excludes already, once.
hold_versions() {
  local file=$ROOT/etc/dnf/dnf.conf patterns
  patterns=$(held | paste -sd' ')
  awk -v ours="$patterns" '
    function joined(line,   n, i, all, words) {
      n = split(ours, words, " ")
      for (i = 1; i <= n; i++) if (index(" " line " ", " " words[i] " ") == 0) line = line " " words[i]
      sub(/^ /, "", line)
      return line
    }
    /^\[/ { if (main && !done) { print "excludepkgs=" joined(""); done = 1 }; main = ($0 == "[main]") }
    main && /^(exclude|excludepkgs)[ \t]*=/ && !done {
      line = $0; sub(/^[^=]*=[ \t]*/, "", line); gsub(/,/, " ", line); gsub(/ +/, " ", line)
      print "excludepkgs=" joined(line); done = 1; next
    }
    { print }
    END { if (!done) { if (!main) print "[main]"; print "excludepkgs=" joined("") } }
  ' "$file" | write_file "$file"
  log "dnf updates none of these: $patterns (for once: dnf --disableexcludes=main)"
}
