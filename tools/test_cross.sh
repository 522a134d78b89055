#!/usr/bin/env bash
# Builds libvmaf and vmaf for another kind of machine from the source archive, by Meson, into FOLDER_HERE/MACHINE, and compares
# stored scores and logs with those of this machine's build. usage: test_cross.sh riscv64|musl FOLDER_HERE
#   riscv64: by Debian's cross compiler, under qemu-user    musl: x86_64, static programs by PyPI's zig, which run here
set -euo pipefail

machine=$1
here=$(realpath "$2")
work=$here/$machine
rm -rf "$work"
mkdir -p "$work"
meson=meson
case $machine in
  riscv64)
    processor=riscv64
    binutils=riscv64-linux-gnu-
    compilers=("${binutils}gcc" "${binutils}g++")
    run="qemu-riscv64 -L /usr/riscv64-linux-gnu"
    wrapper="exe_wrapper = ['qemu-riscv64', '-L', '/usr/riscv64-linux-gnu']"
    ;;
  musl)
    processor=x86_64
    binutils=
    tools/musl_compiler.sh "$work/compiler"
    compilers=("$work/compiler/x86_64-linux-musl-clang" "$work/compiler/x86_64-linux-musl-clang++")
    run=
    wrapper= # this machine runs them
    tools/venv.sh meson==1.12.1 # Debian 12's does not know zig's linker
    meson=$here/venv/bin/meson
    ;;
esac
tools/dist.sh "$work"
tar -x -C "$work" -f "$(find "$work" -name 'acutance-*.tar.xz')"
cat >"$work/cross.ini" <<END
[binaries]
c = '${compilers[0]}'
cpp = '${compilers[1]}'
ar = '${binutils}ar'
strip = '${binutils}strip'
$wrapper
[host_machine]
system = 'linux'
cpu_family = '$processor'
cpu = '$processor'
endian = 'little'
END
# Without packages of the target, all comes from the archive.
"$meson" setup "$work/build" "$work"/acutance-*/libvmaf --cross-file "$work/cross.ini" --default-library=static \
  --wrap-mode=nodownload --force-fallback-for=libhwy,fmt,nlohmann_json >"$work/setup.log"
ninja -j "${JOBS:-$(tools/jobs.sh)}" -C "$work/build" >"$work/build.log" || {
  tail -20 "$work/build.log" >&2
  exit 1
}
"$meson" test -C "$work/build" --timeout-multiplier 20
# Python calls the command by this.
printf '#!/bin/sh\nexec %s %q "$@"\n' "$run" "$work/build/tools/vmaf" >"$work/vmaf"
chmod +x "$work/vmaf"
python3 -B tests/golden/scores.py "$work/vmaf"
python3 -B tests/arm/same_logs.py "$here/bin/vmaf" "$work/vmaf"
python3 -B tests/arm/vector_logs.py "$here/bin/vmaf" "$work/vmaf" --minutes "${VECTOR_MINUTES:-5}" --jobs "${JOBS:-2}"
