#!/usr/bin/env bash
# NVDEC against FFmpeg's own decoders: every log must have the same bytes. Prints the speed of both.
#
# usage: nvdec_check.sh ACUTANCE FOLDER    FOLDER: as nvdec_clips.sh made it: lib/ and pairs NAME_ref.EXT, NAME_dis.EXT;
#                                          NVDEC must refuse those named cpu_*, may refuse av1*, as older cards do,
#                                          and must take all others
set -uo pipefail

acutance=$1
folder=$2
export LD_LIBRARY_PATH=$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
refusals=0

# score DECODER LOG VIDEO... [OPTION]...: what it said goes to LOG.out and LOG.err.
score() {
  local decoder=$1 log=$2
  shift 2
  "$acutance" score "$@" --backend cuda --device 0 --decoder "$decoder" -q --precision max -o "$log" \
    >"$log.out" 2>"$log.err"
}

fail() {
  echo "  FAILED: $*"
  failures=$((failures + 1))
}

# same NAME DECODER VIDEO... [OPTION]...: the decoder's logs against those of FFmpeg's own.
same() {
  local name=$1 decoder=$2 run fastest
  shift 2
  rm -f "$work"/*
  for run in 1 2 3; do
    score cpu "$work/cpu{name}.csv" "$@" || fail "$name: cpu: $(cat "$work"/cpu*.err)"
    score "$decoder" "$work/gpu{name}.csv" "$@" || fail "$name: $decoder: $(cat "$work"/gpu*.err)"
    cat "$work"/cpu*.out >>"$work/cpu_speeds"
    cat "$work"/gpu*.out >>"$work/gpu_speeds"
  done
  local log
  for log in "$work"/cpu*.csv; do
    cmp "$log" "$work/gpu${log#"$work"/cpu}" || fail "$name: the logs differ"
  done
  if [ "$decoder" = nvdec ] && ! grep -q 'decoded by NVDEC' "$work/gpu_speeds"; then fail "$name: not by NVDEC"; fi
  for run in cpu gpu; do
    fastest=$(grep -o '[0-9.]* frames/s.*' "$work/${run}_speeds" | sort -n | tail -1)
    echo "  $name: $fastest"
  done
}

# Where NVDEC refuses, it says why, and auto gives the logs of FFmpeg's own decoder.
refused() {
  local name=$1
  shift
  score nvdec "$work/refused.csv" "$@" && fail "$name: NVDEC took it"
  grep -q 'NVDEC does not take\|NVDEC takes H.264 only' "$work/refused.csv.err" || fail "$name: no reason"
  sed "s/^/  $name: /" "$work/refused.csv.err"
  same "$name" auto "$@"
  refusals=$((refusals + 1))
}

taken() {
  local name=$1 reference=$2 distorted=$3
  same "$name" nvdec "$reference" "$distorted"
  same "$name, all planes" nvdec "$reference" "$distorted" --no-model --feature psnr
  same "$name, two distorted" nvdec "$reference" "$distorted" "$reference"
}

# A truncated file ends both runs with the same message.
same_end() {
  local broken=$1 reference=$2
  score cpu "$work/a.csv" "$reference" "$broken"
  local expected=$?
  score nvdec "$work/b.csv" "$reference" "$broken"
  local status=$?
  if [ $status = 0 ] || [ $status != $expected ]; then fail "truncated: status $status, not $expected"; fi
  cmp "$work/a.csv.err" "$work/b.csv.err" || fail "truncated: $(cat "$work/a.csv.err" "$work/b.csv.err")"
  sed 's/^/  truncated: /' "$work/b.csv.err"
}

"$acutance" devices | sed -n '/^cuda/,/^[a-z]*:/p; /^nvdec/,$p'
for reference in "$folder"/*_ref.*; do
  distorted=${reference/_ref./_dis.}
  name=$(basename "$reference")
  name=${name%_ref.*}
  case $name in
    cpu_*) refused "$name" "$reference" "$distorted" ;;
    av1*)
      if score nvdec "$work/asked.csv" "$reference" "$distorted"; then
        taken "$name" "$reference" "$distorted"
      else
        refused "$name" "$reference" "$distorted"
      fi
      ;;
    *) taken "$name" "$reference" "$distorted" ;;
  esac
done
for reference in "$folder"/hevc10_ref.*; do
  distorted=${reference/_ref./_dis.}
  head -c $(($(stat -c %s "$distorted") * 6 / 10)) "$distorted" >"$folder/truncated.mkv"
  same_end "$folder/truncated.mkv" "$reference"
  rm -f "$folder/truncated.mkv"
done
echo "nvdec: $failures failed, $refusals refused"
[ "$failures" = 0 ]
