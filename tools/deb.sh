#!/usr/bin/env bash
# Builds Debian's packages of HEAD into $BUILD/deb and checks them with lintian: on this machine, or, of SUITE, in a chroot that
# has Debian's base system and what debian/control names. Before Debian 13 there is no nanobind, and no python3-acutance.
# DEB_BUILD_PROFILES and DEB_BUILD_OPTIONS are dpkg-buildpackage's. usage: deb.sh [SUITE]
set -euo pipefail

suite=${1:-}
build=$(realpath -m "${BUILD:-build}")
out=$build/deb
version=$(sed -n 's/^project(acutance VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=acutance-$version
root=$build/chroot-$suite
profiles=${DEB_BUILD_PROFILES:-}

# Both run in a folder with the tree in $name.
prepare_here() {
  export PATH=/usr/sbin:/usr/bin:/sbin:/bin # Debian's Python, not one of a user's
  groups=(build deb)
  if apt-cache show python3-nanobind >/dev/null 2>&1; then
    groups+=(deb-python)
  else
    echo "deb: this Debian has no python3-nanobind; building without python3-acutance" >&2
    profiles+=" nopython"
  fi
  tools/setup.sh "${groups[@]}"
  place=$out
  inside=(env "CCACHE_DIR=${CCACHE_DIR:-${HOME:-/tmp}/.cache/ccache}") # debhelper gives builds a home of their own
}

prepare_chroot() {
  tools/setup.sh debootstrap
  if [ ! -e "$root/.made" ]; then
    rm -rf "$root"
    debootstrap --variant=buildd "$suite" "$root" >"$build/debootstrap.log"
    touch "$root/.made"
  fi
  place=$root/build
  inside=(unshare --mount --pid --fork "--mount-proc=$root/proc" chroot "$root" env -i HOME=/nonexistent LC_ALL=C.UTF-8
    PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS:-}")
}

# steps NAME PROFILES SUITE: what runs there
steps() {
  if [ -n "$3" ]; then
    cd "/build/$1"
    apt-get update -qq
    apt-get build-dep -y -qq --no-install-recommends --build-profiles "${2// /,}" ./
  else
    cd "$1"
  fi
  DEB_BUILD_PROFILES=$2 dpkg-buildpackage -us -uc -b
  cd ..
  [ -z "$3" ] || apt-get install -y -qq --no-install-recommends lintian
  echo "lintian:"
  # These two ask for the address and the bug of a Debian maintainer.
  lintian --info --fail-on error,warning --suppress-tags bogus-mail-host,initial-upload-closes-no-bugs ./*.changes
  ls -l ./*.deb
}

rm -rf "$out"
mkdir -p "$out"
if [ -n "$suite" ]; then prepare_chroot; else prepare_here; fi
rm -rf "${place:?}/$name"
mkdir -p "$place"
git archive --prefix="$name/" HEAD | tar -x -C "$place"
(cd "$place" && "${inside[@]}" bash -euc "$(declare -f steps); steps \"\$@\"" deb "$name" "$(echo "$profiles" | xargs)" "$suite") >"$out/build.log" 2>&1 || {
  tail -40 "$out/build.log" >&2
  exit 1
}
rm -rf "${place:?}/$name"
[ "$place" = "$out" ] || mv "$place"/*.* "$out/"
sed -n '/^lintian:/,$p' "$out/build.log"
