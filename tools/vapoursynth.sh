#!/usr/bin/env bash
# VapourSynth and bestsource from PyPI, unpacked into $BUILD/vapoursynth, where CMake looks for the header and the tests
# for the library. They are not installed: the wheels are for a newer Python than Debian 12's. Quick when it is there.
set -euo pipefail

packages=(vapoursynth==81 vapoursynth-bestsource==22)
root=${BUILD:-build}/vapoursynth
stamp=$root/.has-81
[ ! -e "$stamp" ] || exit 0
echo "setup: unpacking VapourSynth into $root"
rm -rf "$root"
trap 'rm -rf "$root"' ERR # a part of it would look like all of it
tools/venv.sh
"${BUILD:-build}/venv/bin/pip" --quiet --disable-pip-version-check --timeout 30 --retries 2 download --no-deps \
  --only-binary :all: --python-version 3.12 --platform manylinux_2_28_x86_64 --dest "$root" "${packages[@]}" </dev/null
for wheel in "$root"/*.whl; do
  python3 -m zipfile -e "$wheel" "$root"
  rm "$wheel"
done
touch "$stamp"
