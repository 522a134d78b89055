#!/bin/bash -eu
# What OSS-Fuzz runs in the image of the Dockerfile next to this: the fuzz targets with its compiler, engine and sanitizers, their
# seeds, inputs that failed once and dictionaries, into $OUT. Variables: CC, CXX, CXXFLAGS, LIB_FUZZING_ENGINE, SRC, WORK, OUT.

prefix=$WORK/prefix
parts=$SRC/acutance/libvmaf/subprojects # as make dist puts them there
mkdir -p "$prefix/lib/pkgconfig" "$prefix/lib/cmake/fmt" "$OUT/lib"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig

# Highway and fmt with the C++ library that the targets have, which is not the system's.
objects=()
for source in "$parts"/highway/hwy/*.cc; do
  objects+=("$WORK/hwy_$(basename "$source").o")
  # shellcheck disable=SC2086 # CXXFLAGS are words
  "$CXX" $CXXFLAGS -std=c++17 -fPIC -DHWY_STATIC_DEFINE -I"$parts/highway" -c "$source" -o "${objects[-1]}"
done
ar rcs "$prefix/lib/libhwy.a" "${objects[@]}"
cat >"$PKG_CONFIG_PATH/libhwy.pc" <<END
Name: libhwy
Description: Highway
Version: 1.0
Libs: -L$prefix/lib -lhwy
Cflags: -I$parts/highway -DHWY_STATIC_DEFINE
END
cat >"$prefix/lib/cmake/fmt/fmt-config.cmake" <<END
add_library(fmt::fmt INTERFACE IMPORTED)
set_target_properties(fmt::fmt PROPERTIES INTERFACE_INCLUDE_DIRECTORIES $parts/fmt/include
                                          INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY)
END

# The targets are linked with C's libraries as shared ones, which go next to them.
cmake -S "$SRC/acutance" -B "$WORK/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=None \
  -DCMAKE_CXX_FLAGS="$CXXFLAGS -DHWY_COMPILE_ONLY_STATIC" \
  -DACUTANCE_FUZZ=ON "-DACUTANCE_FUZZ_ENGINE=$LIB_FUZZING_ENGINE" -DACUTANCE_TESTS=OFF -DACUTANCE_BENCHMARKS=OFF \
  -DACUTANCE_CLANG= -DACUTANCE_GLSLC=
cmake --build "$WORK/build" --target fuzz

python3 "$SRC/acutance/tests/fuzz/seeds.py" "$WORK/seeds"
for program in "$WORK"/build/fuzz/fuzz_*; do
  name=$(basename "$program")
  [ "$name" != fuzz_container ] || continue # reads with FFmpeg's libraries, which the machines that fuzz lack
  cp "$program" "$OUT/"
  ldd "$program" | awk '$3 ~ /lib(deflate|turbojpeg)/ { print $3 }' | xargs -r cp -L -t "$OUT/lib"
  mkdir -p "$WORK/corpus/$name"
  for folder in "$WORK/seeds/$name" "$SRC/acutance/tests/fuzz/corpus/$name"; do
    [ ! -d "$folder" ] || cp "$folder"/* "$WORK/corpus/$name/"
  done
  (cd "$WORK/corpus/$name" && python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" .)
  [ ! -e "$WORK/seeds/$name.dict" ] || cp "$WORK/seeds/$name.dict" "$OUT/"
done
