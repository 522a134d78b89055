#!/usr/bin/env bash
# Builds libvmaf and vmaf for riscv64 from the source archive, by Meson and Debian's cross compiler, into FOLDER_HERE/riscv64, and
# compares stored scores and logs under qemu-user with those of this machine's build. usage: test_riscv.sh FOLDER_HERE
set -euo pipefail

here=$(realpath "$1")
work=$here/riscv64
tool=riscv64-linux-gnu
rm -rf "$work"
mkdir -p "$work"
tools/dist.sh "$work"
tar -x -C "$work" -f "$(find "$work" -name 'acutance-*.tar.xz')"
cat >"$work/cross.ini" <<END
[binaries]
c = '$tool-gcc'
cpp = '$tool-g++'
ar = '$tool-ar'
strip = '$tool-strip'
exe_wrapper = ['qemu-riscv64', '-L', '/usr/$tool']
[host_machine]
system = 'linux'
cpu_family = 'riscv64'
cpu = 'riscv64'
endian = 'little'
END
# Without packages of the target, all comes from the archive.
meson setup "$work/build" "$work"/acutance-*/libvmaf --cross-file "$work/cross.ini" --default-library=static \
  --wrap-mode=nodownload --force-fallback-for=libhwy,fmt,nlohmann_json >"$work/setup.log"
ninja -j "${JOBS:-$(tools/jobs.sh)}" -C "$work/build" >"$work/build.log" || {
  tail -20 "$work/build.log" >&2
  exit 1
}
meson test -C "$work/build" --timeout-multiplier 20
# Python calls the command by this.
printf '#!/bin/sh\nexec qemu-riscv64 -L /usr/%s %q "$@"\n' "$tool" "$work/build/tools/vmaf" >"$work/vmaf"
chmod +x "$work/vmaf"
python3 -B tests/golden/scores.py "$work/vmaf"
python3 -B tests/arm/same_logs.py "$here/bin/vmaf" "$work/vmaf"
python3 -B tests/arm/vector_logs.py "$here/bin/vmaf" "$work/vmaf" --minutes "${VECTOR_MINUTES:-5}" --jobs "${JOBS:-2}"
