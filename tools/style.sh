#!/usr/bin/env bash
# Formatting, shell scripts, layers and structure of the tree, without a build: tools/style.sh [--staged].
# --staged formats only what git is about to commit. It takes a few seconds.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --staged ]; then
  mapfile -t sources < <(git diff --cached --name-only --diff-filter=ACMR -- '*.cc' '*.h')
else
  mapfile -t sources < <(tools/sources.sh)
fi
if [ ${#sources[@]} -gt 0 ]; then
  printf '%s\0' "${sources[@]}" | xargs -0 -P "$(tools/jobs.sh)" -n 64 clang-format --dry-run -Werror ||
    { echo "make style: formatting differs; make format corrects it" >&2; exit 1; }
fi
shellcheck tools/*.sh .ci/run packaging/docker/image.sh tests/fuzz/oss-fuzz/build.sh
python3 -B tools/check_includes.py
python3 -B tools/check_spec.py
python3 -B tools/check_files.py
