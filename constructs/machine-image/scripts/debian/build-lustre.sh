# shellcheck shell=bash disable=SC2154,SC2153,SC2034 # image-source sets what is used here
# Lustre's packages by its own debian/rules, without the module-assistant: that would compile everything once more.

# Build-Depends of debian/control.main, but for what only tests, documents and the module-assistant need.
LUSTRE_NEEDS=(build-essential automake libtool pkg-config debhelper bison flex ed rsync bzip2 python3 swig kmod
  libpython3-dev libreadline-dev libyaml-dev libnl-genl-3-dev libselinux1-dev libssl-dev libmount-dev libkeyutils-dev
  zlib1g-dev)

KERNEL_SOURCE='' KERNEL_BUILD=''
# Debian has modules compiled with what a debugger needs, which takes time, and is stripped here anyway.
export KCFLAGS=-g0

# build WHAT LOG COMMAND: a command with many steps; of one that fails, the end of what the compiler said.
build() {
  local status=0
  # A condition would have steps that fail go on; waiting for it does not.
  (set -e && "$3") >"$2" 2>&1 &
  wait $! || status=$?
  ((status > 0)) || return 0
  tail -n 40 "$2" >&2
  die "$EXIT_ERROR" "$1 cannot be built for $KERNEL; what it says is above; a tree may need patches for this kernel"
}

# find_kernel: the headers of the kernel, which Debian has in two packages.
find_kernel() {
  KERNEL_BUILD=$(readlink -f "$ROOT/lib/modules/$KERNEL/build") KERNEL_SOURCE=$(readlink -f \
    "$ROOT/lib/modules/$KERNEL/source")
  [[ -d $KERNEL_BUILD && -d $KERNEL_SOURCE ]] ||
    die "$EXIT_ERROR" "linux-headers-$KERNEL has no build and source in $ROOT/lib/modules/$KERNEL"
}

# prepare_rules: the version, and that the modules are for one build of ZFS.
prepare_rules() {
  printf 'lustre (%s-%s) unstable; urgency=low\n\n  * Built for %s\n\n -- cdk-sas-grid <nobody@localhost>  %s\n' \
    "$VERSION" "$REVISION" "$KERNEL" "$(date -R)" >"$TREE/debian/changelog"
  # The rules copy what is called so, and end where there is nothing; and they join two files without a line between.
  touch "$TREE/debian/lustre-server-modules-_KVERS_.dirs"
  echo >>"$TREE/debian/control.main"
  # They name the libraries of the tools themselves, but for one.
  sed -i 's/^Depends: .*libnl-genl-3-200.*/&, libreadline8/' "$TREE/debian/control.main"
  sed -i "s/^Recommends: linux-image, lustre-server-utils/Depends: zfs-modules-_KVERS_ (= $ZFS_VERSION)\n&/" \
    "$TREE/debian/control.modules.in"
  cp "$TREE/debian/control.main" "$TREE/debian/control"
}

# rules TARGET...
rules() {
  DEB_BUILD_PROFILES='server zfs notests noiokit nompi nogss' KVER=$KERNEL KERNEL_SRC=$KERNEL_SOURCE \
    KERNEL_OBJ=$KERNEL_BUILD ZFS_SRC=$ZFS_TREE SPL_SRC=$ZFS_TREE \
    EXTRA_OPTIONS='--with-systemdsystemunitdir=no --with-o2ib=no --disable-doc' \
    make -f debian/rules USE_MA=false PMAKEARGS="-j $JOBS" "$@"
}

compile_lustre() {
  cd "$TREE" || return
  prepare_rules
  bash autogen.sh
  rules build-stamp
  find debian/tmp/lib/modules -name '*.ko' -exec strip --strip-debug {} +
  rules binary-lustre-server-utils binary-lustre-server-modules
}

build_lustre() {
  log "building Lustre $VERSION-$REVISION for $KERNEL"
  build Lustre "$SOURCE/log" compile_lustre
  mv "${TREE%/*}"/lustre-server-{modules,utils}*.deb "$BUILT/"
}
