#!/usr/bin/env bash
# Gathers what run.sh needs on a machine that has a GPU but neither our libraries nor clang.
#
# usage: tools/gpu/bundle.sh [FOLDER]        FOLDER: build/gpu by default; BUILD_GPU names the build folder
#
# The folder then holds bin/ (programs and the stand-in for HIP), lib/ (the libraries that are not part of every Linux
# system), vulkan/ (the loader and what NVIDIA's Vulkan driver needs), ptx/ (the kernels as text) and the scripts.
# The programs find their libraries relative to themselves, so that the folder may be copied anywhere.
set -euo pipefail
cd "$(dirname "$0")/../.."

bundle=${1:-build/gpu}
build=${BUILD_GPU:-build/gpu-build}

# NVIDIA's driver brings its own Vulkan driver, which opens these.
vulkan_packages=(libvulkan1 libegl1 libglvnd0 libopengl0 libgl1 libglx0 libgles2 libx11-6 libxext6 libxcb1 libxau6
  libxdmcp6 libbsd0 libmd0)

build_programs() {
  # nvcc's code of all kernels for one GPU is there to be compared with PTX; the stand-in for HIP claims one AMD GPU.
  # shellcheck disable=SC2016  # $ORIGIN is for the loader: the folder of the program
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DACUTANCE_BENCHMARKS=OFF \
    -DCMAKE_BUILD_RPATH='$ORIGIN/../lib' -DACUTANCE_HIP_TARGETS=gfx1100 \
    -DACUTANCE_NVCC="${NVCC:-ALL}" -DACUTANCE_CUBIN_TARGETS="${CUBINS:-sm_90}" >/dev/null
  ninja -C "$build" gpu_check hip_standin acutance vmaf acutance_hip_kernels
}

copy_programs() {
  rm -rf "$bundle"
  mkdir -p "$bundle"/{bin,lib,ptx,vulkan}
  cp "$build/tests/gpu_check" "$build/tests/libhip_standin.so" "$build/bin/acutance" "$build/bin/vmaf" "$bundle/bin"
  cp -r "$build/lib/acutance-kernels" "$bundle/lib"
  find "$build/src" -name '*.ptx' -exec cp {} "$bundle/ptx" \;
  cp tools/gpu/run.sh tools/gpu/nvdec_check.sh bench/end_to_end.py bench/measure.py "$bundle"
  strip "$bundle"/bin/*
}

# Every library goes along except those of the C and C++ run times.
copy_libraries() {
  local everywhere='^(linux-vdso|ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so'
  local program name path
  for program in "$bundle"/bin/*; do
    ldd "$program" | awk '$2 == "=>" {print $1, $3}' | while read -r name path; do
      if [[ $name =~ $everywhere ]] || [ -e "$bundle/lib/$name" ]; then continue; fi
      cp -L "$path" "$bundle/lib/$name" || { echo "bundle.sh: $program needs $name, which is not here" >&2 && exit 1; }
    done
  done
}

# These files come from Debian's packages, whether they are installed here or not.
copy_vulkan() {
  local folder package
  folder=$(mktemp -d)
  if (cd "$folder" && apt-get download -qq "${vulkan_packages[@]}"); then
    for package in "$folder"/*.deb; do dpkg-deb -x "$package" "$folder/files"; done
    find "$folder/files" -name 'lib*.so.*' -exec cp -P {} "$bundle/vulkan" \;
  else
    echo "bundle.sh: cannot download ${vulkan_packages[*]}; vulkan runs where they are installed" >&2
  fi
  rm -rf "$folder"
}

build_programs
copy_programs
copy_libraries
copy_vulkan
"$bundle/bin/gpu_check" devices
du -sh "$bundle"
