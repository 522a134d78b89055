#!/usr/bin/env bash
# Intel's SYCL runtime with its headers and its device for CPUs, from PyPI, into $BUILD/sycl, where CMake looks for it
# (ACUTANCE_SYCL_ROOT). Quick when it is there. The packages are what dpcpp-cpp-rt needs, less OpenMP.
set -euo pipefail

version=2026.2.0
packages=(
  intel-sycl-rt=="$version" intel-cmplr-lib-rt=="$version" intel-cmplr-lib-ur=="$version"
  intel-cmplr-lic-rt=="$version" intel-opencl-rt=="$version" tbb==2023.2.0 umf==1.2.0 tcmlib==1.6.0
)

# A wheel has no links: libsycl.so, libsycl.so.9 and libsycl.so.9.0.0 are three copies. Two become links again.
link_copies() {
  local short long
  for short in "$1"/*.so "$1"/*.so.*; do
    [ -L "$short" ] && continue
    for long in "$short".*; do
      if [ -f "$long" ] && [ ! -L "$long" ] && cmp -s "$short" "$long"; then
        ln -sfn "$(basename "$long")" "$short"
        break
      fi
    done
  done
}

root=${BUILD:-build}/sycl
stamp=$root/.has-$version
[ ! -e "$stamp" ] || exit 0
echo "setup: installing Intel's SYCL runtime $version into $root"
rm -rf "$root"
trap 'rm -rf "$root"' ERR # a part of it would look like all of it
python3 -m venv "$root"
"$root/bin/pip" --quiet --disable-pip-version-check --timeout 30 --retries 2 install --only-binary :all: --no-deps \
  "${packages[@]}" </dev/null
link_copies "$root/lib"
rm -f "$root"/lib/icx-lto.so "$root"/lib/libsycl-preview.so* # 100 MB that nothing here opens
touch "$stamp"
