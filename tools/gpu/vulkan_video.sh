#!/usr/bin/env bash
# FFmpeg's Vulkan Video decoders against its own: the logs must have the same bytes. Prints the speed of both.
#
# usage: tools/gpu/vulkan_video.sh make [FOLDER]        clips, FFmpeg's libraries with Vulkan, built from Debian's sources
#                                                       of $SUITES (sid trixie), and the Vulkan loader; FOLDER:
#                                                       build/gpu/vulkan-video by default, about 45 MB
#        vulkan_video.sh check ACUTANCE FOLDER [OPTION]...    on the machine with the GPU, which needs no FFmpeg; OPTION: of
#                                                       acutance score, such as --backend cuda
#
# FRAMES: of the long clips (300). FFMPEG: the version that is checked, such as 9.0.2; all by default.
set -uo pipefail

frames=${FRAMES:-300}
# What NVIDIA's Vulkan driver opens, and the loader.
loader=(libvulkan1 libegl1 libglvnd0 libopengl0 libgl1 libglx0 libgles2 libx11-6 libxext6 libxcb1 libxau6 libxdmcp6
  libbsd0 libmd0)

# lists SUITE: apt's, of a suite of Debian; "here": this machine's.
lists() {
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg signed=
  [ ! -e "$keyring" ] || signed="[signed-by=$keyring]"
  mkdir -p "$work/$1"/{lists/partial,cache}
  apt-get indextargets --format "$signed \$(SITE) \$(RELEASE) \$(COMPONENT)" 'Created-By: Packages' | sort -u |
    if [ "$1" = here ]; then cat; else awk -v suite="$1" '/debian/ && !/security/ { $(NF-1) = suite; print; exit }'; fi |
    sed 's/.*/deb &\ndeb-src &/' >"$work/$1/sources.list"
  apt=(apt-get -qq -o "Dir::Etc::sourcelist=$work/$1/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=$work/$1/lists" -o "Dir::Cache=$work/$1/cache" -o APT::Sandbox::User=)
  "${apt[@]}" update
  cd "$work/$1" || exit 1
}

