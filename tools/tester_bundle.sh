#!/usr/bin/env bash
# Writes the self-test of GPUs as one file for people who have the cards, x86_64, glibc 2.28 and later, and its .sha256: the command
# and the kernels for Vulkan and AMD's GPUs behind a shell script that runs them. Says what to send and where ($ACUTANCE_HOME, the
# project's address). usage: tester_bundle.sh [FOLDER [BUILD]]    BUILD: of a finished build, instead of a portable one
set -euo pipefail

out=$(realpath -m "${1:-${BUILD:-build}/dist}")
version=$(sed -n 's/^project(acutance VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=acutance-$version-selftest-linux-x86_64.sh
if [ $# -gt 1 ]; then
  build=$2
else
  build=$(tools/portable_build.sh x86_64)
  cmake --build "$build" --parallel "${JOBS:-$(tools/jobs.sh)}" --target acutance acutance_hip_kernels
  python3 -B tests/install/portable.py 2.28 "$build/bin"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/files/bin" "$work/files/lib" "$out"
cp "$build/bin/acutance" "$work/files/bin/"
[ "$(head -c 2 "$work/files/bin/acutance")" = "#!" ] || strip "$work/files/bin/acutance"
if [ -d "$build/lib/acutance-kernels" ]; then
  cp -r "$build/lib/acutance-kernels" "$work/files/lib/"
else
  echo "tester_bundle: $build has no kernels for AMD's GPUs; the bundle has those for Vulkan and CUDA" >&2
fi
cp -r LICENSE LICENSES "$work/files/"
time=$(git log -1 --format=%ct)
tar -c --sort=name --mtime="@$time" --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r-w -C "$work/files" . | xz -T1 >"$work/files.tar.xz"

hash=$(sha256sum <"$work/files.tar.xz" | cut -d' ' -f1)
line=$(($(wc -l <tools/tester_head.sh) + 1))
sed -e "s|@VERSION@|$version|g; s|@NAME@|$name|g; s|@LINE@|$line|g; s|@HASH@|$hash|g" \
  -e "s|@HOME@|${ACUTANCE_HOME:-the project: an issue, \"card: its name\"}|g" tools/tester_head.sh >"$work/$name"
cat "$work/files.tar.xz" >>"$work/$name"
chmod +x "$work/$name"
mv "$work/$name" "$out/$name"
cd "$out"
sha256sum "$name" | tee "$name.sha256"
