#!/usr/bin/env bash
# Builds the fuzz targets and runs them: tools/fuzz.sh run SECONDS [TARGET ...]. Each runs that long, $JOBS of them at
# once, from the seeds of tests/fuzz/seeds.py, the inputs of tests/fuzz/corpus and what earlier runs found.
# `tools/fuzz.sh build` builds them; `tools/fuzz.sh pack FOLDER` makes a folder that runs on another machine, by
# FOLDER/run.sh SECONDS.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=${FUZZ_BUILD:-$root/build-fuzz}
compiler=${FUZZ_CXX:-clang++-19}
jobs=${JOBS:-$("$root/tools/jobs.sh")}

build_targets() {
  mkdir -p "$build"
  if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    "$compiler" -x c++ -fsanitize=fuzzer,address,undefined - -o /dev/null 2>/dev/null; then
    echo "fuzz: $compiler has no libFuzzer; on Debian the package libclang-rt-19-dev has it" >&2
    exit 1
  fi
  # One instruction set: the tests compare all of them, and each would be compiled with the sanitizers.
  [ -f "$build/build.ninja" ] || [ -f "$build/Makefile" ] ||
    cmake -S "$root" -B "$build" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
      -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -gline-tables-only" -DCMAKE_CXX_FLAGS="-DHWY_COMPILE_ONLY_STATIC" \
      -DACUTANCE_SANITIZE=address,undefined,fuzzer-no-link -DACUTANCE_CLANG= -DACUTANCE_GLSLC= \
      -DACUTANCE_BENCHMARKS=OFF -DACUTANCE_TESTS=OFF -DACUTANCE_FUZZ=ON >"$build/build.log" 2>&1 || {
      cat "$build/build.log" >&2
      exit 1
    }
  cmake --build "$build" --target fuzz --parallel "$jobs" >"$build/build.log" 2>&1 || {
    cat "$build/build.log" >&2
    exit 1
  }
}

# A folder with the programs, their libraries, seeds and dictionaries.
pack() {
  mkdir -p "$1/lib" "$1/corpus"
  cp "$build"/fuzz/fuzz_* "$1/"
  for program in "$1"/fuzz_*; do
    ldd "$program" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libdl|libpthread|librt|libresolv)\.so/ { print $3 }'
  done | sort -u | xargs -r -I{} cp -L {} "$1/lib/"
  "$root/tests/fuzz/seeds.py" "$1/seeds"
  [ ! -d "$root/tests/fuzz/corpus" ] || cp -r "$root/tests/fuzz/corpus/." "$1/corpus/"
  cp "$root/tests/fuzz/run.sh" "$1/run.sh"
}

case ${1:-} in
  build) build_targets ;;
  pack)
    build_targets
    pack "$2"
    ;;
  run)
    build_targets
    pack "$build/run"
    JOBS=$jobs "$build/run/run.sh" "${@:2}"
    ;;
  *)
    echo "usage: tools/fuzz.sh build | pack FOLDER | run SECONDS [TARGET ...]" >&2
    exit 2
    ;;
esac
