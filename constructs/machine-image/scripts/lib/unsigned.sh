# shellcheck shell=bash disable=SC2154 # the programs set what is used here
# Hosts whose kernel would load no module of Lustre, since nobody signs it.

# The last of the variable's bytes is its value; four attributes come before.
secure_boot() {
  local file=$ROOT/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
  [[ -e $file && $(od -An -tu1 -j4 -N1 "$file") -eq 1 ]]
}

fips() {
  grep -qsx 1 "$ROOT/proc/sys/crypto/fips_enabled" || grep -qswF fips=1 "$ROOT/proc/cmdline"
}

require_unsigned_modules() {
  ! secure_boot || die "$EXIT_REFUSED" 'Secure Boot is on, and the kernel would load no module of Lustre, which' \
    'nobody signed for it; use a base image and an instance type without UEFI Secure Boot'
  ! fips || die "$EXIT_REFUSED" 'FIPS mode is on, and the kernel would load no module of Lustre, which nobody signed' \
    'for it; use a base image without FIPS mode'
}
