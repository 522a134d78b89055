#!/usr/bin/env bash
# Has acutance.exe look for GPUs under wine, without the drivers' DLLs and with stand-ins for them.
# usage: test_drivers.sh FOLDER_OF_WINDOWS    WINEPREFIX is wine's
set -euo pipefail

cmake --build "$1" --parallel "${JOBS:-2}" --target acutance nvcuda vulkan-1
cd "$1/tests/windows"
run() { /usr/lib/wine/wine64 acutance.exe "$@" 2>&1 | tr -d '\r'; }
expect() { [[ $1 == *"$2"* ]] || { echo "test_drivers: no '$2' in: $1" >&2; exit 1; }; }

cp "$1/bin/acutance.exe" .
rm -f nvcuda.dll vulkan-1.dll
export WINEDLLOVERRIDES='nvcuda,nvcuvid,vulkan-1='
said=$(run devices)
expect "$said" "none: no NVIDIA driver (nvcuda.dll: "
expect "$said" "none: no Vulkan loader (vulkan-1.dll: "
said=$(run selftest --report report.json || true)
expect "$said" "no device"
expect "$(cat report.json)" "nvcuda.dll"

cp standins/*.dll .
export WINEDLLOVERRIDES='nvcuda,vulkan-1=n'
said=$(run devices)
expect "$said" "CUDA "
expect "$said" "the Vulkan loader finds no driver with a device: "
echo "test_drivers: both were opened"
