#!/usr/bin/env bash
# Writes the binary archive: commands, libraries, headers, models and manual pages that run with the glibc of 2018 (2.28) and every
# later one and need no other library; for this machine's kind of processor, or MACHINE=aarch64.
# usage: dist_binary.sh [FOLDER [options of cmake]]
set -euo pipefail

machine=${MACHINE:-$(uname -m)}
out=$(realpath -m "${1:-${BUILD:-build}/dist}")
shift $(($# < 1 ? $# : 1))
name=acutance-$(sed -n 's/^project(acutance VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)-linux-$machine

build=$(tools/portable_build.sh "$machine" "$@")
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
