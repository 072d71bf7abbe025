# shellcheck shell=bash
# The software of a GFS2 cluster's node.

# The modules dlm and gfs2 are not in Ubuntu's basic kernel package. Also after the kernel was updated.
modules_of_kernel() {
  [[ $DISTRO != ubuntu ]] || modprobe -n -q gfs2 || install_packages "linux-modules-extra-$(uname -r)"
}

install_gfs2() {
  local repository packages
  case $FAMILY-$DISTRO-$MAJOR in
    rhel-amzn-* | rhel-*-1[0-9])
      die "$EXIT_ERROR" "'$DISTRO' $MAJOR has no GFS2: Amazon Linux never had it and RHEL 10 removed it; use RHEL 8/9 or Debian/Ubuntu"
      ;;
    rhel-*)
      # High availability and resilient storage, which are off by default; each distribution names them differently.
      install_packages dnf-plugins-core
      for repository in $(dnf -q repolist --all | sed -nE 's/^(([^ ]*-)?(ha|high-?availability|resilient-?storage)(-rpms|-rhui-rpms)?) .*/\1/p'); do
        dnf -q config-manager --set-enabled "$repository" >&2
      done
      packages='fence-agents-aws dlm'
      ;;
    *)
      modules_of_kernel
      # Ubuntu's agents do not ask for boto3.
      packages='fence-agents dlm-controld pacemaker-cli-utils python3-boto3'
      ;;
  esac
  [[ $(setting FENCE '') != *nvme* ]] || packages+=' nvme-cli'
  # shellcheck disable=SC2086
  install_packages corosync pacemaker resource-agents lvm2-lockd gfs2-utils $packages
}
