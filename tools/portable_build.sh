#!/usr/bin/env bash
# Configures a build for glibc 2.28 and every later one, with all other libraries inside, in build-dist-MACHINE: for this machine's
# kind of processor, or for aarch64 by Debian's cross compiler. Prints the folder. usage: portable_build.sh MACHINE [options of cmake]
set -euo pipefail

machine=$1
shift
build=build-dist-$machine
compiler=("${CXX:-g++}")
preset=release
options=("-DACUTANCE_PORTABLE=$PWD/$build/portable" -DACUTANCE_TESTS=OFF -DACUTANCE_BENCHMARKS=OFF "$@")
if [ "$machine" != "$(uname -m)" ]; then
  if [ "$machine" != aarch64 ]; then
    echo "portable_build.sh: builds for $(uname -m) and aarch64, not for $machine" >&2
    exit 2
  fi
  tools/setup.sh arm >&2
  tools/arm_sysroot.sh build-arm/sysroot >&2
  compiler=(aarch64-linux-gnu-g++ "--sysroot=$PWD/build-arm/sysroot")
  preset=arm
  options+=(-DACUTANCE_PROGRAMS_ONLY=OFF)
fi
tools/portable.sh "$build/portable" 2.28 "${compiler[@]}" >&2
tools/configure.sh "$preset" "$build" "${options[@]}" >&2
echo "$build"
