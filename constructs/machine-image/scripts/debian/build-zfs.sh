# shellcheck shell=bash disable=SC2154,SC2153,SC2034 # image-source sets what is used here
# The modules of ZFS for one kernel, as a package: Debian has their source, and would have each host compile it.

# The source of the modules; the headers of the libraries that Lustre's tools load are in the second.
ZFS_NEEDS=(dpkg-dev libzfslinux-dev)

compile_zfs() {
  cd "$ZFS_TREE" || return
  ./configure --quiet --prefix=/usr --with-config=kernel --with-linux="$KERNEL_SOURCE" --with-linux-obj="$KERNEL_BUILD"
  make --silent -j "$JOBS"
  # Lustre's configure looks for it there.
  cp module/Module.symvers .
  make --silent -C module INSTALL_MOD_PATH="$SOURCE/zfs/package" INSTALL_MOD_STRIP=1 modules_install
}

# build_zfs: sets ZFS_TREE and ZFS_VERSION, the version of the package.
build_zfs() {
  local folder=$SOURCE/zfs source
  mkdir -p "$folder/package"
  # apt verifies it; it is not installed, for then dkms would compile it for other kernels, too.
  (cd "$folder" && apt-get -q download zfs-dkms >&2) ||
    die "$EXIT_ERROR" 'apt-get has no zfs-dkms: the apt sources must have the section contrib'
  source=$(find "$folder" -maxdepth 1 -name 'zfs-dkms_*.deb')
  ZFS_VERSION=$(dpkg-deb --field "$source" Version)+src${SUM:0:8}
  dpkg-deb --extract "$source" "$folder"
  ZFS_TREE=$(find "$folder/usr/src" -maxdepth 1 -name 'zfs-*')
  log "building the modules of ZFS $ZFS_VERSION for $KERNEL"
  build ZFS "$folder/log" compile_zfs
  package_zfs "$folder/package"
}

# package_zfs FOLDER: the modules, and what makes modprobe find them.
package_zfs() {
  mkdir -p "$1/DEBIAN"
  printf '%s\n' "Package: zfs-modules-$KERNEL" "Version: $ZFS_VERSION" 'Provides: zfs-modules' \
    "Architecture: $(dpkg --print-architecture)" 'Maintainer: cdk-sas-grid <nobody@localhost>' \
    "Depends: linux-image-$KERNEL" "Description: modules of ZFS for the kernel $KERNEL" >"$1/DEBIAN/control"
  printf '#!/bin/sh\nset -e\ndepmod %s\n' "$KERNEL" >"$1/DEBIAN/postinst"
  chmod 755 "$1/DEBIAN/postinst"
  dpkg-deb --root-owner-group --build "$1" "$BUILT" >&2
}
