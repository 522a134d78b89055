#!/usr/bin/env bash
# Four processes of acutance score at once on one card, round after round; each log must be the CPU's, byte by byte.
#   tools/gpu/share_sessions.sh [ACUTANCE] [ROUNDS]
# Variables: BACKENDS="cuda vulkan", WORK=/tmp/four, DEVICE=0, FIRST_CACHE=1 (caches begin empty).
# Prints a line for each process that fails, then one for each backend; the exit status is 0 where none failed.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
acutance=${1:-}
if [ -z "$acutance" ]; then
  for place in "$here/bin/acutance" "$PWD/build/bin/acutance" "$PWD/bin/acutance"; do
    [ -x "$place" ] && acutance=$place && break
  done
fi
[ -x "$acutance" ] || { echo "no acutance: share_sessions.sh PATH/acutance [ROUNDS]" >&2; exit 2; }
acutance=$(realpath "$acutance")
rounds=${2:-6}
backends=${BACKENDS:-cuda vulkan}
work=${WORK:-/tmp/four}
device=${DEVICE:-0}
mkdir -p "$work"
cd "$work" || exit 2
# Self-tests, compiled kernels and pipelines are made by four processes at once, too.
[ "${FIRST_CACHE:-1}" = 1 ] && export XDG_CACHE_HOME=$work/cache && rm -rf "$work/cache"

# clip NAME WIDTH HEIGHT FRAMES BITS: noise, and the same with some of its lowest bits cleared.
clip() {
  local name=$1 samples=$(($2 * $3 * 3 / 2)) colour=C420jpeg bytes=$(($2 * $3 * 3 / 2)) k
  [ -s "$name.dis.y4m" ] && return
  if [ "$5" = 10 ]; then colour="C420p10 XYSCSS=420P10" bytes=$((2 * samples)); fi
  for video in ref dis; do printf 'YUV4MPEG2 W%d H%d F25:1 Ip A1:1 %s\n' "$2" "$3" "$colour" >"$name.$video.y4m"; done
  for ((k = 0; k < $4; k++)); do
    # Bytes from 0 to 3 make samples of up to 771 in 10 bits.
    if [ "$5" = 10 ]; then
      head -c "$bytes" /dev/urandom | LC_ALL=C tr '\000-\377' '[\000*64][\001*64][\002*64][\003*64]' >frame
    else
      head -c "$bytes" /dev/urandom >frame
    fi
    { printf 'FRAME\n'; cat frame; } >>"$name.ref.y4m"
    if [ $((k % 2)) = 0 ]; then
      { printf 'FRAME\n'; LC_ALL=C tr '\001\003\101\201\301' '\000\002\100\200\300' <frame; } >>"$name.dis.y4m"
    else
      { printf 'FRAME\n'; LC_ALL=C tr '\001-\177' '\000-\176' <frame; } >>"$name.dis.y4m"
    fi
  done
  rm -f frame
}
echo "making clips in $work"
if [ "${TINY:-0}" = 1 ]; then  # to try the script without a card
  clip small 96 64 20 8 && clip hd 192 108 6 8 && clip ten 192 108 4 10 && clip uhd 384 216 3 8
else
  clip small 576 324 200 8 && clip hd 1920 1080 60 8 && clip ten 1920 1080 30 10 && clip uhd 3840 2160 12 8
fi
pairs=(small hd ten uhd)
features=(-m vmaf_v0.6.1 -f psnr -f float_ssim -f ciede)

score() {  # score PAIR LOG MORE...
  local pair=$1 log=$2
  shift 2
  rm -f "$log"
  timeout 500 "$acutance" score "$pair.ref.y4m" "$pair.dis.y4m" --align index "${features[@]}" -o "$log" "$@"
}

for pair in "${pairs[@]}"; do
  [ -s "cpu.$pair.csv" ] && [ "cpu.$pair.csv" -nt "$acutance" ] && continue
  echo "CPU: $pair"
  score "$pair" "cpu.$pair.csv" --backend cpu -q >"cpu.$pair.out" 2>&1 || { cat "cpu.$pair.out"; exit 2; }
done

failures=0
for backend in $backends; do
  count=0 bad=0 most=0
  for ((round = 0; round < rounds; round++)); do
    pids=()
    for process in 0 1 2 3; do
      pair=${pairs[$(((process + round) % 4))]}
      more=(--backend "$backend" --device "$device")
      # Some with a limit, one of them with most of its frames checked by the CPU.
      [ $((process % 2)) = 1 ] && more+=(--max-vram 1G)
      [ "$process" = 3 ] && more+=(--verify 5)
      score "$pair" "$backend.$process.csv" "${more[@]}" >"$backend.$process.out" 2>"$backend.$process.err" &
      pids+=($!)
    done
    if command -v nvidia-smi >/dev/null; then
      while kill -0 "${pids[@]}" 2>/dev/null; do
        used=$(nvidia-smi -i "$device" --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null || echo 0)
        [ "${used:-0}" -gt "$most" ] 2>/dev/null && most=$used
        sleep 0.3
      done
    fi
    for process in 0 1 2 3; do
      pair=${pairs[$(((process + round) % 4))]}
      wait "${pids[$process]}"
      status=$? why=
      count=$((count + 1))
      [ "$status" = 0 ] || why="status $status"
      cmp -s "cpu.$pair.csv" "$backend.$process.csv" || why="$why log differs from the CPU's"
      # A device that was given up leaves its frames to the CPU, with the right log and a warning.
      grep -v 'is made for' "$backend.$process.err" | grep -qi 'warning' && why="$why warning"
      if [ -n "$why" ]; then
        bad=$((bad + 1))
        echo "FAILED: $backend round $round process $process ($pair): $why"
        tr '\r' '\n' <"$backend.$process.err" | grep -v 'frames/s' | tail -5 | sed 's/^/    /'
        cp "$backend.$process.err" "failed.$backend.$round.$process.err"
        cp "$backend.$process.csv" "failed.$backend.$round.$process.csv" 2>/dev/null
      fi
    done
  done
  echo "$backend: $count runs, four at once, $bad failed; most device memory in use $most MB"
  failures=$((failures + bad))
done
[ "$failures" = 0 ]
