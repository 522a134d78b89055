#!/usr/bin/env bash
# Scores $DIS against $REF; without them, the sample pair.
set -euo pipefail

build=${BUILD:-build}
if [ -z "${REF:-}" ]; then
  tools/sample_pair.sh
  REF=$build/media/reference.mp4
  DIS=$build/media/distorted.mp4
fi
exec "$build/bin/acutance" score "$REF" "$DIS" --output "$build/score.xml"
