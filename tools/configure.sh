#!/usr/bin/env bash
# Configures one preset of CMakePresets.json into a folder: tools/configure.sh release build
set -euo pipefail

if [ -z "${CMAKE_GENERATOR:-}" ]; then
  if command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; else export CMAKE_GENERATOR='Unix Makefiles'; fi
fi
mkdir -p "$2"
if ! cmake --preset "$1" -B "$2" >"$2/configure.log" 2>&1; then
  cat "$2/configure.log" >&2
  exit 1
fi
