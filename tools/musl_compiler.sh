#!/usr/bin/env bash
# Puts commands for the C and C++ compiler of PyPI's zig into FOLDER, named as clang's are, that build for Linux with musl: Debian
# has no C++ library for it. usage: musl_compiler.sh FOLDER
set -euo pipefail

mkdir -p "$1"
folder=$(realpath "$1")
tools/venv.sh ziglang==0.17.1
zig=$(find "$(realpath "${BUILD:-build}")/venv/lib" -path '*/ziglang/zig' -type f)
# command NAME LANGUAGE: an unchanged file stays, as ccache asks for the age of a compiler
command() {
  local text="#!/bin/sh
exec '$zig' $2 -target x86_64-linux-musl \"\$@\""
  [ "$(cat "$folder/x86_64-linux-musl-$1" 2>/dev/null)" = "$text" ] || echo "$text" >"$folder/x86_64-linux-musl-$1"
  chmod +x "$folder/x86_64-linux-musl-$1"
}
command clang "cc -O2 -g0"
command clang++ "c++ -O2 -g0" # without an optimization here, zig makes its C++ library once for each that a call names
