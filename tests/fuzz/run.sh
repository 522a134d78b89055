#!/usr/bin/env bash
# Runs the fuzz targets beside this file: run.sh SECONDS [TARGET ...]. Each runs that long, $JOBS of them at once. What
# they find is kept in corpus/, inputs that fail in failures/. Prints executions and coverage of each target.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:?usage: run.sh SECONDS [TARGET ...]}
jobs=${JOBS:-$(nproc)}
shift
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for program in "$here"/fuzz_*; do targets+=("$(basename "$program")"); done
fi

run_one() {
  local here=$1 seconds=$2 target=$3
  mkdir -p "$here/corpus/$target" "$here/failures" "$here/logs"
  export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1:handle_abort=1
  export UBSAN_OPTIONS=print_stacktrace=1
  if "$here/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -malloc_limit_mb=1000 -max_len=16384 \
    -print_final_stats=1 -dict="$here/dictionaries/$target.dict" -artifact_prefix="$here/failures/$target-" \
    "$here/corpus/$target" "$here/seeds/$target" >"$here/logs/$target" 2>&1; then
    local runs coverage
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$here/logs/$target")
    coverage=$(grep -o 'cov: [0-9]* ft: [0-9]* corp: [0-9]*' "$here/logs/$target" | tail -1)
    echo "$target: $runs executions, $coverage"
  else
    echo "$target: FAILED, see $here/logs/$target" >&2
    tail -60 "$here/logs/$target" >&2
    return 1
  fi
}
export -f run_one

printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c 'run_one "$@"' run_one "$here" "$seconds" {}
