#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154,SC2312 # stubs are written as text; bats sets status and output
# A tree of Lustre's source becomes packages for one kernel: what is refused, and what the build leaves. tar and
# dpkg-deb are real; apt, make and the compiler are not.

bats_require_minimum_version 1.5.0

REPOSITORY=${BATS_TEST_DIRNAME%/test/host}
K=6.1.0-56-amd64

# A tree with what is asked of it, and the source of ZFS as Debian has it.
setup_file() {
  local tree=$BATS_FILE_TMPDIR/tree/lustre-2.17.0 zfs=$BATS_FILE_TMPDIR/zfs
  mkdir -p "$tree/debian" "$zfs/DEBIAN" "$zfs/usr/src/zfs-2.1.11"
  printf '#!/bin/sh\necho 2.17.0\n' >"$tree/LUSTRE-VERSION-GEN"
  printf 'Package: x\nArchitecture: i386 amd64 arm64\n' >"$tree/debian/control.main"
  printf 'Package: m\nRecommends: linux-image, lustre-server-utils\n' >"$tree/debian/control.modules.in"
  printf '#!/usr/bin/make -f\n' >"$tree/debian/rules"
  echo : >"$tree/autogen.sh"
  chmod +x "$tree/LUSTRE-VERSION-GEN" "$tree/debian/rules"
  tar -C "$BATS_FILE_TMPDIR/tree" -czf "$BATS_FILE_TMPDIR/lustre.tar.gz" lustre-2.17.0
  printf '#!/bin/sh\nexit 0\n' >"$zfs/usr/src/zfs-2.1.11/configure"
  chmod +x "$zfs/usr/src/zfs-2.1.11/configure"
  control zfs-dkms 2.1.11-1 >"$zfs/DEBIAN/control"
  dpkg-deb --root-owner-group --build "$zfs" "$BATS_FILE_TMPDIR/zfs-dkms.deb"
  mkdir -p "$BATS_FILE_TMPDIR/lustre/DEBIAN"
  control lustre-server-utils 2.17.0-1 >"$BATS_FILE_TMPDIR/lustre/DEBIAN/control"
  dpkg-deb --root-owner-group --build "$BATS_FILE_TMPDIR/lustre" "$BATS_FILE_TMPDIR/made.deb"
}

control() {
  printf '%s\n' "Package: $1" "Version: $2" 'Architecture: amd64' 'Maintainer: x <x@localhost>' 'Description: nothing'
}

setup() {
  export SAS_GRID_ROOT=$BATS_TEST_TMPDIR/root CALLS=$BATS_TEST_TMPDIR/calls STUBS=$BATS_TEST_TMPDIR/stubs
  export SAS_IMAGE_CHROOT=yes SAS_IMAGE_JOBS=1 FILES=$BATS_FILE_TMPDIR BEFORE=$BATS_TEST_TMPDIR/before
  export SAS_IMAGE_SOURCE=$BATS_TEST_TMPDIR/lustre.tar.gz
  ROOT=$SAS_GRID_ROOT BASE=$BATS_TEST_TMPDIR/base
  export WORK=$ROOT/var/lib/sas-grid-image
  mkdir -p "$ROOT/lib/modules/$K"/{build,source} "$ROOT/etc/apt/sources.list.d" "$WORK" "$BASE" "$STUBS"
  cp "$FILES/lustre.tar.gz" "$SAS_IMAGE_SOURCE"
  cp -r "$REPOSITORY"/constructs/machine-image/scripts/{debian,lib} "$BASE/"
  ln -s "$REPOSITORY/constructs/host" "$BASE/host"
  SUM=$(sha256sum <"$SAS_IMAGE_SOURCE")
  SUM=${SUM%% *}
  printf '%s\n' SYSTEM=debian KIND=lustre-server BACKEND=zfs "KERNEL=$K" LUSTRE_VERSION=2.17.0 \
    "SOURCE_SHA256=$SUM" >"$BASE/image.env"
  : >"$CALLS"
  PATH=$STUBS:$PATH
  stub apt-get 'case $* in
    *download*) cp "$FILES/zfs-dkms.deb" zfs-dkms_2.1.11-1_all.deb ;;
    *install*) [[ ! -e $FILES/no-headers ]] && touch "$BEFORE" ;;
    *purge*) rm "$BEFORE" ;; esac'
  stub dpkg-query 'echo "ii  bash:amd64"; [[ ! -e $BEFORE ]] || echo "ii  gcc:amd64"'
  stub make 'case $* in
    *build-stamp*) [[ -z ${BROKEN:-} ]] || { echo "error: no member named folio" && exit 2; }
      mkdir -p debian/tmp/lib/modules ;;
    *binary-*) for name in "lustre-server-modules-6.1.0-56-amd64" lustre-server-utils; do
      cp "$FILES/made.deb" "../${name}_$(sed -n "s/^lustre (\(.*\)).*/\1/p" debian/changelog)_amd64.deb"; done
      cp debian/changelog debian/control debian/control.modules.in "$FILES/" ;;
    "--silent -j 1") mkdir -p module && touch module/Module.symvers ;;
    *modules_install*) [[ -e Module.symvers ]] || exit 1
      mkdir -p "$(sed "s/.*INSTALL_MOD_PATH=\([^ ]*\).*/\1/" <<<"$*")/lib/modules/x" ;; esac'
}

