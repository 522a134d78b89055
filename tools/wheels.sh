#!/usr/bin/env bash
# Builds wheels for this machine's processor into $BUILD/dist: the module, the commands and FFmpeg's decoders, for glibc 2.28 and
# later ones. usage: wheels.sh [PYTHON...]    python3 by default; a wheel of 3.12 or later serves 3.12 and all later versions
set -euo pipefail

[ $# -gt 0 ] || set -- python3
build=build-dist-$(uname -m)
here=$PWD/$build
out=$(realpath -m "${BUILD:-build}/dist")
tools/portable.sh "$build/portable" 2.28 "${CXX:-g++}"
tools/ffmpeg_libraries.sh "$build/ffmpeg" "$build/portable"
tools/configure.sh release "$build" "-DACUTANCE_PORTABLE=$here/portable" -DACUTANCE_TESTS=OFF -DACUTANCE_BENCHMARKS=OFF
cmake --build "$build" --parallel "${JOBS:-$(tools/jobs.sh)}" --target acutance acutance_archive acutance_hip_kernels vmaf

for python; do
  name=$("$python" -c 'import sys; print("py%d.%d" % sys.version_info[:2])')
  stable=$("$python" -c 'import sys; print("cp312" if sys.version_info >= (3, 12) else "")')
  venv=$build/venv-$name
  [ -x "$venv/bin/pip" ] || "$python" -m venv "$venv"
  pip=("$venv/bin/pip" --quiet --disable-pip-version-check)
  "${pip[@]}" install --only-binary :all: scikit-build-core==1.1.2 nanobind==3.1.0 wheel==0.48.0 </dev/null
  rm -rf "$build/wheel"
  "${pip[@]}" wheel . --no-build-isolation --no-deps --wheel-dir "$build/wheel" --config-settings=cmake.source-dir=python \
    --config-settings=cmake.define.ACUTANCE_BUILD="$here" --config-settings=cmake.define.ACUTANCE_PORTABLE="$here/portable" \
    --config-settings=cmake.define.ACUTANCE_STABLE_ABI="${stable:+ON}" --config-settings=wheel.py-api="$stable" \
    --config-settings=build-dir="$build/$name" --config-settings=install.strip=true </dev/null
  "$venv/bin/python" -B tools/fill_wheel.py "$build/wheel"/*.whl "$build" "$out"

  name=$(basename "$build/wheel"/*.whl "linux_$(uname -m).whl")
  "$python" -m venv --clear "$build/installed"
  "$build/installed/bin/pip" --quiet --disable-pip-version-check install --no-deps "$out/$name"manylinux_*.whl </dev/null
  "$build/installed/bin/acutance" devices | grep "containers: .*$here/installed/" || {
    echo "wheels.sh: the command of the wheel opens no FFmpeg, or another than the wheel's" >&2
    exit 1
  }
done
