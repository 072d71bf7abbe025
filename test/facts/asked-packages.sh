#!/bin/bash
# Usage: asked-packages.sh HOST_FILES OS_RELEASE...
#
# Prints what each role asks of a system's own repositories, by the hosts' own functions: OS_RELEASE ROLE PACKAGE. The
# package manager is a stand-in, and has none of them yet. Where a role is refused: OS_RELEASE ROLE refused.
set -euo pipefail

base=$1
shift

# settings_of ROLE: with all that asks for more packages.
settings_of() {
  case $1 in
    lustre-mgs) echo MONITORING=true ;;
    lustre-client) echo LUSTRE_SOFTWARE=distribution ;;
    gfs2-node) echo FENCE=ec2+nvme ;;
  esac
}

# shellcheck disable=SC2218,SC2329 # stand-ins for what the sourced functions call
ask() {
  local role
  for part in log wait settings distro lustre lustre-packages gfs2-packages; do
    # shellcheck disable=SC1090
    source "$base/lib/$part.sh"
  done
  # shellcheck disable=SC1090
  source <(sed -n '/^install_role() {/,/^}/p' "$base/bin/sas-grid-bootstrap")
  # shellcheck disable=SC2034 # install_role's
  BASE=$base
  install_packages() { for spec in "$@"; do echo "$release $role $spec"; done; }
  dnf() { :; }
  modprobe() { return 1; }
  uname() { echo KERNEL; }
  check_lustre() { :; }
  # What install_role reads again must not take the stand-ins away.
  source() { :; }
  for role in lustre-mgs lustre-mds lustre-oss lustre-client nfs-server nfs-client local-volumes shared-volumes \
    gfs2-node scratch grid-node; do
    settings_of "$role" >"$SAS_GRID_ROOT/etc/sas-grid/$role.env"
    (install_role "$role") 2>/dev/null || echo "$release $role refused"
  done
}

for file in "$@"; do
  release=${file##*/}
  SAS_GRID_ROOT=$(mktemp -d)
  export SAS_GRID_ROOT
  mkdir -p "$SAS_GRID_ROOT/etc/sas-grid"
  cp "$file" "$SAS_GRID_ROOT/etc/os-release"
  (ask)
  rm -r "$SAS_GRID_ROOT"
done
