#!/usr/bin/env bash
# Runs the tests with coverage counters and prints the share of lines they reach, file by file.
set -euo pipefail

build="build-coverage"
tools/configure.sh coverage "$build"
cmake --build "$build" --parallel "${JOBS:-2}"
ctest --test-dir "$build" --output-on-failure --parallel "${JOBS:-2}" --timeout 1800
# Debian 12's gcovr 5.2 stops at functions that several instruction sets compile from one source. Kernels on the
# emulator run some lines more often than gcovr believes.
BUILD=$build tools/venv.sh gcovr==8.3
mkdir -p "$build/coverage"
"$build/venv/bin/gcovr" --root . --filter 'src/' --filter 'cli/' --exclude '.*_(test|bench)\.cc' \
  --merge-mode-functions=separate --gcov-suspicious-hits-threshold=0 --print-summary \
  --html-details "$build/coverage/index.html" --txt "$build/coverage/summary.txt" "$build"
cat "$build/coverage/summary.txt"
