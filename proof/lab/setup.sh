#!/usr/bin/env bash
# Usage: proof/lab/setup.sh
#
# Installs what the lab needs on this host: QEMU, mmdebstrap, iproute2, zstd, the keys of Debian's archive. Does nothing
# when all is there.
#
# Exit codes: 0 all is there; 69 something is missing and cannot be installed here (what it is, and what to type, is
# printed).
set -euo pipefail

# A tool and the Debian package that has it.
TOOLS=(
  qemu-system-x86_64=qemu-system-x86
  qemu-img=qemu-utils
  mmdebstrap=mmdebstrap
  mke2fs=e2fsprogs
  ip=iproute2
  nft=nftables
  zstd=zstd
)
readonly UNAVAILABLE=69

if [[ ${1:-} == --help ]]; then
  sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p;}' "$0"
  exit 0
fi

missing=()
for entry in "${TOOLS[@]}"; do
  command -v "${entry%=*}" >/dev/null || missing+=("${entry#*=}")
done
((${#missing[@]} > 0)) || exit 0

if [[ $(id -u) -ne 0 ]]; then
  echo "the lab cannot run here: it must be root, and needs: ${missing[*]}; try: sudo make lab" >&2
  exit "$UNAVAILABLE"
fi
if ! command -v apt-get >/dev/null; then
  echo "the lab cannot run here: install ${missing[*]} (names of Debian's packages)" >&2
  exit "$UNAVAILABLE"
fi
echo "installing for the lab: ${missing[*]}"
if ! { apt-get update -qq &&
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; }; then
  echo "the lab cannot run here: apt-get could not install ${missing[*]}" >&2
  exit "$UNAVAILABLE"
fi
