#!/usr/bin/env bash
# Opens the GPU drivers' DLLs under wine, without any and with stand-ins. usage: test_drivers.sh FOLDER_OF_WINDOWS
# WINEPREFIX is wine's.
set -euo pipefail

cmake --build "$1" --parallel "${JOBS:-2}" --target drivers nvcuda vulkan-1
cd "$1/tests/windows"
opened() { /usr/lib/wine/wine64 drivers.exe | tr -d '\r'; }
expect() { [[ $1 == *"$2"* ]] || { echo "test_drivers: no '$2' in: $1" >&2; exit 1; }; }

rm -f nvcuda.dll vulkan-1.dll
said=$(WINEDLLOVERRIDES='nvcuda,vulkan-1=' opened)
expect "$said" "CUDA: no NVIDIA driver (nvcuda.dll: "
expect "$said" "Vulkan: no Vulkan loader (vulkan-1.dll: "
cp standins/*.dll .
said=$(WINEDLLOVERRIDES='nvcuda,vulkan-1=n' opened)
expect "$said" "CUDA: CUDA "
expect "$said" "Vulkan: the Vulkan loader finds no driver with a device: "
echo "test_drivers: both were opened"
