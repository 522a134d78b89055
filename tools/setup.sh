#!/usr/bin/env bash
# Installs what the named groups need and the machine lacks: tools/setup.sh build|score|test|bench|style|lint|coverage ...
# Silent and quick when nothing is missing. Without root it names the packages and the command, and fails.
set -euo pipefail

packages() {
  case $1 in
    build) echo g++ cmake pkg-config python3 libhwy-dev libfmt-dev nlohmann-json3-dev libcli11-dev \
      libdeflate-dev libturbojpeg0-dev libgtest-dev libgmock-dev libbenchmark-dev ;;
    # The build does without these: slower, without kernels for some GPUs, without training of models (libsvm). ffmpeg brings
    # the libraries that read containers.
    build-optional) echo ninja-build ccache ffmpeg clang-19 lld-19 glslc spirv-tools libvulkan-dev libsvm-dev ;;
    score | bench) echo python3 python3-venv ffmpeg ;;
    test) echo python3 python3-yaml ;;
    python-optional) echo python3-venv python3-dev ;;
    python) ;;
    # FFmpeg's headers are compared with the layouts of src/io/ffmpeg; nothing else needs them.
    test-optional) echo python3-venv meson ffmpeg libavformat-dev libavcodec-dev libavutil-dev libvulkan1 mesa-vulkan-drivers vulkan-validationlayers \
      chromium-headless-shell ;;
    ffmpeg) echo apt dpkg-dev make xz-utils ;;
    wheels) echo python3-venv python3-dev binutils meson nasm ;;
    deb) echo debhelper dpkg-dev lintian ;;
    debootstrap) echo debootstrap ;;
    deb-python) echo dh-python nanobind-dev pybuild-plugin-pyproject python3-dev python3-nanobind python3-scikit-build-core ;;
    arm) echo g++-aarch64-linux-gnu qemu-user apt ;;
    riscv) echo g++-riscv64-linux-gnu qemu-user meson ninja-build pkg-config ;;
    musl) echo python3-venv ninja-build pkg-config googletest libvulkan-dev apt ;;
    windows) echo g++-mingw-w64-x86-64-posix googletest libvulkan-dev apt meson nasm ninja-build ;;
    macos) echo python3-venv googletest libvulkan-dev apt ;;
    wine) echo wine64 ;; # 670 MB
    style) echo python3 git clang-format shellcheck ;;
    lint) echo python3 git clang-format clang-tidy shellcheck ;;
    coverage) echo python3-venv ;;
    fuzz) echo clang-19 libclang-rt-19-dev ;;
    *-optional) ;;
    *)
      echo "setup: unknown group '$1'" >&2
      exit 2
      ;;
  esac
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing() {
  local name
  for name in "$@"; do installed "$name" || echo "$name"; done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

can_install() {
  [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null
}

install() {
  echo "setup: installing $*"
  # An image may hold a package list that is too old; a failed update still leaves the list it had.
  as_root apt-get update -qq || echo "setup: apt-get update failed; trying with the package list at hand" >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null >/dev/null
}

main() {
  local group
  local -a required=() optional=() lacking=() wanted=()
  for group in "$@"; do
    read -ra wanted <<<"$(packages "$group")"
    required+=("${wanted[@]}")
    read -ra wanted <<<"$(packages "$group-optional")"
    optional+=("${wanted[@]}")
  done
  if ! command -v dpkg-query >/dev/null; then
    echo "setup: not a Debian system; this needs the equivalents of: ${required[*]} ${optional[*]}" >&2
    return
  fi
  mapfile -t lacking < <(missing "${required[@]}" "${optional[@]}")
  [ ${#lacking[@]} -gt 0 ] || return 0
  if can_install; then
    install "${lacking[@]}" && return
  fi
  mapfile -t lacking < <(missing "${required[@]}" "${optional[@]}")
  echo "setup: missing packages: ${lacking[*]}" >&2
  echo "setup: install them with: apt-get update && apt-get install -y ${lacking[*]}   (as root)" >&2
  mapfile -t lacking < <(missing "${required[@]}")
  [ ${#lacking[@]} -eq 0 ] || exit 1
  echo "setup: all of them are optional here; continuing without them" >&2
}

main "$@"
