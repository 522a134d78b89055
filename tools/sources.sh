#!/usr/bin/env bash
# Lists the C++ sources, one a line.
set -euo pipefail

find src cli include python plugins tests bench -name '*.cc' -o -name '*.h' | sort
