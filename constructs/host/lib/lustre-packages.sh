# shellcheck shell=bash
# The Lustre software of a server or a client, of the pinned release, and its kernel modules.

# install_lustre server|client
install_lustre() {
  local url version packages=() name
  BACKEND=$(setting BACKEND ldiskfs)
  case $(setting LUSTRE_SOFTWARE '') in
    repository)
      url=$(setting LUSTRE_REPOSITORY) version=$(setting LUSTRE_VERSION)
      add_repository "$url" "$(setting LUSTRE_KEY "$url/RPM-GPG-KEY")" "$(setting LUSTRE_SUITE ./)"
      for name in $(lustre_packages "$1"); do packages+=("$name=$version*"); done
      install_packages "${packages[@]}"
      ;;
    distribution)
      [[ $DISTRO == amzn ]] || die "$EXIT_ERROR" "'$DISTRO' brings no Lustre"
      install_packages lustre-client
      ;;
  esac
  check_lustre "$1"
}

# add_repository URL KEY SUITE: signed packages only. The suite is Debian's, with its components; ./ is none.
add_repository() {
  local name=sas-grid-lustre
  case $FAMILY in
    rhel)
      printf '[%s]\nname=%s\nbaseurl=%s\nenabled=1\ngpgcheck=1\ngpgkey=%s\n' $name $name "$1" "$2" |
        write_file "$ROOT/etc/yum.repos.d/$name.repo"
      ;;
    debian)
      mkdir -p "$ROOT/etc/apt/keyrings"
      curl -fsS --retry 5 -o "$ROOT/etc/apt/keyrings/$name.asc" "$2"
      printf 'deb [signed-by=/etc/apt/keyrings/%s.asc] %s %s\n' $name "$1" "$3" |
        write_file "$ROOT/etc/apt/sources.list.d/$name.list"
      ;;
  esac
}

# Prints the names of the packages; the distributions name them differently.
lustre_packages() {
  case $FAMILY-$1 in
    rhel-client) echo kmod-lustre-client lustre-client ;;
    rhel-server) echo kmod-lustre "kmod-lustre-osd-$BACKEND" "lustre-osd-$BACKEND-mount" lustre ;;
    debian-*) echo "lustre-$1-modules-$(uname -r)" "lustre-$1-utils" ;;
  esac
}
