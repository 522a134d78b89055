#!/usr/bin/env bash
# Writes the binary archive for x86_64: commands, libraries, headers, models and manual pages that run with the glibc of 2018 (2.28)
# and every later one and need no other library. usage: dist_binary.sh [FOLDER [options of cmake]]
set -euo pipefail

machine=$(uname -m)
out=$(realpath -m "${1:-${BUILD:-build}/dist}")
shift $(($# < 1 ? $# : 1))
build=build-dist-$machine
name=acutance-$(sed -n 's/^project(acutance VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)-linux-$machine

tools/portable.sh "$build/portable" 2.28 "${CXX:-g++}"
tools/configure.sh release "$build" "-DACUTANCE_PORTABLE=$build/portable" -DACUTANCE_TESTS=OFF -DACUTANCE_BENCHMARKS=OFF "$@"
cmake --build "$build" --parallel "${JOBS:-$(tools/jobs.sh)}"

rm -rf "${out:?}/$name"
mkdir -p "$out"
cmake --install "$build" --strip --prefix "$out/$name" >"$build/install.log"
mkdir -p "$out/$name/share/acutance/models"
cp models/*.json models/LICENSE* "$out/$name/share/acutance/models/"
python3 -B tests/install/portable.py 2.28 "$out/$name"
time=$(git log -1 --format=%ct)
tar -c --sort=name --mtime="@$time" --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r-w -C "$out" "$name" | xz -T1 >"$out/$name.tar.xz"
rm -rf "${out:?}/$name"
cd "$out"
sha256sum "$name.tar.xz" | tee "$name.tar.xz.sha256"
