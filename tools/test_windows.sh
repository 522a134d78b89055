#!/usr/bin/env bash
# Tests the build for Windows under wine: unit tests, stored scores of all features and models, logs next to those of this machine's
# build, and what only Windows has: its names, paths, pipes and line ends.
# usage: test_windows.sh FOLDER_OF_WINDOWS FOLDER_HERE
set -euo pipefail

windows=$(realpath "$1")
here=$(realpath "$2")
wine=/usr/lib/wine/wine64 # the package has no command
# wine reads the names of files here by the locale.
export LC_ALL=C.UTF-8 WINEPREFIX=$windows/wine WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml=
[ -e "$WINEPREFIX/system.reg" ] || "$wine" wineboot --init
# A program starts in a tenth of a second where wine's server waits for it, in three otherwise.
/usr/lib/wine/wineserver64 -p
trap '/usr/lib/wine/wineserver64 -k' EXIT

# Python calls the commands by these.
mkdir -p "$windows/run"
for name in acutance vmaf; do
  printf '#!/bin/sh\nexec %q %q "$@"\n' "$wine" "$windows/bin/$name.exe" >"$windows/run/$name"
  chmod +x "$windows/run/$name"
done

tests=(base_test exact_math_test image_test model_test psnr_test simd_test stats_test)
cmake --build "$windows" --parallel "${JOBS:-2}" --target "${tests[@]}"
# The fma() of mingw-w64 rounds numbers near 0 wrong, and plans need kernels.
for name in "${tests[@]}"; do
  (cd "$windows" && "$wine" "tests/$name.exe" --gtest_brief=1 --gtest_filter='-ExactArithmetic.FusedMultiplyAdd:PsnrPlan.*')
done
# A C program prints the same on libvmaf.dll, linked by either import library, as on the library here.
cmake --build "$windows" --parallel "${JOBS:-2}" --target vmaf_shared vship_shared
cc -std=c99 -Iinclude -Iinclude/libvmaf tests/abi/client.c -o "$windows/run/client" -L"$here/lib" -lvmaf
expected=$(LD_LIBRARY_PATH=$here/lib "$windows/run/client")
for library in libvmaf.dll.a vmaf.lib; do
  x86_64-w64-mingw32-gcc-posix -std=c99 -Iinclude -Iinclude/libvmaf tests/abi/client.c -o "$windows/bin/client.exe" "$windows/lib/$library"
  said=$("$wine" "$windows/bin/client.exe" | tr -d '\r')
  [ "$said" = "$expected" ] || { echo "by $library: $said, here: $expected" >&2; exit 1; }
done
rm "$windows/bin/client.exe"
# Windows' own DLLs alone are needed.
needed=$(x86_64-w64-mingw32-objdump -p "$windows"/bin/*.exe "$windows"/bin/*.dll | sed -n 's/.*DLL Name: //p' | sort -fu | tr '\n' ' ')
echo "DLLs: $needed"
[[ ! $needed =~ lib(gcc|stdc|winpthread) ]]
tests/windows/test_drivers.sh "$windows"
python3 -B tests/golden/scores.py "$windows/run/vmaf"
python3 -B tests/arm/same_logs.py "$here/bin/vmaf" "$windows/run/vmaf"
python3 -B tests/windows/test_windows.py "$windows/run" "$here/bin"