unpack() {
  local package
  for package in "$work/$1"/*.deb; do dpkg-deb -x "$package" "$work/$2"; done
}

# libraries SUITE: into the folder's lib-VERSION. Debian's patches are not needed, and a suite that moves may lack them.
libraries() (
  set -e
  lists "$1"
  rm -rf "$work/$1"/ffmpeg*
  "${apt[@]}" source --download-only --tar-only ffmpeg
  mkdir "$work/$1/ffmpeg"
  tar -xf "$work/$1"/ffmpeg_*.orig.tar.xz --strip-components=1 -C "$work/$1/ffmpeg"
  cd "$work/$1/ffmpeg"
  local dav1d
  dav1d=$(dirname "$work"/tools/usr/lib/*/libdav1d.so)
  export PATH=$work/tools/usr/bin:$PATH PKG_CONFIG_PATH=$dav1d/pkgconfig
  ./configure --disable-everything --disable-autodetect --disable-programs --disable-doc --disable-static \
    --enable-shared --disable-avdevice --disable-avfilter --disable-swscale --disable-swresample --disable-network \
    --extra-cflags="-I$work/headers/usr/include -I$work/tools/usr/include" --extra-ldflags="-L$dav1d" \
    --enable-vulkan --enable-libdav1d --enable-decoder=h264,hevc,vp8,vp9,av1,libdav1d,rawvideo \
    --enable-hwaccel=h264_vulkan,hevc_vulkan,vp9_vulkan,av1_vulkan --enable-demuxer=mov,matroska,yuv4mpegpipe \
    --enable-parser=h264,hevc,vp8,vp9,av1 --enable-protocol=file --enable-bsf=vp9_superframe_split,av1_frame_merge
  grep -q '^#define CONFIG_H264_VULKAN_HWACCEL 1' config_components.h
  make -j "$(tools/jobs.sh 2>/dev/null || nproc)"
  local out name
  out=$folder/lib-$(cat VERSION 2>/dev/null || cat RELEASE)
  mkdir -p "$out"
  for name in avutil avcodec avformat; do install -s -m 755 lib$name/lib$name.so.?* "$out/"; done
  cp -L "$work"/tools/usr/lib/*/libdav1d.so.6 "$out"
)

# clip NAME.EXT FRAMES SIZE PIXEL_FORMAT BITRATE BITRATE ENCODER...: noise keeps encoders and decoders busy.
clip() {
  local name=${1%.*} extension=${1##*.} count=$2 source="testsrc2=size=$3:rate=30,noise=alls=6:allf=t,format=$4"
  local reference=$5 distorted=$6
  shift 6
  local encode=(ffmpeg -v error -nostdin -y -f lavfi -i "$source" -frames:v "$count" "$@")
  "${encode[@]}" -b:v "$reference" "$folder/${name}_ref.$extension" &&
    "${encode[@]}" -b:v "$distorted" "$folder/${name}_dis.$extension"
}

clips() {
  export SVT_LOG=1
  local x264=(-c:v libx264 -preset veryfast -g 60) svt=(-c:v libsvtav1 -preset 12 -g 60)
  local x265=(-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=60)
  local vpx=(-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 30)
  clip h264.mp4 "$frames" 1920x1080 yuv420p 4M 1M "${x264[@]}"
  clip hevc.mp4 "$frames" 1920x1080 yuv420p 3M 1M "${x265[@]}"
  clip av1.mkv "$frames" 1920x1080 yuv420p 3M 1M "${svt[@]}"
  clip small264.mp4 240 320x240 yuv420p 500k 200k "${x264[@]}" -g 30
  clip small265.mp4 240 320x240 yuv420p 500k 200k -c:v libx265 -preset fast -x265-params log-level=none:keyint=30
  clip hevc10.mkv 120 1366x766 yuv420p10le 2M 500k "${x265[@]}"
  clip hevc422.mkv 60 640x360 yuv422p10le 2M 500k "${x265[@]}"
  clip hevc444.mkv 60 640x360 yuv444p 2M 500k "${x265[@]}"
  clip hevc12.mkv 60 640x360 yuv420p12le 2M 500k "${x265[@]}"
  clip crop.mp4 60 640x360 yuv420p 1M 300k "${x264[@]}" -bsf:v h264_metadata=crop_left=16:crop_top=8:crop_bottom=4
  clip interlaced.mkv 120 720x576 yuv420p 2M 500k "${x264[@]}" -flags +ildct+ilme
  clip vp9.mkv 120 640x358 yuv420p 1M 300k "${vpx[@]}"
  clip vp9_10.mkv 60 640x358 yuv420p10le 1M 300k "${vpx[@]}"
  clip vp8.mkv 60 640x358 yuv420p 1M 300k -c:v libvpx -deadline realtime -cpu-used 8
  clip av1_10.mkv 120 640x360 yuv420p10le 1M 300k "${svt[@]}"
  clip av1_grain.mkv 60 640x360 yuv420p 1M 300k "${svt[@]}" -svtav1-params film-grain=20
  clip gray.mkv 60 640x360 gray 1M 300k "${x264[@]}"
  clip h264_444.mkv 60 640x360 yuv444p 1M 300k "${x264[@]}"
}

# Files like those clips with one to three bits flipped, the same in each run: damaged/NAME_NUMBER.mp4.
damage() {
  rm -rf "$folder/damaged"
  mkdir "$folder/damaged"
  python3 - "$folder" <<'PYTHON'
import pathlib, random, sys
folder = pathlib.Path(sys.argv[1])
for name in "small264", "small265":
    whole = (folder / f"{name}_dis.mp4").read_bytes()
    for number in range(10):
        random.seed(f"{name}{number}")
        damaged = bytearray(whole)
        for _ in range(1 + number % 3):
            damaged[random.randrange(len(whole) // 8, len(whole) * 7 // 8)] ^= 1 << random.randrange(8)
        (folder / "damaged" / f"{name}_{number}.mp4").write_bytes(damaged)
PYTHON
}

make_folder() {
  cd "$(dirname "$0")/../.." || exit 1
  folder=${1:-build/gpu/vulkan-video}
  work=build/vulkan-video
  mkdir -p "$folder/vulkan" "$work"
  folder=$(realpath "$folder")
  work=$(realpath "$work")
  (lists here && "${apt[@]}" download nasm libdav1d-dev libdav1d6 && unpack here tools) || exit 1
  (lists here && mkdir -p "$work/loader" && cd "$work/loader" && "${apt[@]}" download "${loader[@]}" &&
    unpack loader loaded && find "$work/loaded" -name 'lib*.so.*' -exec cp -P {} "$folder/vulkan" \;) || exit 1
  (lists sid && "${apt[@]}" download libvulkan-dev && unpack sid headers) || exit 1 # FFmpeg needs new ones
  local suite
  for suite in ${SUITES:-sid trixie}; do
    libraries "$suite" >"$work/$suite.log" 2>&1 || { tail -20 "$work/$suite.log" >&2 && exit 1; }
  done
  clips
  damage
  cp "$0" "$folder"
  du -sh "$folder"
}

# The loader where the machine has none, and a manifest for NVIDIA's driver where that came without.
prepare_vulkan() {
  local driver=libGLX_nvidia.so.0 manifest
  ldconfig -p | grep -q 'libvulkan\.so\.1 ' || export LD_LIBRARY_PATH=$folder/vulkan${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  for manifest in /etc/vulkan/icd.d/nvidia_icd*.json /usr/share/vulkan/icd.d/nvidia_icd*.json; do
    if [ -e "$manifest" ]; then return; fi
  done
  if [ -n "${VK_DRIVER_FILES:-}" ]; then return; fi
  export VK_DRIVER_FILES=$work/nvidia_icd.json
  printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.4.0"}}\n' "$driver" \
    >"$VK_DRIVER_FILES"
}

# score DECODER LOG VIDEO... [OPTION]...: its summary goes to LOG.json, its messages to LOG.err.
score() {
  local decoder=$1 log=$2
  shift 2
  "$acutance" score "$@" "${options[@]}" --decoder "$decoder" --align index -q --precision max -o "$log" \
    --json >"$log.json" 2>"$log.err"
}

# The error, without warnings.
reason() { grep -v ': warning:' "$1" | tail -1; }

speed() { sed -n 's/^  "fps": \([0-9]*\).*/\1/p' "$1"; }

