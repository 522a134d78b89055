#!/usr/bin/env bash
# Scores $DIS against $REF; without them, the sample pair.
set -euo pipefail

build=${BUILD:-build}
if [ -z "${REF:-}" ] && [ -z "${DIS:-}" ]; then
  tools/sample_pair.sh
  REF=$build/media/reference.mp4
  DIS=$build/media/distorted.mp4
elif [ -z "${REF:-}" ] || [ -z "${DIS:-}" ]; then
  echo "make score: give both videos: make score REF=reference.mkv DIS=encoded.mp4 (or neither, for the sample)" >&2
  exit 2
fi
exec "$build/bin/acutance" score "$REF" "$DIS" --output "$build/score.xml"
