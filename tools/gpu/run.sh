#!/usr/bin/env bash
# Proves the cuda, hip and vulkan backends on a machine with an NVIDIA GPU (README.md). Needs bash and the folder that bundle.sh
# made; compute-sanitizer, ptxas and cuobjdump (CUDA toolkit) are used where they are found.
#
# usage: tools/gpu/run.sh [BUNDLE] [STEP]...     BUNDLE: build/gpu by default; no STEP: all of them
#   devices parity leak sanitize machine_code speed
#
# The log and the machine code go to $OUT, build/gpu-report by default. Exit status 0 when every step holds.
# shellcheck disable=SC2317  # the steps are called by name
set -uo pipefail

bundle=build/gpu
if [ $# -gt 0 ] && [ -d "$1" ]; then
  bundle=$1
  shift
fi
bundle=$(cd "$bundle" && pwd) || exit 2
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(devices parity leak sanitize machine_code speed)
report=${OUT:-build/gpu-report}
mkdir -p "$report"
check=(timeout 480 "$bundle/bin/gpu_check")

# HIP's host code runs on this GPU through the stand-in, with the PTX in place of AMD's code objects.
export ACUTANCE_HIP_LIBRARY=$bundle/bin/libhip_standin.so
export ACUTANCE_HIP_STANDIN_KERNELS=$bundle/ptx
export PATH=$PATH:/usr/local/cuda/bin

failures=()

# must NAME COMMAND...: what fails is remembered and does not stop the rest.
must() {
  local name=$1 begin=$SECONDS
  shift
  echo "--- $name"
  "$@" || failures+=("$name")
  echo "    ($((SECONDS - begin)) s)"
}

# A GPU, that is, and not Mesa's software.
has_vulkan() { "${check[@]}" devices | grep -E '^vulkan +0' | grep -qv llvmpipe; }

step_devices() {
  nvidia-smi || true
  must "devices" "${check[@]}" devices
}

step_parity() {
  must "parity cuda" "${check[@]}" parity cuda
  must "parity hip, through the stand-in" "${check[@]}" parity hip --quick
  if has_vulkan; then must "parity vulkan" "${check[@]}" parity vulkan --quick; fi
}

step_leak() {
  must "leak cuda" "${check[@]}" leak cuda
  must "leak hip, through the stand-in" "${check[@]}" leak hip
  if has_vulkan; then must "leak vulkan" "${check[@]}" leak vulkan; fi
}

# sanitizer TOOL [OPTION]... BACKEND: one session under compute-sanitizer.
sanitizer() {
  timeout 480 compute-sanitizer --error-exitcode 9 --tool "${@:1:$#-1}" "$bundle/bin/gpu_check" session "${@: -1}"
}

step_sanitize() {
  if ! command -v compute-sanitizer >/dev/null; then
    echo "compute-sanitizer was not found: skipped"
    return
  fi
  local tool backend
  for backend in cuda hip; do
    must "memcheck with leak check, $backend" sanitizer memcheck --leak-check full "$backend"
  done
  for tool in racecheck initcheck synccheck; do
    must "$tool, cuda" sanitizer "$tool" cuda
  done
}

# assemble PTX CUBIN TARGET: prints what ptxas says, and fails on spilled registers.
assemble() {
  ptxas -v -arch="$3" -o "$2" "$1" 2>&1 |
    awk '{print} /spill stores/ && !/ 0 bytes spill stores, 0 bytes spill loads/ {spilled = 1} END {exit spilled}'
}

step_machine_code() {
  if ! command -v ptxas >/dev/null; then
    echo "ptxas was not found: skipped"
    return
  fi
  local target ptx name
  target=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
  for ptx in "$bundle"/ptx/*.ptx; do
    name=$(basename "$ptx" .ptx)
    must "ptxas $name" assemble "$ptx" "$report/$name.cubin" "$target"
    if command -v cuobjdump >/dev/null; then cuobjdump -sass "$report/$name.cubin"; fi >>"$report/sass.txt"
    rm -f "$report/$name.cubin"
  done
  gzip -f "$report/sass.txt"
}

step_speed() {
  must "speed cuda" "${check[@]}" speed cuda
  if has_vulkan; then must "speed vulkan" "${check[@]}" speed vulkan; fi
}

run() {
  for step in "${steps[@]}"; do
    if ! declare -F "step_$step" >/dev/null; then
      echo "run.sh: no step '$step'; there are devices parity leak sanitize machine_code speed" >&2
      return 2
    fi
    "step_$step"
  done
  if [ ${#failures[@]} -gt 0 ]; then
    printf 'FAILED: %s\n' "${failures[@]}"
    return 1
  fi
  echo "all good: ${steps[*]}"
}

run 2>&1 | tee "$report/log.txt"
exit "${PIPESTATUS[0]}"
