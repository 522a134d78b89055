#!/usr/bin/env bash
# Runs the fuzz targets next to this file: run.sh SECONDS [TARGET ...]. Each runs that long, $JOBS processes at once; those
# beyond one for each target go to the first of the list, and share the target's corpus. What they find is stored in
# corpus/, inputs that fail and logs in failures/ and logs/ of $OUT, or next to this file. Prints executions and coverage.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here}
seconds=${1:?usage: run.sh SECONDS [TARGET ...]}
jobs=${JOBS:-$(nproc)}
shift
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then  # those first that have most to find
  targets=(fuzz_score fuzz_capi fuzz_align fuzz_fit fuzz_journal fuzz_doctor fuzz_score_args fuzz_vmaf_args
    fuzz_options fuzz_raw fuzz_y4m fuzz_model fuzz_svm fuzz_pairs fuzz_h264 fuzz_container fuzz_container_facts
    fuzz_container_bytes)
fi

run_one() {
  local here=$1 out=$2 seconds=$3 target=$4 log=$2/logs/$4-$5
  export ASAN_OPTIONS=allocator_may_return_null=1:handle_abort=1:detect_leaks=${LEAKS:-1}
  export UBSAN_OPTIONS=print_stacktrace=1
  export ACUTANCE_KERNEL_CACHE=
  # FFmpeg's Matroska demuxer allocates what an element declares, up to 2 GB, before it reads it.
  if LD_LIBRARY_PATH=$here/lib "$here/$target" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 \
    -malloc_limit_mb=2200 -max_len=16384 \
    -print_final_stats=1 -dict="$here/seeds/$target.dict" -artifact_prefix="$out/failures/$target-" \
    "$here/corpus/$target" "$here/seeds/$target" >"$log" 2>&1; then
    local runs coverage
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    coverage=$(grep -ao 'cov: [0-9]* ft: [0-9]* corp: [0-9]*' "$log" | tail -1)
    echo "$target ($5): $runs executions, $coverage"
  else
    echo "$target ($5): FAILED, see $log and $out/failures" >&2
    tail -60 "$log" >&2
    return 1
  fi
}
export -f run_one

mkdir -p "$out/failures" "$out/logs"
for target in "${targets[@]}"; do mkdir -p "$here/corpus/$target"; done
count=$((jobs > ${#targets[@]} ? jobs : ${#targets[@]}))
for ((i = 0; i < count; ++i)); do echo "${targets[i % ${#targets[@]}]} $((i / ${#targets[@]} + 1))"; done |
  xargs -P "$jobs" -L 1 bash -c 'run_one "$@"' run_one "$here" "$out" "$seconds"
