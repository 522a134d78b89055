#!/usr/bin/env bash
# Tests the build for aarch64 under qemu-user: stored scores of all features and models, logs next to those of this machine's build,
# a Raspberry Pi 4's instructions and unit tests. VECTOR_MINUTES: how long logs over the golden vectors are compared, 5 by default.
# usage: test_arm.sh FOLDER_OF_ARM FOLDER_HERE [TESTS]    TESTS: a pattern of CTest names
set -euo pipefail

arm=$(realpath "$1")
here=$(realpath "$2")
# Under qemu, a test takes some 50 times as long.
tests=${3:-^(adm|exact_math|fiber|motion|psnr|simd|vif)_test\$}

# Python calls the commands by these.
mkdir -p "$arm/qemu"
for name in acutance vmaf; do
  printf '#!/bin/sh\nexec qemu-aarch64 -L %q %q "$@"\n' "$arm/sysroot" "$arm/bin/$name" >"$arm/qemu/$name"
  chmod +x "$arm/qemu/$name"
done

python3 -B tests/golden/scores.py "$arm/qemu/vmaf"
lacking=$(aarch64-linux-gnu-objdump -d "$arm/bin/vmaf" | grep -E '\s(aes[a-z]+|pmull2?|sha(1|256|512)[a-z0-9]*)\s|\sz[0-9]+\.[bhsd]' || true)
if [ -n "$lacking" ]; then
  echo "test-arm: instructions that a Raspberry Pi 4 lacks: ${lacking:0:300}" >&2
  exit 1
fi
python3 -B tests/arm/same_logs.py "$here/bin/vmaf" "$arm/qemu/vmaf"
python3 -B tests/arm/vector_logs.py "$here/bin/vmaf" "$arm/qemu/vmaf" --minutes "${VECTOR_MINUTES:-5}" --jobs "${JOBS:-2}"
ctest --test-dir "$arm" --output-on-failure --tests-regex "$tests" --no-tests=error --parallel "${JOBS:-2}" --timeout 3600
