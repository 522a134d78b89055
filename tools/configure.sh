#!/usr/bin/env bash
# Configures one preset of CMakePresets.json into a folder: tools/configure.sh release build [options of cmake]
set -euo pipefail

preset=$1
build=$2
shift 2
if [ -z "${CMAKE_GENERATOR:-}" ]; then
  if command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; else export CMAKE_GENERATOR='Unix Makefiles'; fi
fi
mkdir -p "$build"
if ! cmake --preset "$preset" -B "$build" "$@" >"$build/configure.log" 2>&1; then
  cat "$build/configure.log" >&2
  exit 1
fi
