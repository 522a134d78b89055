#!/usr/bin/env bash
# Installs the Python package into $BUILD/venv, linked with the engine that $BUILD holds, and what its tests use.
# Quick when nothing has changed.
set -euo pipefail

build=$(realpath "${BUILD:-build}")
packages=(scikit-build-core==1.1.2 nanobind==3.1.0 numpy==2.4.6 pytest==9.2.0 mypy==2.4.1 av==18.1.0 pandas==3.1.1
  tqdm==4.70.1 pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0)

tools/venv.sh "${packages[@]}"
tools/venv.sh ray==2.60.0 || echo "setup: continuing without ray; the test of acutance.cluster is skipped" >&2
cmake --build "$build" --target acutance_archive >"$build/python.log" 2>&1 || {
  cat "$build/python.log" >&2
  exit 1
}
stamp=$build/venv/.has-acutance
if [ -e "$stamp" ] && [ -z "$(find python pyproject.toml include/acutance src/run/options.inc tools/option_pages.py "$build/lib/libacutance_archive.a" \
  -newer "$stamp" -print -quit)" ]; then
  exit 0
fi
echo "setup: installing the Python package into $build/venv"
"$build/venv/bin/pip" --quiet --disable-pip-version-check install . --no-build-isolation --no-deps --force-reinstall \
  --config-settings=cmake.source-dir=python --config-settings=cmake.define.ACUTANCE_BUILD="$build" \
  --config-settings=build-dir="$build/python" </dev/null
touch "$stamp"
