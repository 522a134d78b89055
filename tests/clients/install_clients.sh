#!/usr/bin/env bash
# PyPI's clients of libvmaf, in $BUILD/clients/venv: some drive the `vmaf` command or ffmpeg, pyvmaf is compiled against
# the installed headers and library.
set -euo pipefail

out=$(realpath "${BUILD:-build}")/clients
prefix=$out/prefix
BUILD=$out tools/venv.sh vmaf-mcp==1.0.0rc3 easyvmaf==5.0.0 ffmpeg-quality-metrics==3.13.0 ffvm==0.2.3 \
  pytest pillow setuptools

pyvmaf=$out/pyvmaf-1.0.0a1
pip=("$out/venv/bin/pip" --quiet --disable-pip-version-check)
if [ ! -d "$pyvmaf" ]; then
  "${pip[@]}" download --no-deps --no-binary :all: --dest "$out" pyvmaf==1.0.0a1 </dev/null
  tar -xzf "$pyvmaf.tar.gz" -C "$out"
fi
if ! "$out/venv/bin/python" -c 'import pyvmaf' 2>/dev/null; then
  CFLAGS="-I$prefix/include" LDFLAGS="-L$prefix/lib -Wl,-rpath,$prefix/lib" \
    "${pip[@]}" install --no-deps "$pyvmaf" </dev/null
fi
