#!/usr/bin/env bash
# Makes the libraries that acutance is built with for Windows, static, from Debian's sources, by the compiler of
# cmake/x86_64-w64-mingw32.cmake. usage: windows_sysroot.sh FOLDER
set -euo pipefail

mkdir -p "$1"
root=$(realpath "$1")
target=x86_64-w64-mingw32
made=$(cat tools/windows_sysroot.sh "cmake/$target.cmake" | sha256sum)
[ "$(cat "$root/.made" 2>/dev/null)" != "$made" ] || exit 0

sources=$root/sources
rm -rf "$sources"
tools/fetch_sources.sh "$sources" fmtlib highway libdeflate libjpeg-turbo
for package in fmtlib highway libdeflate libjpeg-turbo; do
  mkdir "$sources/$package"
  tar -x --strip-components=1 -C "$sources/$package" -f "$(find "$sources" -maxdepth 1 -name "${package}_*.orig.tar.*")"
done
# build NAME FOLDER OPTION...: compiles and installs a library by its CMake files
build() {
  local name=$1 folder=$2
  shift 2
  {
    cmake -S "$folder" -B "$sources/$name.build" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/$target.cmake" \
      -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX="$root" -DCMAKE_INSTALL_LIBDIR="$root/lib" "$@"
    cmake --build "$sources/$name.build" --parallel "$(tools/jobs.sh)" --target install
  } >"$root/$name.log"
}
build fmt "$sources/fmtlib" -DFMT_TEST=OFF -DFMT_DOC=OFF
build hwy "$sources/highway" -DHWY_ENABLE_TESTS=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_CONTRIB=OFF
build turbojpeg "$sources/libjpeg-turbo" -DENABLE_SHARED=OFF -DWITH_SIMD=OFF
build gtest /usr/src/googletest
# Debian's libdeflate has a makefile that names its files otherwise on Windows.
objects=()
for source in "$sources"/libdeflate/lib/*.c "$sources"/libdeflate/lib/x86/*.c; do
  objects+=("$source.o")
  "$target-gcc-posix" -O2 -I"$sources/libdeflate" -c "$source" -o "$source.o"
done
"$target-ar" rcsD "$root/lib/libdeflate.a" "${objects[@]}"
cp "$sources/libdeflate/libdeflate.h" "$root/include/"
printf 'Name: libdeflate\nDescription: compression\nVersion: 1\nLibs: -L%s/lib -ldeflate\nCflags: -I%s/include\n' "$root" "$root" \
  >"$root/lib/pkgconfig/libdeflate.pc"
# Headers alone, which this machine's packages have.
mkdir -p "$root/share/cmake"
cp -r /usr/include/nlohmann /usr/include/CLI /usr/include/vulkan /usr/include/vk_video "$root/include/"
cp -r /usr/share/cmake/nlohmann_json /usr/share/cmake/CLI11 "$root/share/cmake/"
rm -rf "$sources"
echo "$made" >"$root/.made"
