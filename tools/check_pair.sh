#!/usr/bin/env bash
# Fails unless $REF and $DIS can be scored, or neither is given; it runs before a build of some minutes.
set -euo pipefail

[ -n "${REF:-}${DIS:-}" ] || exit 0
if [ -z "${REF:-}" ] || [ -z "${DIS:-}" ]; then
  echo "make score: give both videos: make score REF=reference.mkv DIS=encoded.mp4 (or neither, for the sample)" >&2
  exit 2
fi
for video in "$REF" "$DIS"; do
  if [ "$video" != - ] && [ ! -e "$video" ]; then
    echo "make score: there is no file $video" >&2
    exit 2
  fi
done