stub() {
  printf '#!/bin/bash\nprintf "%%s\\n" "%s $*" >>"$CALLS"\n%s\n' "$1" "${2:-}" >"$STUBS/$1"
  chmod +x "$STUBS/$1"
}

build() {
  run -"${1:-0}" "$BASE/debian/image-source"
}

says() {
  [[ $output == *"$1"* ]] || { printf 'not said: %s\nbut: %s\n' "$1" "$output" && false; }
}

called() {
  grep -q -- "$1" "$CALLS" || { printf 'not called: %s\n' "$1" && cat "$CALLS" && false; }
}

set_to() {
  sed -i "s/^$1=.*/$1=$2/" "$BASE/image.env"
}

# Nothing was installed, and nothing is there that somebody could take for packages.
nothing_done() {
  run ! grep install "$CALLS"
  [[ ! -e $WORK/built/SHA256SUMS ]]
}

@test "packages of Lustre and of ZFS, whose versions name the tree, are a source with its sums" {
  build
  local tag=1+src${SUM:0:8}
  (cd "$WORK/built" && sha256sum --check SHA256SUMS)
  [[ -e $WORK/built/lustre-server-modules-${K}_2.17.0-${tag}_amd64.deb ]]
  [[ -e $WORK/built/lustre-server-utils_2.17.0-${tag}_amd64.deb ]]
  [[ $(dpkg-deb --field "$WORK/built/zfs-modules-${K}_2.1.11-1+src${SUM:0:8}_amd64.deb" Depends) == "linux-image-$K" ]]
}

@test "modules of Lustre want the ZFS of the same build, and no other" {
  build
  grep -qx "Depends: zfs-modules-_KVERS_ (= 2.1.11-1+src${SUM:0:8})" "$FILES/control.modules.in"
}

@test "Debian's headers are those of the kernel, and what was installed for the build is removed" {
  build
  called "install linux-headers-$K "
  called 'purge gcc:amd64$'
  [[ ! -e $WORK/source && ! -e $WORK/before-source ]]
}

@test "what is built is not built again" {
  build
  : >"$CALLS"
  build
  says 'the packages are built'
  run ! grep -E 'make|apt-get' "$CALLS"
}

@test "the section of ZFS is asked for, once, where the image names sources without it" {
  printf 'Types: deb\nComponents: main\n' >"$ROOT/etc/apt/sources.list.d/debian.sources"
  printf 'deb http://x bookworm main\n' >"$ROOT/etc/apt/sources.list"
  build
  grep -qx 'Components: main contrib' "$ROOT/etc/apt/sources.list.d/debian.sources"
  grep -qx 'deb http://x bookworm main contrib' "$ROOT/etc/apt/sources.list"
  rm "$WORK/built/SHA256SUMS"
  build
  grep -qx 'Components: main contrib' "$ROOT/etc/apt/sources.list.d/debian.sources"
}

@test "an archive that is not the one of the template is refused before anything is installed" {
  echo more >>"$SAS_IMAGE_SOURCE"
  build 4
  says "but image.env names $SUM"
  nothing_done
}

@test "no archive, no sum, and another backend or kind are refused, and what to name is said" {
  SAS_IMAGE_SOURCE='' build 1
  says "SAS_IMAGE_SOURCE is '': name the archive"
  set_to SOURCE_SHA256 ''
  build 4
  says 'names no SOURCE_SHA256'
  set_to BACKEND ldiskfs
  build 4
  says 'BACKEND=ldiskfs: this builds servers with ZFS only'
  set_to BACKEND zfs
  set_to KIND grid-node
  build 4
  nothing_done
}

@test "an archive that is no tree of Lustre is refused" {
  echo 'no archive' >"$SAS_IMAGE_SOURCE"
  set_to SOURCE_SHA256 "$(sha256sum <"$SAS_IMAGE_SOURCE" | cut -d ' ' -f 1)"
  build 4
  says 'is no archive that tar reads'
  mkdir -p "$BATS_TEST_TMPDIR/other/a" "$BATS_TEST_TMPDIR/other/b"
  tar -C "$BATS_TEST_TMPDIR/other" -cf "$SAS_IMAGE_SOURCE" a b
  set_to SOURCE_SHA256 "$(sha256sum <"$SAS_IMAGE_SOURCE" | cut -d ' ' -f 1)"
  build 4
  says 'has not one folder with LUSTRE-VERSION-GEN'
  nothing_done
}

@test "a tree of another release is refused" {
  set_to LUSTRE_VERSION 2.16.1
  build 4
  says 'is Lustre 2.17.0, but LUSTRE_VERSION is 2.16.1'
  nothing_done
}

@test "a kernel whose headers Debian no longer has is an error that says so" {
  stub apt-get '[[ $* != *install* ]]'
  build 1
  says "the kernel $K must be one that Debian still has"
}

@test "a build that failed says what the compiler said, and the next one knows what was there before it" {
  BROKEN=yes build 1
  says 'no member named folio'
  says "Lustre cannot be built for $K"
  [[ ! -e $WORK/built/SHA256SUMS && -e $BEFORE ]]
  build
  called 'purge gcc:amd64$'
}
