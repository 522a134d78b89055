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

# Python calls the commands by these.
mkdir -p "$windows/run"
for name in acutance vmaf; do
  printf '#!/bin/sh\nexec %q %q "$@"\n' "$wine" "$windows/bin/$name.exe" >"$windows/run/$name"
  chmod +x "$windows/run/$name"
done

tests=(base_test exact_math_test image_test model_test psnr_test simd_test stats_test)
cmake --build "$windows" --parallel "${JOBS:-2}" --target "${tests[@]}"
for name in "${tests[@]}"; do
  (cd "$windows" && "$wine" "tests/$name.exe" --gtest_brief=1)
done
python3 -B tests/golden/scores.py "$windows/run/vmaf"
python3 -B tests/arm/same_logs.py "$here/bin/vmaf" "$windows/run/vmaf"
python3 -B tests/windows/test_windows.py "$windows/run" "$here/bin"
