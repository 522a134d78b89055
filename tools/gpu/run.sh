#!/usr/bin/env bash
# Proves the cuda, hip and vulkan backends on a machine with an NVIDIA GPU (README.md). Needs bash and the folder that
# bundle.sh made; python3, compute-sanitizer, ptxas and cuobjdump (CUDA toolkit) are used where they are found.
#
# usage: tools/gpu/run.sh [BUNDLE] [STEP]...     BUNDLE: build/gpu by default; no STEP: all of them
#   devices parity leak share sanitize machine_code speed cubins nvdec
# A step of one metric: METRICS=NAME tools/gpu/run.sh build/gpu parity
#
# The log and the machine code go to $OUT, build/gpu-report by default. Exit status 0 when every step holds.
# shellcheck disable=SC2317  # the steps are called by name
set -uo pipefail

all_steps=(devices parity leak share sanitize machine_code speed cubins nvdec)
bundle=build/gpu
[ ! -d "$(dirname "$0")/bin" ] || bundle=$(dirname "$0")
if [ $# -gt 0 ] && [ -d "$1" ]; then
  bundle=$1
  shift
fi
bundle=$(cd "$bundle" && pwd) || exit 2
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=("${all_steps[@]}")
report=${OUT:-build/gpu-report}
mkdir -p "$report"
report=$(cd "$report" && pwd)
check=$bundle/bin/gpu_check
limit=${LIMIT:-115} # seconds of one command
at_once=$(($(nproc) / 2))
[ "$at_once" -ge 1 ] || at_once=1

# HIP's host code runs on this GPU through the stand-in, with the PTX in place of AMD's code objects.
export ACUTANCE_HIP_LIBRARY=$bundle/bin/libhip_standin.so
export ACUTANCE_HIP_STANDIN_KERNELS=$bundle/ptx
export PATH=$PATH:/usr/local/cuda/bin
# Every build has PTX; the step cubins compares nvcc's code with it.
export ACUTANCE_CUDA_CODE=ptx

# The loader and its libraries where the machine has none, and a manifest for NVIDIA's driver where that came without.
prepare_vulkan() {
  local driver=libGLX_nvidia.so.0 manifest
  if ! ldconfig -p | grep -q 'libvulkan\.so\.1 '; then
    export LD_LIBRARY_PATH=$bundle/vulkan${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  fi
  for manifest in /etc/vulkan/icd.d/nvidia_icd*.json /usr/share/vulkan/icd.d/nvidia_icd*.json; do
    if [ -e "$manifest" ]; then return; fi
  done
  if [ -n "${VK_DRIVER_FILES:-}" ] || ! ldconfig -p | grep -q "$driver"; then return; fi
  export VK_DRIVER_FILES=$report/nvidia_icd.json
  printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}\n' "$driver" \
    >"$VK_DRIVER_FILES"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=()
names=()
pids=()

# start NAME COMMAND...: in the background, as many at once as half the cores. finish prints what they said, in order,
# and remembers what failed.
start() {
  local name=$1 place=$work/${#names[@]}
  shift
  while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n; done
  (
    begin=$SECONDS
    timeout "$limit" "$@"
    status=$?
    [ "$status" != 124 ] || echo "stopped after $limit s"
    echo "    ($((SECONDS - begin)) s)"
    exit "$status"
  ) >"$place" 2>&1 &
  names+=("$name")
  pids+=($!)
}

finish() {
  local i
  for i in "${!pids[@]}"; do
    wait "${pids[i]}" || failures+=("${names[i]}")
    echo "--- ${names[i]}"
    cat "$work/$i"
  done
  names=()
  pids=()
}

# must NAME COMMAND...: runs a command alone on the machine.
must() {
  start "$@"
  finish
}

metrics() { if [ -n "${METRICS:-}" ]; then echo "$METRICS"; else "$check" metrics; fi; }

# The device must be a GPU and not Mesa's software.
has_vulkan() { "$check" devices | grep -E '^vulkan +0' | grep -qv llvmpipe; }

step_devices() {
  nvidia-smi || true
  must "devices" "$check" devices
}

step_parity() {
  local backend metric backends=(cuda hip)
  if has_vulkan; then backends+=(vulkan); fi
  for backend in "${backends[@]}"; do
    start "language $backend" "$check" language "$backend"
    start "scaling $backend" "$check" scaling "$backend"
  done
  for metric in $(metrics); do
    start "parity cuda $metric" "$check" parity cuda "$metric"
    for backend in "${backends[@]:1}"; do
      start "parity $backend $metric" "$check" parity "$backend" "$metric" --quick
    done
  done
  finish
}

# These run one after another, because they watch the memory of the whole GPU.
step_leak() {
  local limit=200
  must "leak cuda" "$check" leak cuda
  must "leak hip, through the stand-in" "$check" leak hip
  if has_vulkan; then must "leak vulkan" "$check" leak vulkan; fi
}

# Four processes at once on one card, through each backend in turn.
step_share() {
  local backend metric process at_once=4 backends=(cuda)
  if has_vulkan; then backends+=(vulkan); fi
  for backend in "${backends[@]}"; do
    for metric in $(metrics); do
      for process in 1 2 3 4; do
        start "process $process of 4, $backend $metric" "$check" parity "$backend" "$metric" --quick
      done
    done
  done
  finish
}

# sanitizer BACKEND METRIC TOOL [OPTION]...: one session under compute-sanitizer.
sanitizer() {
  local backend=$1 metric=$2
  shift 2
  start "$1 $backend $metric" compute-sanitizer --error-exitcode 9 --tool "$@" "$check" session "$backend" "$metric"
}

step_sanitize() {
  if ! command -v compute-sanitizer >/dev/null; then
    echo "compute-sanitizer was not found: skipped"
    return
  fi
  local tool metric
  for metric in $(metrics); do
    sanitizer cuda "$metric" memcheck --leak-check full
    sanitizer hip "$metric" memcheck --leak-check full
    for tool in racecheck initcheck synccheck; do sanitizer cuda "$metric" "$tool"; done
  done
  finish
}

# assemble PTX CUBIN TARGET: prints what ptxas says, and fails on spilled registers.
assemble() {
  ptxas -v -arch="$3" -o "$2" "$1" 2>&1 |
    awk '{print} /spill stores/ && !/ 0 bytes spill stores, 0 bytes spill loads/ {spilled = 1} END {exit spilled}'
}

step_machine_code() {
  if ! command -v ptxas >/dev/null; then
    echo "ptxas was not found: skipped; the test cuda_ptx_test runs it where the tree is built"
    return
  fi
  local target ptx name
  export -f assemble
  target=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
  for ptx in "$bundle"/ptx/*.ptx; do
    name=$(basename "$ptx" .ptx)
    start "ptxas $name" bash -o pipefail -c 'assemble "$@"' assemble "$ptx" "$work/$name.cubin" "$target"
  done
  finish
  if ! command -v cuobjdump >/dev/null; then return; fi
  for ptx in "$work"/*.cubin; do cuobjdump -sass "$ptx"; done | gzip >"$report/sass.txt.gz"
}

# Device times, then frame pairs a second from files in memory.
step_speed() {
  local measured=cuda
  must "device times cuda" "$check" times cuda
  must "starts cuda" "$check" starts cuda
  if has_vulkan; then
    measured=cuda,vulkan
    must "device times vulkan" "$check" times vulkan
    must "starts vulkan" "$check" starts vulkan
  fi
  if ! command -v python3 >/dev/null; then
    echo "python3 was not found: no end-to-end speed"
    return
  fi
  must "end to end" python3 "$bundle/end_to_end.py" --build "$bundle" --backends "$measured" --repeats 2 \
    --gigabytes 1.5
}

# nvcc's machine code against the PTX that clang made.
step_cubins() {
  must "device times with clang's PTX" "$check" times cuda
  must "device times with nvcc's cubins" env ACUTANCE_CUDA_CODE=cubin "$check" times cuda
  must "parity with nvcc's cubins" env ACUTANCE_CUDA_CODE=cubin "$check" parity cuda --quick
}

step_nvdec() {
  if [ ! -d "$bundle/nvdec" ]; then
    echo "$bundle/nvdec was not found (tools/gpu/nvdec_clips.sh makes it): skipped"
    return
  fi
  must "nvdec" "$bundle/nvdec_check.sh" "$bundle/bin/acutance" "$bundle/nvdec"
}

run() {
  local step
  prepare_vulkan
  for step in "${steps[@]}"; do
    if ! declare -F "step_$step" >/dev/null; then
      echo "run.sh: no step '$step'; there are ${all_steps[*]}" >&2
      return 2
    fi
    echo "=== $step (at $SECONDS s)"
    "step_$step"
  done
  if [ ${#failures[@]} -gt 0 ]; then
    printf 'FAILED: %s\n' "${failures[@]}"
    return 1
  fi
  echo "all good: ${steps[*]} ($SECONDS s)"
}

run 2>&1 | tee "$report/log.txt"
exit "${PIPESTATUS[0]}"
