#!/usr/bin/env bash
# Opens stand-ins for the GPU drivers' DLLs under wine. Builds for Windows leave the GPU backends out, so what opens their
# drivers is compiled here. usage: test_drivers.sh FOLDER_OF_WINDOWS    WINEPREFIX is wine's
set -euo pipefail

windows=$(realpath "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/include"
cp -r /usr/include/vulkan /usr/include/vk_video "$place/include/"
flags=(-O1 -std=c++20 -static -DNOMINMAX -Iinclude -Isrc -isystem "$place/include" -isystem "$windows/sysroot/include")
libraries=("$windows/src/base/libacutance_base.a" "$windows/sysroot/lib/libfmt.a")
gxx=x86_64-w64-mingw32-g++-posix
"$gxx" "${flags[@]}" tests/windows/drivers.cc src/backend/cuda/driver.cc src/backend/vulkan/driver.cc "${libraries[@]}" -o "$place/drivers.exe"
opened() { (cd "$place" && /usr/lib/wine/wine64 drivers.exe | tr -d '\r'); }
expect() { [[ $1 == *"$2"* ]] || { echo "test_drivers: no '$2' in: $1" >&2; exit 1; }; }

said=$(WINEDLLOVERRIDES='nvcuda,vulkan-1=' opened)
expect "$said" "CUDA: no NVIDIA driver (nvcuda.dll: "
expect "$said" "Vulkan: no Vulkan loader (vulkan-1.dll: "
"$gxx" "${flags[@]}" -shared -Wl,--export-all-symbols src/backend/cuda/testing/fake_cuda.cc "${libraries[@]}" -o "$place/nvcuda.dll"
x86_64-w64-mingw32-gcc-posix -shared -isystem "$place/include" tests/windows/vulkan_standin.c -o "$place/vulkan-1.dll"
said=$(WINEDLLOVERRIDES='nvcuda,vulkan-1=n' opened)
expect "$said" "CUDA: CUDA "
expect "$said" "Vulkan: the Vulkan loader finds no driver with a device: "
echo "test_drivers: both were opened"
