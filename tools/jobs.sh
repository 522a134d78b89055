#!/usr/bin/env bash
# How many compilers or tests to run at once: the cores, or less where a container has a smaller share of processor
# time or memory (a compiler of SIMD code needs about 1.5 GB).
set -euo pipefail

jobs=$(nproc)
if read -r quota period 2>/dev/null </sys/fs/cgroup/cpu.max && [ "$quota" != max ]; then
  share=$(((quota + period - 1) / period))
  [ "$share" -ge "$jobs" ] || jobs=$share
fi
memory_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
by_memory=$((memory_kb / 1500000))
[ "$by_memory" -ge "$jobs" ] || jobs=$by_memory
[ "$jobs" -ge 1 ] || jobs=1
echo "$jobs"
