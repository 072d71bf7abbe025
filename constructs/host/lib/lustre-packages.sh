# shellcheck shell=bash
# The Lustre software of a server or a client, of the pinned release, and its kernel modules.

# install_lustre server|client
install_lustre() {
  local repository version packages=() name
  BACKEND=$(setting BACKEND ldiskfs)
  case $(setting LUSTRE_SOFTWARE '') in
    repository)
      repository=$(setting LUSTRE_REPOSITORY) version=$(setting LUSTRE_VERSION)
      add_repository sas-grid-lustre "$repository"
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

# Prints the names of the packages; the distributions name them differently.
lustre_packages() {
  case $FAMILY-$1-$BACKEND in
    rhel-client-*) echo kmod-lustre-client lustre-client ;;
    rhel-server-*) echo kmod-lustre "kmod-lustre-osd-$BACKEND" "lustre-osd-$BACKEND-mount" lustre ;;
    debian-client-*) echo "lustre-client-modules-$(uname -r)" lustre-client-utils ;;
    debian-server-*) echo "lustre-server-modules-$(uname -r)" lustre-server-utils ;;
  esac
}
