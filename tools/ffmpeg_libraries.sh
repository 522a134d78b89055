#!/usr/bin/env bash
# Builds the shared libraries of FFmpeg's decoders that a wheel or the zip for Windows carries, with dav1d and zlib inside, from
# Debian's source packages: LGPL, without what is GPL or nonfree. usage: ffmpeg_libraries.sh FOLDER MACHINE [PORTABLE]
#   MACHINE: x86_64, or aarch64, which Debian's cross compiler may build, for Linux, with PORTABLE, a folder of tools/portable.sh;
#   or windows, by mingw-w64
set -euo pipefail
shopt -s nullglob

mkdir -p "$1"
out=$(realpath "$1")
machine=$2
portable=${3:+$(realpath "$3")}
stamp=$out/.made
made="$machine $(cat tools/ffmpeg_libraries.sh ${portable:+"$portable/.made"} | sha256sum)"
[ "$(cat "$stamp" 2>/dev/null)" != "$made" ] || exit 0

rm -rf "$out"
mkdir -p "$out/sources" "$out/lib"
tools/fetch_sources.sh "$out/sources" ffmpeg dav1d zlib
for package in ffmpeg dav1d zlib; do
  mkdir "$out/sources/$package"
  tar -x --strip-components=1 -C "$out/sources/$package" -f "$(find "$out/sources" -maxdepth 1 -name "${package}_*.orig.tar.*")"
done
jobs=$(tools/jobs.sh)

flags=(--disable-everything --disable-autodetect --disable-programs --disable-doc --disable-static --enable-shared --disable-avdevice
  --disable-avfilter --disable-swscale --disable-swresample --disable-network --disable-debug --enable-zlib --enable-libdav1d)
decoders=(h264 hevc vp8 vp9 av1 libdav1d mpeg1video mpeg2video mpeg4 msmpeg4v2 msmpeg4v3 h263 prores dnxhd ffv1 huffyuv ffvhuff utvideo
  rawvideo png mjpeg v210 wrapped_avframe flv theora vc1 wmv1 wmv2 wmv3 dvvideo cfhd jpeg2000 bmp gif tiff webp)
demuxers=(mov matroska mpegts mpegps mpegvideo avi yuv4mpegpipe ivf obu h264 hevc av1 image2 concat m4v rawvideo mxf flv nut
  asf dv gif ogg image_bmp_pipe image_j2k_pipe image_jpeg_pipe image_png_pipe image_tiff_pipe image_webp_pipe)
parsers=(h264 hevc vp8 vp9 av1 mpegvideo mpeg4video mjpeg png dnxhd h263 bmp gif jpeg2000 vc1 webp)
filters=(vp9_superframe_split av1_frame_merge h264_mp4toannexb hevc_mp4toannexb vp9_superframe)
flags+=("${decoders[@]/#/--enable-decoder=}" "${demuxers[@]/#/--enable-demuxer=}" "${parsers[@]/#/--enable-parser=}"
  "${filters[@]/#/--enable-bsf=}" --enable-protocol=file --enable-protocol=pipe
  --enable-muxer=matroska) # writes videos of maps
system=linux
family=$machine
tool=$machine-linux-gnu-
link="-L$portable $portable/old_glibc.o -Wl,--push-state,--no-as-needed -lpthread -ldl -Wl,--pop-state -Wl,--allow-shlib-undefined"
if [ "$machine" = windows ]; then
  system=mingw32
  family=x86_64
  tool=x86_64-w64-mingw32-
  link="-static-libgcc -Wl,--no-insert-timestamp"
  flags+=(--enable-w32threads --extra-libs=-l:libwinpthread.a) # inside, not as a DLL
fi
cross=()
meson=()
if [ "$machine" = "$(uname -m)" ]; then
  tool=
else
  cross=(--enable-cross-compile "--arch=$family" "--target-os=$system" "--cross-prefix=$tool" --pkg-config=pkg-config)
  meson=(--cross-file "$out/cross.ini")
  cat >"$out/cross.ini" <<END
[binaries]
c = '${tool}gcc'
ar = '${tool}ar'
strip = '${tool}strip'
windres = '${tool}windres'
[host_machine]
system = '${system/mingw32/windows}'
cpu_family = '$family'
cpu = '$family'
endian = 'little'
END
fi
build() (
  set -e
  cd "$out/sources/zlib" # Debian's own libz.a fits programs alone
  CC=${tool}gcc AR=${tool}ar RANLIB=${tool}ranlib CFLAGS="-O3 -fPIC" ./configure --static --prefix="$out/prefix"
  make -j "$jobs" install
  meson setup "$out/dav1d" "$out/sources/dav1d" --buildtype=release --default-library=static -Db_staticpic=true \
    --prefix="$out/prefix" --libdir=lib -Denable_tools=false -Denable_tests=false "${meson[@]}"
  ninja -j "$jobs" -C "$out/dav1d" install
  cd "$out/sources/ffmpeg"
  # The libraries hold configure's arguments, which therefore name no folder of this machine.
  PKG_CONFIG_LIBDIR=$out/prefix/lib/pkgconfig CFLAGS=-I$out/prefix/include LDFLAGS="-L$out/prefix/lib $link" \
    ./configure "${flags[@]}" "${cross[@]}"
  make -j "$jobs"
)
build >"$out/build.log" 2>&1 &
wait $! || {
  tail -20 "$out/build.log" >&2
  exit 1
}
for name in avutil avcodec avformat; do
  made_files=("$out/sources/ffmpeg/lib$name/"{"lib$name.so".?*,"$name"-*.dll})
  install -s --strip-program="${tool}strip" -m 755 "${made_files[@]}" "$out/lib/"
done
mkdir -p "$out/licences"
cp "$out/sources/ffmpeg/COPYING.LGPLv2.1" "$out/licences/FFmpeg.LGPLv2.1"
cp "$out/sources/dav1d/COPYING" "$out/licences/dav1d"
{
  echo "libavcodec, libavformat and libavutil are FFmpeg's (LGPL 2.1 or later, FFmpeg.LGPLv2.1), with dav1d (dav1d) and zlib inside."
  echo "tools/ffmpeg_libraries.sh of acutance's sources builds them from these archives, which Debian has. Other versions, from 5.1 to 9,"
  echo "serve in their place: as files beside these, or in the folder that the variable ACUTANCE_FFMPEG_LIBRARIES names."
  (cd "$out/sources" && sha256sum ./*.orig.tar.*)
  echo "FFmpeg's options:" "${flags[@]}" "${cross[@]}"
} >"$out/licences/SOURCES"
rm -rf "$out/sources" "$out/dav1d" "$out/prefix"
echo "$made" >"$stamp"
