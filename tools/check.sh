#!/usr/bin/env bash
# Builds and runs the tests of one folder: tools/check.sh vif. The folder is one of src/, src/metric/, src/backend/,
# src/run/ or tests/.
set -euo pipefail

build=${BUILD:-build}
name=${1:-}

find_folder() {
  local place
  for place in src src/metric src/backend src/run tests; do
    if [ -f "$place/$name/CMakeLists.txt" ]; then
      echo "$place/$name"
      return
    fi
  done
  echo "make check: T=$name names no folder with tests; T=vif, T=engine and T=e2e do" >&2
  return 2
}

folder=$(find_folder)
# The tests of tests/ run the programs and libraries that people install.
programs=()
case $folder in tests/*) programs=(acutance vmaf acutance_shared vmaf_shared vship_shared) ;; esac
if [ -f "$build/build.ninja" ]; then
  cmake --build "$build" --parallel "${JOBS:-2}" --target "$folder/all" "${programs[@]}"
else
  cmake --build "$build/$folder" --parallel "${JOBS:-2}"
  [ ${#programs[@]} -eq 0 ] || cmake --build "$build" --parallel "${JOBS:-2}" --target "${programs[@]}"
fi
exec ctest --test-dir "$build/$folder" --output-on-failure --no-tests=error --parallel "${JOBS:-2}"