# compare NAME VIDEO... [OPTION]...: the logs by both decoders.
compare() {
  local name=$1
  shift
  rm -f "$work"/*.csv*
  score cpu "$work/cpu.csv" "$@" || echo "  $name: FAILED: cpu: $(reason "$work/cpu.csv.err")"
  if ! score vulkan "$work/gpu.csv" "$@"; then
    echo "  $name: refused: $(reason "$work/gpu.csv.err")"
    refused=$((refused + 1))
  elif ! cmp "$work/cpu.csv" "$work/gpu.csv"; then
    echo "  $name: FAILED: the logs differ"
    failed=$((failed + 1))
  elif ! grep -q '"decoder": *"vulkan"' "$work/gpu.csv.json"; then
    echo "  $name: decoded by the CPU: $(grep -o '"one_decoder": *"[^"]*"' "$work/gpu.csv.json" | sort -u | paste -sd' ')"
    left=$((left + 1))
  else
    echo "  $name: same log; pairs/s: cpu $(speed "$work/cpu.csv.json"), vulkan $(speed "$work/gpu.csv.json")"
    same=$((same + 1))
  fi
}

check_folder() {
  local ffmpeg reference distorted broken name
  failed=0 refused=0 left=0 same=0 alike=0 other=0
  prepare_vulkan
  "$acutance" devices | sed -n '/^vulkan/,/^[a-z]*:/p'
  for ffmpeg in "$folder"/lib-${FFMPEG:-*}; do
    export ACUTANCE_FFMPEG_LIBRARIES=$ffmpeg
    local LD_LIBRARY_PATH=$ffmpeg${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    echo "$(basename "$ffmpeg"): $("$acutance" devices | sed -n 's/^containers: //p')"
    for reference in "$folder"/*_ref.*; do
      distorted=${reference/_ref./_dis.}
      name=$(basename "$reference")
      name=${name%_ref.*}
      compare "$name" "$reference" "$distorted"
      compare "$name, all planes" "$reference" "$distorted" --no-model --feature psnr
    done
    compare "av1_grain without grain" "$folder"/av1_grain_{ref,dis}.mkv --film-grain off
    for broken in "$folder"/damaged/*; do
      name=$(basename "$broken")
      rm -f "$work"/*.csv*
      score cpu "$work/cpu.csv" "$folder/${name%%_*}_ref.mp4" "$broken"
      if ! score vulkan "$work/gpu.csv" "$folder/${name%%_*}_ref.mp4" "$broken"; then
        echo "  $name: refused: $(reason "$work/gpu.csv.err")"
        refused=$((refused + 1))
      elif cmp -s "$work/cpu.csv" "$work/gpu.csv" && cmp -s "$work/cpu.csv.err" "$work/gpu.csv.err"; then
        alike=$((alike + 1))
      else
        other=$((other + 1))
        echo "  $name: another log: $(grep -h 'damage\|acutance: [^w]' "$work/gpu.csv.err" | paste -sd' ')"
      fi
    done
  done
  echo "vulkan video: $failed failed, $same the same, $refused refused, $left left to the CPU; damaged files: $alike the same, $other others"
  [ "$failed" = 0 ] && [ "$same" -gt 0 ]
}

case ${1:-} in
  make)
    shift
    make_folder "$@"
    ;;
  check)
    acutance=$(realpath "$2")
    folder=$(realpath "$3")
    options=("${@:4}")
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    check_folder
    ;;
  *)
    sed -n '2,11s/^# \?//p' "$0"
    exit 2
    ;;
esac
