#!/usr/bin/env bash
# A Python environment of the project's own, in $BUILD/venv: tools/venv.sh [package==version ...]
set -euo pipefail

venv=${BUILD:-build}/venv
[ -x "$venv/bin/pip" ] || python3 -m venv "$venv"
for package in "$@"; do
  stamp=$venv/.has-$package
  [ -e "$stamp" ] && continue
  "$venv/bin/pip" --quiet --disable-pip-version-check install --only-binary :all: "$package" </dev/null
  touch "$stamp"
done
