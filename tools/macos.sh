#!/usr/bin/env bash
# Builds the commands and libvmaf for macOS, for the CPU alone, by zig's clang: usage: macos.sh MACHINE FOLDER    MACHINE: aarch64, x86_64
set -euo pipefail

machine=$1
mkdir -p "$2/zig"
build=$(realpath "$2")
tools/venv.sh ziglang==0.17.1
zig=$(find "$(realpath "${BUILD:-build}")/venv/lib" -path '*/ziglang/zig' -type f)
# CMake calls tools by one word. An unchanged file stays, as ccache asks for the age of a compiler.
tool() {
  local text="#!/bin/sh
exec $2 \"\$@\""
  [ "$(cat "$build/zig/$1" 2>/dev/null)" = "$text" ] || echo "$text" >"$build/zig/$1"
  chmod +x "$build/zig/$1"
}
tool cc "'$zig' cc -target $machine-macos"
tool c++ "'$zig' c++ -O2 -target $machine-macos" # zig makes its C++ library once for each optimization: here, for one
tool ar "'$zig' ar"
tool ranlib "'$zig' ranlib"
tool install_name_tool true

options=(-DACUTANCE_MACHINE="$machine")
tools/cross_sysroot.sh "$build/sysroot" cmake/macos.cmake "${options[@]}"
[ -e "$build/build.ninja" ] || [ -e "$build/Makefile" ] ||
  tools/configure.sh macos "$build" "${options[@]}" -DACUTANCE_SYSROOT="$build/sysroot"
cmake --build "$build" --parallel "${JOBS:-$(tools/jobs.sh)}" --target acutance vmaf vmaf_static vmaf_shared
tools/check_macos.py "$build"
