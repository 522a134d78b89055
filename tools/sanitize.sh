#!/usr/bin/env bash
# Builds the tests with a sanitizer and runs those that it can watch: tools/sanitize.sh asan|tsan [options of ctest].
# One instruction set instead of all, and kernels for the emulator alone, which runs their source: a build of the whole
# preset takes hours.
set -euo pipefail

preset=${1:?usage: tools/sanitize.sh asan|tsan [options of ctest]}
build=build-$preset
jobs=${JOBS:-$(tools/jobs.sh)}
shift
[ -f "$build/CMakeCache.txt" ] ||
  tools/configure.sh "$preset" "$build" -DACUTANCE_CLANG= -DACUTANCE_GLSLC= -DACUTANCE_PYTHON_MODULE=OFF \
    -DCMAKE_CXX_FLAGS="-DHWY_COMPILE_ONLY_STATIC -fno-var-tracking"
cmake --build "$build" --parallel "$jobs"
# A full report of the first fault, and its exit status.
export ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1:detect_stack_use_after_return=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-second_deadlock_stack=1:halt_on_error=1}
# Left out: sweeps over every size and option, which are the same code again; parts that build or install programs.
ctest --test-dir "$build" --output-on-failure --parallel "$jobs" --timeout 1800 \
  --label-exclude 'structure|install|vectors|python|fuzz' --exclude-regex '^parity_(emu|vulkan|sycl)' "$@"
