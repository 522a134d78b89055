#!/usr/bin/env bash
# Gathers what run.sh needs on a machine that has a GPU but neither our libraries nor clang.
#
# usage: tools/gpu/bundle.sh [FOLDER]        FOLDER: build/gpu by default; BUILD_GPU names the build folder
#
# The folder then holds bin/ (programs and the stand-in for HIP), lib/ (the libraries that are not part of every Linux
# system) and ptx/ (the kernels as text). Everything finds itself: the folder may be copied anywhere.
set -euo pipefail
cd "$(dirname "$0")/../.."

bundle=${1:-build/gpu}
build=${BUILD_GPU:-build/gpu-build}

# shellcheck disable=SC2016  # $ORIGIN is for the loader: the folder of the program
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DACUTANCE_BENCHMARKS=OFF \
  -DCMAKE_BUILD_RPATH='$ORIGIN/../lib' >/dev/null
ninja -C "$build" gpu_check hip_standin acutance vmaf

rm -rf "$bundle"
mkdir -p "$bundle/bin" "$bundle/lib" "$bundle/ptx"
cp "$build/tests/gpu_check" "$build/tests/libhip_standin.so" "$build/bin/acutance" "$build/bin/vmaf" "$bundle/bin"
find "$build/src" -name '*.ptx' -exec cp {} "$bundle/ptx" \;
strip "$bundle"/bin/*

# Every library that is not of the C and C++ run times goes along.
everywhere='^(linux-vdso|ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so'
for program in "$bundle"/bin/*; do
  ldd "$program" | awk '$2 == "=>" {print $1, $3}' | while read -r name path; do
    if [[ $name =~ $everywhere ]] || [ -e "$bundle/lib/$name" ]; then continue; fi
    cp -L "$path" "$bundle/lib/$name" || { echo "bundle.sh: $program needs $name, which is not here" >&2 && exit 1; }
  done
done
"$bundle/bin/gpu_check" devices
du -sh "$bundle"
