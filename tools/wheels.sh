#!/usr/bin/env bash
# Builds wheels for this machine's kind of processor, or MACHINE=aarch64, into $BUILD/dist: the module, the commands and FFmpeg's
# decoders, for glibc 2.28 and later ones.
# usage: wheels.sh [PYTHON...]    python3 by default; a wheel of 3.12 or later serves 3.12 and all later versions
set -euo pipefail

[ $# -gt 0 ] || set -- python3
machine=${MACHINE:-$(uname -m)}
out=$(realpath -m "${BUILD:-build}/dist")
build=$(tools/portable_build.sh "$machine")
here=$PWD/$build
tools/ffmpeg_libraries.sh "$build/ffmpeg" "$machine" "$build/portable"
cmake --build "$build" --parallel "${JOBS:-$(tools/jobs.sh)}" --target acutance acutance_archive acutance_hip_kernels

for python; do
  name=$("$python" -c 'import sys; print("py%d.%d" % sys.version_info[:2])')
  stable=$("$python" -c 'import sys; print("cp312" if sys.version_info >= (3, 12) else "")')
  venv=$build/venv-$name
  [ -x "$venv/bin/pip" ] || "$python" -m venv "$venv"
  pip=("$venv/bin/pip" --quiet --disable-pip-version-check)
  "${pip[@]}" install --only-binary :all: scikit-build-core==1.1.2 nanobind==3.1.0 wheel==0.48.0 </dev/null
  cross=()
  if [ "$machine" != "$(uname -m)" ]; then
    root=$PWD/build-arm/sysroot
    headers=$root/usr/include/python${name#py}
    if [ ! -e "$headers/Python.h" ]; then
      echo "wheels.sh: $root has no headers of $name for $machine" >&2
      exit 2
    fi
    cross=("--config-settings=cmake.define.CMAKE_TOOLCHAIN_FILE=$PWD/cmake/aarch64-linux-gnu.cmake"
      "--config-settings=cmake.define.ACUTANCE_SYSROOT=$root" "--config-settings=cmake.define.Python_INCLUDE_DIR=$headers"
      "--config-settings=cmake.define.nanobind_DIR=$("$venv/bin/python" -m nanobind --cmake_dir)")
    # These two say to setuptools and scikit-build-core which machine a module is for.
    export _PYTHON_HOST_PLATFORM=linux-$machine SETUPTOOLS_EXT_SUFFIX=.cpython-${name//[a-z.]/}-$machine-linux-gnu.so
  fi
  rm -rf "$build/wheel"
  "${pip[@]}" wheel . "${cross[@]}" --no-build-isolation --no-deps --wheel-dir "$build/wheel" --config-settings=cmake.source-dir=python \
    --config-settings=cmake.define.ACUTANCE_BUILD="$here" --config-settings=cmake.define.ACUTANCE_PORTABLE="$here/portable" \
    --config-settings=cmake.define.ACUTANCE_STABLE_ABI="${stable:+ON}" --config-settings=wheel.py-api="$stable" \
    --config-settings=build-dir="$build/$name" --config-settings=install.strip=true </dev/null
  "$venv/bin/python" -B tools/fill_wheel.py "$build/wheel"/*.whl "$build" "$out" "$machine"

  unset _PYTHON_HOST_PLATFORM SETUPTOOLS_EXT_SUFFIX
  name=$(basename "$build/wheel"/*.whl "linux_$machine.whl")
  rm -rf "$build/installed"
  if [ "$machine" = "$(uname -m)" ]; then
    "$python" -m venv "$build/installed"
    "$build/installed/bin/pip" --quiet --disable-pip-version-check install --no-deps "$out/$name"manylinux_*.whl </dev/null
    command=("$build/installed/bin/acutance")
  else
    "$venv/bin/python" -B -m wheel unpack --dest "$build/installed" "$out/$name"manylinux_*.whl
    command=(qemu-aarch64 -L "$root" "$build"/installed/acutance-*/acutance/acutance)
  fi
  "${command[@]}" devices | grep "containers: .*$here/installed/" || {
    echo "wheels.sh: the command of the wheel opens no FFmpeg, or another than the wheel's" >&2
    exit 1
  }
done
