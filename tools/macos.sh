#!/usr/bin/env bash
# Builds the commands for macOS, for the CPU alone, by zig's clang: usage: macos.sh MACHINE FOLDER    MACHINE: aarch64, x86_64
set -euo pipefail

machine=$1
mkdir -p "$2/zig"
build=$(realpath "$2")
tools/venv.sh ziglang==0.17.1
zig=$("${BUILD:-build}/venv/bin/python" -c 'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).with_name("zig"))')
# CMake calls tools by one word.
tool() {
  printf '#!/bin/sh\nexec %s "$@"\n' "$2" >"$build/zig/$1"
  chmod +x "$build/zig/$1"
}
tool cc "'$zig' cc -target $machine-macos"
tool c++ "'$zig' c++ -O2 -target $machine-macos" # zig makes its C++ library once for each optimization: here, for one
tool ar "'$zig' ar"
tool ranlib "'$zig' ranlib"
tool install_name_tool true

options=(-DACUTANCE_MACHINE="$machine")
tools/cross_sysroot.sh "$build/sysroot" cmake/macos.cmake "${options[@]}"
[ -e "$build/CMakeCache.txt" ] || tools/configure.sh macos "$build" "${options[@]}" -DACUTANCE_SYSROOT="$build/sysroot"
cmake --build "$build" --parallel "${JOBS:-$(tools/jobs.sh)}" --target acutance vmaf
file "$build/bin/acutance" "$build/bin/vmaf"
