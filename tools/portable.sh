#!/usr/bin/env bash
# Makes what ACUTANCE_PORTABLE names (cmake/AcutancePortable.cmake): libraries to link with in the place of glibc's, and Highway, fmt
# and libjpeg-turbo as static libraries, from Debian's sources. usage: portable.sh FOLDER VERSION_OF_GLIBC COMPILER...
set -euo pipefail

mkdir -p "$1"
out=$(realpath "$1")
glibc=$2
shift 2
stamp=$out/.made
made="$glibc $* $(cat tools/portable.sh cmake/glibc/* | sha256sum)"
[ "$(cat "$stamp" 2>/dev/null)" != "$made" ] || exit 0

python3 -B cmake/glibc/stub_libraries.py "$glibc" "$out" "$@"
flags=(-std=c++20 -O2 -fPIC -fno-gnu-unique -Wall -Wextra)
for name in old_glibc old_start; do
  "$@" "${flags[@]}" -c "cmake/glibc/$name.cc" -o "$out/$name.o"
done

rm -rf "$out/sources"
tools/fetch_sources.sh "$out/sources" highway fmtlib libjpeg-turbo
for package in highway fmtlib libjpeg-turbo; do
  mkdir "$out/sources/$package"
  tar -x --strip-components=1 -C "$out/sources/$package" -f "$(find "$out/sources" -maxdepth 1 -name "${package}_*.orig.tar.*")"
done
ar=$("$@" -print-prog-name=ar)
# archive NAME PACKAGE SOURCE...: a static library of some of a package's sources
archive() {
  local name=$1 root=$out/sources/$2 source objects=()
  shift 2
  for source; do
    objects+=("$out/sources/$name.$(basename "$source").o")
    "${compiler[@]}" "${flags[@]}" -I"$root" -I"$root/include" -c "$root/$source" -o "${objects[-1]}"
  done
  rm -f "$out/$name"
  "$ar" rcsD "$out/$name" "${objects[@]}"
}
compiler=("$@")
archive libhwy.a highway hwy/aligned_allocator.cc hwy/per_target.cc hwy/print.cc hwy/targets.cc
archive libfmt.a fmtlib src/format.cc src/os.cc
# Debian's own libturbojpeg.a fits programs alone.
cross=()
case $("$@" -dumpmachine) in
  "$(uname -m)"-*) ;;
  *-*) cross=(-DCMAKE_SYSTEM_NAME=Linux "-DCMAKE_SYSTEM_PROCESSOR=$("$@" -dumpmachine | cut -d- -f1)" "-DCMAKE_C_FLAGS=${*:2}") ;;
esac
cmake -S "$out/sources/libjpeg-turbo" -B "$out/sources/turbojpeg" -DCMAKE_BUILD_TYPE=Release -DENABLE_SHARED=OFF "${cross[@]}" \
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON "-DCMAKE_C_COMPILER=${1/g++/gcc}" >"$out/turbojpeg.log"
cmake --build "$out/sources/turbojpeg" --parallel "$(tools/jobs.sh)" --target turbojpeg-static >>"$out/turbojpeg.log"
cp "$out/sources/turbojpeg/libturbojpeg.a" "$out/"
rm -rf "$out/sources"
echo "$made" >"$stamp"
