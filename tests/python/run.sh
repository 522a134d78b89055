#!/usr/bin/env bash
# Runs the tests of the Python package with the environment that tools/python_package.sh makes: run.sh BUILD TESTS
set -euo pipefail

python=$1/venv/bin/python
if [ ! -e "$1/venv/.has-acutance" ]; then
  echo "skipped: the Python package is not installed in $1/venv (make test-python installs it from PyPI's packages)"
  exit 77
fi
exec "$python" -X dev -B -m pytest --quiet --rootdir="$2/../.." "$2"
