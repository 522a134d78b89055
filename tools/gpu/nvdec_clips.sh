#!/usr/bin/env bash
# Makes what nvdec_check.sh needs on a machine that has a GPU but no FFmpeg: pairs of clips, made by the ffmpeg command,
# and in lib/ FFmpeg's libraries with what these clips need, built from the source package of this machine's Debian.
#
# usage: tools/gpu/nvdec_clips.sh [FOLDER]        FOLDER: build/gpu/nvdec by default; FRAMES of the long clips (300)
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=${1:-build/gpu/nvdec}
mkdir -p "$folder/lib" build/nvdec/{lists/partial,cache}
folder=$(realpath "$folder")
work=$(realpath build/nvdec)
frames=${FRAMES:-300}

packages() {
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg signed=
  [ ! -e "$keyring" ] || signed="[signed-by=$keyring]"
  apt-get indextargets --format "$signed \$(SITE) \$(RELEASE) \$(COMPONENT)" 'Created-By: Packages' | sort -u |
    sed 's/.*/deb &\ndeb-src &/' >"$work/sources.list"
  local apt=(apt-get -qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=)
  "${apt[@]}" update
  cd "$work"
  "${apt[@]}" source --download-only ffmpeg
  "${apt[@]}" download nasm libdav1d-dev libdav1d6
}

libraries() {
  local package
  for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/tools"; done
  rm -rf "$work/source"
  dpkg-source --no-check -x "$work"/ffmpeg_*.dsc "$work/source"
  cd "$work/source"
  local libdir
  libdir=$(dirname "$work"/tools/usr/lib/*/libdav1d.so)
  export PATH=$work/tools/usr/bin:$PATH PKG_CONFIG_PATH=$work/tools/usr/share/pkgconfig:$libdir/pkgconfig
  ./configure --prefix="$work/out" --disable-everything --disable-autodetect --disable-programs --disable-doc \
    --disable-static --enable-shared --disable-avdevice --disable-avfilter --disable-swscale --disable-swresample \
    --disable-network --extra-cflags="-I$work/tools/usr/include" --extra-ldflags="-L$libdir" \
    --enable-libdav1d --enable-decoder=h264,hevc,vp8,vp9,av1,libdav1d \
    --enable-demuxer=mov,matroska --enable-parser=h264,hevc,vp8,vp9,av1 --enable-protocol=file \
    --enable-bsf=vp9_superframe_split,av1_frame_merge
  make -j "$(nproc)" install
}

# clip NAME.EXT FRAMES SIZE PIXEL_FORMAT BITRATE BITRATE ENCODER...: noise keeps encoders and decoders busy.
clip() {
  local name=${1%.*} extension=${1##*.} count=$2 source="testsrc2=size=$3:rate=30,noise=alls=6:allf=t,format=$4"
  local reference=$5 distorted=$6
  shift 6
  local encode=(ffmpeg -v error -nostdin -y -f lavfi -i "$source" -frames:v "$count" "$@")
  "${encode[@]}" -b:v "$reference" "$folder/${name}_ref.$extension"
  "${encode[@]}" -b:v "$distorted" "$folder/${name}_dis.$extension"
}

clips() {
  local x264=(-c:v libx264 -preset veryfast) x265=(-c:v libx265 -preset ultrafast -x265-params log-level=none)
  clip h264.mp4 "$frames" 1920x1080 yuv420p 6M 1500k "${x264[@]}"
  clip hevc.mp4 "$frames" 1920x1080 yuv420p 3M 1M "${x265[@]}"
  clip small264.mp4 240 320x240 yuv420p 500k 200k "${x264[@]}" -g 30
  clip small265.mp4 240 320x240 yuv420p 500k 200k -c:v libx265 -preset fast -x265-params log-level=none:keyint=30
  clip hevc10.mkv 60 1366x766 yuv420p10le 2M 500k "${x265[@]}"
  clip interlaced.mkv 60 720x576 yuv420p 2M 500k "${x264[@]}" -flags +ildct+ilme
  clip vp9.mkv 40 640x358 yuv420p 1M 300k -c:v libvpx-vp9 -deadline realtime -cpu-used 8
  clip vp8.mkv 40 640x358 yuv420p 1M 300k -c:v libvpx -deadline realtime -cpu-used 8
  clip av1.mkv 40 640x360 yuv420p 1M 300k -c:v libsvtav1 -preset 12
  clip av1_10.mkv 40 640x360 yuv420p10le 1M 300k -c:v libsvtav1 -preset 12
  clip av1_gray.mkv 40 640x360 gray 1M 300k -c:v libaom-av1 -usage realtime -cpu-used 8
  clip cpu_gray.mkv 40 640x360 gray 1M 300k "${x264[@]}"
  clip cpu_h264_444.mkv 40 640x360 yuv444p 1M 300k "${x264[@]}"
}

# Files like those clips with one to three bits flipped, the same in each run: damaged/NAME_NUMBER.mp4.
damage() {
  mkdir -p "$folder/damaged"
  python3 - "$folder" <<'END'
import pathlib, random, sys
folder = pathlib.Path(sys.argv[1])
for name in "small264", "small265":
    whole = (folder / f"{name}_dis.mp4").read_bytes()
    for number in range(40):
        random.seed(f"{name}{number}")
        damaged = bytearray(whole)
        for _ in range(1 + number % 3):
            damaged[random.randrange(len(whole) // 8, len(whole) * 7 // 8)] ^= 1 << random.randrange(8)
        (folder / "damaged" / f"{name}_{number}.mp4").write_bytes(damaged)
END
}

packages
(libraries >"$work/build.log" 2>&1) || { tail -20 "$work/build.log" >&2 && exit 1; }
for library in libavcodec libavformat libavutil; do
  cp -L "$work"/out/lib/$library.so.[0-9][0-9] "$folder/lib"
done
cp -L "$work"/tools/usr/lib/*/libdav1d.so.6 "$folder/lib"
strip "$folder"/lib/*
clips
damage
du -sh "$folder"
