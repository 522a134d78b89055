#!/usr/bin/env bash
# Builds Debian's packages of HEAD into $BUILD/deb and checks them with lintian. Where Debian has no nanobind (before 13) they come
# without python3-acutance. DEB_BUILD_PROFILES and DEB_BUILD_OPTIONS are dpkg-buildpackage's.
set -euo pipefail

out=$(realpath -m "${BUILD:-build}/deb")
version=$(sed -n 's/^project(acutance VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
export PATH=/usr/sbin:/usr/bin:/sbin:/bin # Debian's Python, not one of a user's
groups=(build deb)
if apt-cache show python3-nanobind >/dev/null 2>&1; then
  groups+=(deb-python)
else
  echo "deb: this Debian has no python3-nanobind; building without python3-acutance" >&2
  export DEB_BUILD_PROFILES="${DEB_BUILD_PROFILES:-} nopython"
fi
tools/setup.sh "${groups[@]}"

rm -rf "$out"
mkdir -p "$out"
git archive --prefix="acutance-$version/" HEAD | tar -x -C "$out"
cd "$out/acutance-$version"
export CCACHE_DIR=${CCACHE_DIR:-${HOME:-/tmp}/.cache/ccache} # debhelper gives builds a home of their own
dpkg-buildpackage -us -uc -b >"$out/build.log" 2>&1 || {
  tail -40 "$out/build.log" >&2
  exit 1
}
cd "$out"
rm -rf "acutance-$version"
lintian --info --fail-on error,warning --suppress-tags bogus-mail-host ./*.changes
ls -l ./*.deb
