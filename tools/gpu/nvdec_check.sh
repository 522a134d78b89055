#!/usr/bin/env bash
# NVDEC against FFmpeg's own decoders: every log must have the same bytes. Prints the speed of both.
#
# usage: nvdec_check.sh ACUTANCE FOLDER    FOLDER: as nvdec_clips.sh made it: lib/ and pairs NAME_ref.EXT, NAME_dis.EXT;
#                                          NVDEC must refuse those named cpu_*, vp8* and av1*, and take all others;
#                                          of those without chroma it finds that out on the way
set -uo pipefail

acutance=$1
folder=$2
export LD_LIBRARY_PATH=$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
refusals=0
damaged=0

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
  grep -q 'does not decode\|is not decoded there' "$work/refused.csv.err" || fail "$name: no reason"
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

# Damaged and truncated files have the outcome of FFmpeg's own decoders.
same_outcome() {
  local name=$1 broken=$2 reference=$3 decoder expected status
  rm -f "$work"/*
  score cpu "$work/a.csv" "$reference" "$broken" --align index
  expected=$?
  for decoder in auto nvdec; do
    score $decoder "$work/b.csv" "$reference" "$broken" --align index
    status=$?
    [ $status = $expected ] || fail "$name, $decoder: status $status, not $expected"
    cmp "$work/a.csv.err" "$work/b.csv.err" || fail "$name, $decoder: $(cat "$work/a.csv.err" "$work/b.csv.err")"
    [ $status != 0 ] || cmp "$work/a.csv" "$work/b.csv" || fail "$name, $decoder: the logs differ"
  done
  damaged=$((damaged + 1))
}

"$acutance" devices | sed -n '/^cuda/,/^[a-z]*:/p; /^nvdec/,$p'
for reference in "$folder"/*_ref.*; do
  distorted=${reference/_ref./_dis.}
  name=$(basename "$reference")
  name=${name%_ref.*}
  case $name in
    cpu_gray) same "$name" auto "$reference" "$distorted" ;;
    cpu_* | vp8* | av1*) refused "$name" "$reference" "$distorted" ;;
    *) taken "$name" "$reference" "$distorted" ;;
  esac
done
for reference in "$folder"/hevc10_ref.*; do
  distorted=${reference/_ref./_dis.}
  head -c $(($(stat -c %s "$distorted") * 6 / 10)) "$distorted" >"$folder/truncated.mkv"
  same_outcome truncated "$folder/truncated.mkv" "$reference"
  rm -f "$folder/truncated.mkv"
done
for broken in "$folder"/damaged/*; do
  name=$(basename "$broken")
  same_outcome "$name" "$broken" "$folder/${name%%_*}_ref.mp4"
done
echo "nvdec: $failures failed, $refusals refused, $damaged damaged files"
[ "$failures" = 0 ]
