#!/usr/bin/env bash
# Debian's own ffmpeg source package, configured with --enable-libvmaf against acutance as $BUILD/clients/prefix holds it
# (installed here), into $BUILD/clients/ffmpeg-SUITE/bin. Built once for a version of ffmpeg; acutance is replaced under
# it, as a distribution would.
# usage: build_ffmpeg.sh [SUITE]    "here" (default): the suites of this machine; another one, such as sid; "static": sid's as a
# program without shared libraries, on the libvmaf.a that Meson makes of the source archive, as builders of static FFmpegs do;
# "cuda": sid's with NVDEC and the filters that leave frames on the card (libvmaf_cuda, scale_cuda), whose kernels clang compiles
set -euo pipefail

suite=${1:-here}
build=$(realpath "${BUILD:-build}")
prefix=$build/clients/prefix
out=$build/clients/ffmpeg-$suite
jobs=$(tools/jobs.sh)
mkdir -p "$out/apt/lists/partial" "$out/apt/cache" "$prefix"

static_libvmaf() {
  local name archive
  tools/dist.sh "$out/dist"
  archive=$(find "$out/dist" -name 'acutance-*.tar.xz')
  name=$(basename "$archive" .tar.xz)
  [ "$(sha256sum <"$archive")" != "$(cat "$prefix/.made" 2>/dev/null)" ] || return 0
  rm -rf "$prefix" "${out:?}/$name" "$out/libvmaf"
  tar -xf "$archive" -C "$out"
  meson setup "$out/libvmaf" "$out/$name/libvmaf" --buildtype=release --default-library=static --prefix="$prefix" --libdir=lib \
    --wrap-mode=nodownload --force-fallback-for=libhwy,fmt,nlohmann_json -Dbuilt_in_models=true -Denable_float=true \
    -Denable_tests=false -Denable_docs=false
  ninja -j "$jobs" -C "$out/libvmaf" install
  sha256sum <"$archive" >"$prefix/.made"
}

if [ "$suite" = static ]; then
  suite=sid
  prefix=$build/clients/static
  static_libvmaf >"$build/clients/static.log" 2>&1 || {
    tail -20 "$build/clients/static.log" >&2
    exit 1
  }
  linking=(--pkg-config-flags=--static --extra-ldflags=-static)
else
  cmake --install "$build" --prefix "$prefix" >"$build/clients/install.log"
  linking=("--extra-ldflags=-Wl,-rpath,$prefix/lib")
fi
cards=()
if [ "$suite" = cuda ]; then
  suite=sid
  # shellcheck disable=SC2054  # configure takes lists with commas
  cards=(--enable-cuda --enable-ffnvcodec --enable-nvdec --enable-cuda-llvm --nvcc=clang-19
    --enable-hwaccel=h264_nvdec,hevc_nvdec --enable-decoder=hevc --enable-parser=hevc
    --enable-filter=libvmaf_cuda,scale_cuda,hwupload_cuda,hwdownload)
fi

# The build has only what the tests use: y4m, raw video, and H.264 in mp4 or matroska; libvmaf's
# filter and those around it.
# shellcheck disable=SC2054  # configure takes lists with commas
parts=(
  --enable-demuxer=yuv4mpegpipe,rawvideo,mov,matroska,concat
  --enable-muxer=null,rawvideo,yuv4mpegpipe,mov,mp4,matroska
  --enable-decoder=rawvideo,wrapped_avframe,h264,ffv1 --enable-encoder=rawvideo,wrapped_avframe,ffv1
  --enable-parser=h264 --enable-protocol=file,pipe,fd
  --enable-filter=libvmaf,psnr,ssim,scale,setsar,format,null,setpts,settb,fps,split,trim,select,copy,color,showinfo,extractplanes
  --enable-indev=lavfi)
flags=(--disable-everything --disable-autodetect --disable-doc --disable-debug --disable-ffplay --disable-x86asm
  --enable-libvmaf "${parts[@]}" "${cards[@]}" "${linking[@]}" --prefix="$out")

# Source packages come from this machine's own package mirror, through separate lists.
sources() {
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg signed=
  [ ! -e "$keyring" ] || signed="[signed-by=$keyring]"
  apt-get indextargets --format "deb-src $signed \$(SITE) \$(RELEASE) \$(COMPONENT)" 'Created-By: Packages' | sort -u |
    if [ "$suite" = here ]; then cat; else awk -v suite="$suite" '!/security/ { $(NF-1) = suite; print; exit }'; fi
}

apt=(apt-get -qq -o "Dir::Etc::sourcelist=$out/apt/sources.list" -o Dir::Etc::sourceparts=-
  -o "Dir::State::lists=$out/apt/lists" -o "Dir::Cache=$out/apt/cache" -o APT::Sandbox::User=)

# download OPTION... PACKAGE: into $out/apt
download() { cd "$out/apt" && "${apt[@]}" source --download-only "$@" </dev/null; }

fetch() {
  sources >"$out/apt/sources.list"
  "${apt[@]}" update </dev/null
  [ ${#cards[@]} = 0 ] || download --tar-only nv-codec-headers
  download ffmpeg && return
  # In a suite that moves, a version may leave the mirror before the list is renewed.
  echo "ffmpeg of $suite: its packaging cannot be had; building the upstream source in it without Debian's patches"
  rm -f ./*.dsc
  download --tar-only ffmpeg
}

newest() { find "$out/apt" -maxdepth 1 -name "ffmpeg_*$1" | sort -V | tail -1; }

[ -n "$(newest .orig.tar.xz)" ] || (fetch)
if [ ${#cards[@]} -gt 0 ]; then  # the headers of NVIDIA's driver
  mkdir -p "$out/headers/source"
  tar -xf "$(find "$out/apt" -name 'nv-codec-headers_*.orig.tar.*')" --strip-components=1 -C "$out/headers/source"
  make -C "$out/headers/source" install PREFIX="$out/headers" >/dev/null
fi
package=$(newest .dsc)
tarball=$(newest .orig.tar.xz)
name=$(basename "${package:-$tarball}")
stamp=$out/$(printf '%s\n' "$name" "${flags[@]}" "$(cat "$prefix/.made" 2>/dev/null)" | sha256sum | cut -c1-16).built
if [ -e "$stamp" ]; then exit; fi

rm -rf "$out/source" "$out"/*.built
if [ -n "$package" ]; then
  dpkg-source --no-check -x "$package" "$out/source" >"$out/unpack.log" 2>&1
else
  mkdir "$out/source"
  tar -xf "$tarball" --strip-components=1 -C "$out/source"
fi
cd "$out/source"
echo "building $name: log in $out/build.log"
{
  PKG_CONFIG_PATH=$prefix/lib/pkgconfig:$out/headers/lib/pkgconfig ./configure "${flags[@]}"
  make -j "$jobs"
  make install
} >"$out/build.log" 2>&1 || {
  tail -20 "$out/build.log" >&2
  exit 1
}
touch "$stamp"
