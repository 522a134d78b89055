#!/usr/bin/env bash
# Makes the libraries that acutance is built with for another system, static, from Debian's sources, by the compilers of a file of
# cmake/. usage: cross_sysroot.sh FOLDER TOOLCHAIN [CMAKE_OPTION...]
set -euo pipefail

mkdir -p "$1"
root=$(realpath "$1")
toolchain=$(realpath "$2")
shift 2
made="$* $(cat tools/cross_sysroot.sh "$toolchain" | sha256sum)"
[ "$(cat "$root/.made" 2>/dev/null)" != "$made" ] || exit 0
options=("-DCMAKE_TOOLCHAIN_FILE=$toolchain" "-DACUTANCE_SYSROOT=$root" "$@")

sources=$root/sources
rm -rf "$sources"
tools/fetch_sources.sh "$sources" fmtlib highway libdeflate libjpeg-turbo
for package in fmtlib highway libdeflate libjpeg-turbo; do
  mkdir "$sources/$package"
  tar -x --strip-components=1 -C "$sources/$package" -f "$(find "$sources" -maxdepth 1 -name "${package}_*.orig.tar.*")"
done
# Assertions name the file that they are in.
export CFLAGS="-ffile-prefix-map=$sources/=" CXXFLAGS="-ffile-prefix-map=$sources/="
# build NAME FOLDER OPTION...: compiles and installs a library by its CMake files
build() {
  local name=$1 folder=$2
  shift 2
  {
    cmake -S "$folder" -B "$sources/$name.build" "${options[@]}" \
      -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX="$root" -DCMAKE_INSTALL_LIBDIR="$root/lib" "$@"
    cmake --build "$sources/$name.build" --parallel "$(tools/jobs.sh)" --target install
  } >"$root/$name.log"
}
build fmt "$sources/fmtlib" -DFMT_TEST=OFF -DFMT_DOC=OFF
build hwy "$sources/highway" -DHWY_ENABLE_TESTS=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_CONTRIB=OFF
build turbojpeg "$sources/libjpeg-turbo" -DENABLE_SHARED=OFF -DWITH_SIMD=OFF
build gtest /usr/src/googletest
# Debian's libdeflate has a makefile alone.
cat >"$sources/libdeflate/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(libdeflate C)
file(GLOB sources lib/*.c lib/x86/*.c lib/arm/*.c)
add_library(deflate ${sources})
target_include_directories(deflate PRIVATE .)
install(TARGETS deflate)
install(FILES libdeflate.h TYPE INCLUDE)
END
build deflate "$sources/libdeflate"
printf 'Name: libdeflate\nDescription: compression\nVersion: 1\nLibs: -L%s/lib -ldeflate\nCflags: -I%s/include\n' "$root" "$root" \
  >"$root/lib/pkgconfig/libdeflate.pc"
# Headers alone, which this machine's packages have.
mkdir -p "$root/share/cmake"
cp -r /usr/include/nlohmann /usr/include/CLI /usr/include/vulkan /usr/include/vk_video "$root/include/"
cp -r /usr/share/cmake/nlohmann_json /usr/share/cmake/CLI11 "$root/share/cmake/"
rm -rf "$sources"
echo "$made" >"$root/.made"
