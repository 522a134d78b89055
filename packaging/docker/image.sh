#!/usr/bin/env bash
# Writes the files of the image: what a wheel has without Python, and glibc. usage: image.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."

image=$(realpath -m "$1")
machine=$(uname -m)
tools/setup.sh build ffmpeg wheels
build=$(tools/portable_build.sh "$machine")
tools/ffmpeg_libraries.sh "$build/ffmpeg" "$machine" "$build/portable"
cmake --build "$build" --parallel "${JOBS:-$(tools/jobs.sh)}" --target acutance

mkdir -p "$image/usr/bin" "$image/usr/share/doc/acutance" "$image/tmp" "$image/videos"
chmod 1777 "$image/tmp"
strip -o "$image/usr/bin/acutance" "$build/bin/acutance"
ln -sf acutance "$image/usr/bin/vmaf" # what the program is, under this name
cp -L "$build"/ffmpeg/lib/*.so.* "$image/usr/bin/" # which is where the reader looks first
cp models/LICENSE "$image/usr/share/doc/acutance/LICENSE.models"
cp -r LICENSE "$build/acutance.cdx.json" "$build/ffmpeg/licences" "$image/usr/share/doc/acutance/"
# Programs and what they open by name: both at the places where the loader of this machine has them.
for file in "$image"/usr/bin/*; do LD_LIBRARY_PATH=$image/usr/bin ldd "$file"; done | awk '$3 ~ /^\// { print $3 } $1 ~ /^\// { print $1 }' | sort -u |
  grep -v "^$image/" | while read -r library; do install -D "$library" "$image$library"; done
# NVIDIA's driver, which comes when a container starts, needs one more of glibc's.
install -D "/lib/$machine-linux-gnu/librt.so.1" "$image/lib/$machine-linux-gnu/librt.so.1"
du -sm "$image" | awk '{ print "image: " $1 " MB"; exit $1 >= 80 }'
