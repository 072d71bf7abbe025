# shellcheck shell=bash disable=SC2034 # others use these
# The RHEL family: dnf, from the repository of this build alone.

MIRROR_NAME=sas-grid-mirror
REPOSITORY_FILE=$ROOT/etc/yum.repos.d/$MIRROR_NAME.repo
KEYS=$ROOT/etc/pki/rpm-gpg
OUR_KEY=$KEYS/RPM-GPG-KEY-$MIRROR_NAME

# call_dnf ARGUMENT...: the minor release is the image's, also where the distribution has a newer one by now. The plugin
# local would keep what was downloaded as another repository, which nobody compares.
call_dnf() {
  dnf -y -q ${ROOT:+--installroot="$ROOT"} --releasever="$(setting RELEASE)" --disableplugin=local \
    --setopt=install_weak_deps=False "$@"
}

run_dnf() {
  call_dnf "$@" >&2
}

# from_mirror ARGUMENT...
from_mirror() {
  run_dnf --disablerepo='*' --enablerepo=$MIRROR_NAME --disableexcludes=main "$@"
}

query_rpm() {
  rpm ${ROOT:+--root="$ROOT"} -q "$@"
}

# install_step STEP: what packages.tsv wants for it.
install_step() {
  local packages
  mapfile -t packages < <(wanted "$1")
  if ((${#packages[@]} == 0)); then
    log "packages.tsv wants nothing for the step $1"
    return
  fi
  from_mirror install "${packages[@]}" ||
    die "$EXIT_ERROR" "dnf cannot install ${packages[*]} from the mirror; what it says is above;" \
      'run image-packages again'
  log "installed for the step $1: ${packages[*]}"
}

# agent_version: prints the version of the agent of Systems Manager that is installed, or nothing.
agent_version() {
  ! query_rpm amazon-ssm-agent &>/dev/null || query_rpm --qf '%{VERSION}\n' amazon-ssm-agent
}

# agent_is_right: whether one is installed that is new enough.
agent_is_right() {
  local found
  found=$(agent_version)
  [[ -n $found && $found != *' '* ]] && not_below "$found" "$(setting AGENT_MINIMUM 0)"
}
