# shellcheck shell=bash
# All that differs between the RHEL family and the Debian family.

# Sets FAMILY (rhel or debian), DISTRO (its own name) and MAJOR (version).
read_distro() {
  local like='' key value
  FAMILY='' DISTRO='' MAJOR=''
  while IFS='=' read -r key value || [[ -n $key ]]; do
    value=${value//\"/}
    case $key in
      ID) DISTRO=$value ;;
      ID_LIKE) like=$value ;;
      VERSION_ID) MAJOR=${value%%.*} ;;
    esac
  done <"$ROOT/etc/os-release"
  case " $DISTRO $like " in
    *' rhel '* | *' fedora '*) FAMILY=rhel ;;
    *' debian '* | *' ubuntu '*) FAMILY=debian ;;
  esac
  # Before RHEL 8 there is no dnf, and systemd is too old.
  [[ -n $FAMILY && $FAMILY-$MAJOR != rhel-[2-7] ]] ||
    die "$EXIT_ERROR" "the distribution '$DISTRO'${MAJOR:+ $MAJOR} is not supported; use RHEL 8/9, Debian or Ubuntu"
}

read_distro

# packages_of ROLE: prints what the loaded role needs; for Lustre and GFS2 see lustre- and gfs2-packages.sh.
packages_of() {
  case $1-$FAMILY in
    scratch-*) if [[ $(setting FILE_SYSTEM xfs) == xfs ]]; then echo mdadm xfsprogs; else echo mdadm; fi ;;
    # Amazon Linux 2023 has none: sas-grid-node sets there what its profile would.
    grid-node-*) [[ $DISTRO == amzn ]] || echo tuned ;;
    lustre-mgs-*) if [[ $(setting MONITORING false) == true ]]; then echo nginx; fi ;;
    local-volumes-*) echo lvm2 xfsprogs ;;
    nfs-client-rhel) echo nfs-utils ;;
    nfs-client-debian) echo nfs-common ;;
    nfs-server-rhel) echo nfs-utils lvm2 e2fsprogs xfsprogs ;;
    nfs-server-debian) echo nfs-kernel-server lvm2 e2fsprogs xfsprogs ;;
  esac
}

# package_installed NAME
package_installed() {
  case $FAMILY in
    rhel) rpm -q --quiet "$1" ;;
    debian) [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == 'install ok installed' ]] ;;
  esac
}

# install_packages SPEC...: each a name or name=version; those that are there are left alone. Retried for five minutes,
# since a mirror or the network can be late at first boot.
install_packages() {
  local spec missing=()
  for spec in "$@"; do
    package_installed "${spec%%=*}" || missing+=("$spec")
  done
  ((${#missing[@]} == 0)) || SAS_GRID_POLL=${SAS_GRID_POLL:-10} wait_until "${SAS_GRID_WAIT:-300}" try_install "${missing[@]}" ||
    die "$EXIT_ERROR" "cannot install ${missing[*]}"
}

# mdadm recommends a mail server. An installation that was interrupted has to be ended first.
try_install() {
  log "installing $*"
  case $FAMILY in
    rhel) dnf -y -q install "${@/=/-}" >&2 ;;
    debian)
      export DEBIAN_FRONTEND=noninteractive
      dpkg --configure -a >&2 && apt-get -q update >&2 && apt-get -y -q --no-install-recommends install "$@" >&2
      ;;
  esac
}

# Prints what the instance metadata service says under a path (version 2: a token first). A proxy is for the way out, never for it.
metadata() {
  local base=http://169.254.169.254/latest token
  token=$(curl -fsS --noproxy '*' --max-time 5 --retry 3 -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' "$base/api/token") || return
  curl -fsS --noproxy '*' --max-time 5 --retry 3 -H "X-aws-ec2-metadata-token: $token" "$base/meta-data/$1"
}

# The agent through which the host is told what to serve. Amazon's and Ubuntu's images have it; the others get it from
# the region's bucket ("Manually installing SSM Agent on EC2 instances for Linux"). A key in
# /etc/sas-grid/ssm-agent.asc makes the package's signature count too, since the published key changes over time.
ensure_ssm_agent() {
  local unit kind=rpm arch=amd64 system=linux put='rpm -U --quiet' region package url
  for unit in amazon-ssm-agent snap.amazon-ssm-agent.amazon-ssm-agent; do
    if systemctl cat "$unit.service" >/dev/null 2>&1; then
      systemctl --no-reload enable --now "$unit.service" >&2
      return
    fi
  done
  [[ $FAMILY == rhel ]] || kind=deb system=debian put='dpkg -i'
  [[ $(uname -m) == x86_64 ]] || arch=arm64
  region=$(metadata placement/region)
  # One place: an installation that begins again for a day must not fill the disk.
  # shellcheck disable=SC2153 # sas-grid-bootstrap's
  package=$BASE/amazon-ssm-agent.$kind
  url=https://s3.$region.$(metadata services/domain)/amazon-ssm-$region/latest/${system}_$arch/${package##*/}
  # The way to the internet may be up later than this host, and another installation may hold the lock.
  wait_until 300 curl -fsS --max-time 120 -o "$package" "$url"
  if [[ -e $ROOT/etc/sas-grid/ssm-agent.asc ]]; then
    curl -fsS --retry 5 -o "$package.sig" "$url.sig"
    gpg --batch --yes --dearmor -o "$package.gpg" "$ROOT/etc/sas-grid/ssm-agent.asc"
    gpgv --keyring "$package.gpg" "$package.sig" "$package" >&2
  fi
  # shellcheck disable=SC2086
  wait_until 300 $put "$package" >&2
  rm -f "$package"*
  systemctl enable --now amazon-ssm-agent.service >&2
}
