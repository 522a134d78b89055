#!/usr/bin/env bash
# Writes the source archive of HEAD: what git has and, in libvmaf/subprojects/, the sources of Highway, fmt and nlohmann's JSON as
# Debian has them, so that Meson builds libvmaf on a machine that has none of them, without a network. Two runs of one commit
# write the same bytes. usage: dist.sh [FOLDER]    FOLDER: build/dist by default
set -euo pipefail

out=$(realpath -m "${1:-${BUILD:-build}/dist}")
version=$(sed -n 's/^project(acutance VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=acutance-$version
work=$out/work
rm -rf "$work"
mkdir -p "$work"

# bundle PACKAGE NAME PATTERN...: files of a source package as a subproject; its meson.build comes from standard input
bundle() {
  local folder=$work/$name/libvmaf/subprojects/$2
  mkdir -p "$folder"
  tar -x --strip-components=1 --wildcards --no-wildcards-match-slash -C "$folder" \
    -f "$(find "$work/apt" -name "$1_*.orig.tar.*")" "${@:3}"
  cat >"$folder/meson.build"
}

git archive --prefix="$name/" HEAD | tar -x -C "$work"
tools/fetch_sources.sh "$work/apt" highway fmtlib nlohmann-json3
bundle highway highway '*/LICENSE' '*/hwy/*.h' '*/hwy/ops' '*/hwy/aligned_allocator.cc' '*/hwy/per_target.cc' \
  '*/hwy/print.cc' '*/hwy/targets.cc' <<'END'
project('highway', 'cpp', default_options: ['cpp_std=c++17'])
hwy_lib = static_library('hwy', 'hwy/aligned_allocator.cc', 'hwy/per_target.cc', 'hwy/print.cc', 'hwy/targets.cc',
                         pic: true, cpp_args: '-DHWY_STATIC_DEFINE')
hwy_dep = declare_dependency(include_directories: '.', compile_args: '-DHWY_STATIC_DEFINE')
END
bundle fmtlib fmt '*/LICENSE.rst' '*/include/fmt' <<'END'
project('fmt', 'cpp')
fmt_header_only_dep = declare_dependency(include_directories: 'include', compile_args: '-DFMT_HEADER_ONLY')
END
bundle nlohmann-json3 nlohmann_json '*/LICENSE.MIT' '*/include/nlohmann' <<'END'
project('nlohmann_json', 'cpp')
nlohmann_json_dep = declare_dependency(include_directories: 'include')
END
ln -s libvmaf/subprojects "$work/$name/subprojects"

archive=$out/$name.tar.xz
tar -c --sort=name --mtime="@$(git log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r-w -C "$work" "$name" |
  xz -T1 >"$archive"
rm -rf "$work"
cd "$out"
sha256sum "$name.tar.xz" | tee "$name.tar.xz.sha256"
