#!/usr/bin/env bash
# Usage: scripts/image-tools.sh
#
# Installs what the tests of images of the RHEL family need on this machine: dnf with its plugins, rpm, createrepo_c,
# gpg. Does nothing when all is there.
#
# Exit codes: 0 all is there; 69 something is missing and cannot be installed here (the last line says what to type).
set -euo pipefail

# A tool and the Debian package that has it.
TOOLS=(dnf=dnf rpm=rpm rpmbuild=rpm rpmsign=rpm createrepo_c=createrepo-c gpg=gnupg gpgv=gpgv curl=curl)
readonly UNAVAILABLE=69

if [[ ${1:-} == --help ]]; then
  sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p;}' "$0"
  exit 0
fi

missing=()
for entry in "${TOOLS[@]}"; do
  command -v "${entry%=*}" >/dev/null || missing+=("${entry#*=}")
done
{ command -v dnf && dnf download --help; } &>/dev/null || missing+=(dnf-plugins-core)
((${#missing[@]} > 0)) || exit 0

if [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
  echo "installing for the tests of images: ${missing[*]}"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    -o DPkg::Lock::Timeout=120 --no-install-recommends "${missing[@]}" >/dev/null && exit 0
fi
echo "not all is there; as root: apt-get install ${missing[*]}" >&2
exit "$UNAVAILABLE"
