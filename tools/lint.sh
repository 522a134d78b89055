#!/usr/bin/env bash
# The checks of tools/style.sh, then clang-tidy on the sources that changed since it last passed (all of them after a
# change of any header). Needs a configured $BUILD for compile_commands.json.
set -euo pipefail

build=${BUILD:-build}
jobs=${JOBS:-2}
passed=$build/lint
commands=$build/lint/commands

tools/style.sh

mkdir -p "$commands"
python3 tools/single_commands.py "$build/compile_commands.json" >"$commands/compile_commands.json"

tidy() {
  local stamp=$passed/$1.passed
  if [ -e "$stamp" ] && [ -z "$(find "$1" src cli .clang-tidy \( -name '*.h' -o -path "$1" -o -name .clang-tidy \) \
    -newer "$stamp" -print -quit)" ]; then
    return
  fi
  mkdir -p "$(dirname "$stamp")"
  # GCC and C++23 allow constexpr on functions of kernels that call others without it.
  clang-tidy --quiet -p "$commands" --extra-arg=-Wno-invalid-constexpr "$1" 2>/dev/null && touch "$stamp"
}
export -f tidy
export commands passed

# Lists the sources that are compiled here; the sycl plugin needs Intel's headers.
built() {
  local source
  while read -r source; do
    if grep -qF "/$source\"" "$commands/compile_commands.json"; then echo "$source"
    else echo "lint: $source is not built here: left out" >&2
    fi
  done
}

# Tests and benchmarks are held to the compiler's warnings only.
tools/sources.sh | grep -E '^(src|cli)/.*\.cc$' | grep -vE '_(test|bench)\.cc$' | built |
  xargs -P "$jobs" -I {} bash -c 'tidy {}'
echo "lint: all clean"
