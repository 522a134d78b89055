#!/usr/bin/env bash
# The pictures of docs/use/reports.md, from made-up clips. Needs FFmpeg with libx264 and libx265, and Chromium
# (chromium-headless-shell).
# Usage: tools/doc_pictures.sh [path of acutance]
set -euo pipefail
acutance=$(realpath "${1:-build/bin/acutance}")
pictures=$(realpath "$(dirname "$0")/../docs")/pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$pictures"
cd "$work"

ffmpeg() { command ffmpeg -v error -y "$@"; }
fractal=mandelbrot=s=640x360:r=24:start_scale=0.4:end_scale=0.01:end_pts=300
sky=gradients=s=640x360:r=24:c0=0x182840:c1=0x8fb4d8:x0=0:y0=0:x1=320:y1=359:nb_colors=2:speed=0.004:seed=3,format=yuv420p,noise=alls=2:allf=t
pan=mandelbrot=s=1280x720:r=24:start_scale=0.02:end_scale=0.0199:start_x=-0.7436:start_y=0.1318:end_pts=300
shots="[0]trim=end_frame=48,noise=alls=4:allf=t[a];[1]trim=end_frame=48[b];"
shots="${shots}[2]trim=end_frame=48,setpts=PTS-STARTPTS,crop=640:360:x='n*10':y=100[c];"
ffmpeg -f lavfi -i "$fractal" -f lavfi -i "$sky" -f lavfi -i "$pan" \
  -filter_complex "${shots}[a][b][c]concat=n=3:v=1,format=yuv420p[o]" -map "[o]" -c:v libx264 -qp 4 reference.mkv
ffmpeg -i reference.mkv -vf "gblur=sigma=2.2:enable='between(n,0,47)'" -c:v libx264 -crf 20 blur.mkv
mkdir x264 x265
for crf in 20 26 32 38; do
  ffmpeg -i reference.mkv -c:v libx264 -preset fast -crf $crf x264/$crf.mkv
  ffmpeg -i reference.mkv -c:v libx265 -preset fast -crf $crf -x265-params log-level=error x265/$crf.mkv
done

ffmpeg -i reference.mkv -c:v libx264 -preset medium -crf 36 -x264-params psy=0:aq-mode=0 banding.mkv

model=(-m vmaf_v0.6.1 -q)
"$acutance" score reference.mkv blur.mkv "${model[@]}" --report score.html --maps maps --worst 1 > /dev/null
"$acutance" score reference.mkv banding.mkv -q --align index --report banding.html > /dev/null
"$acutance" compare reference.mkv x264/20.mkv x264/26.mkv x265/26.mkv "${model[@]}" --report compare.html > /dev/null
"$acutance" ladder reference.mkv x264 x265 "${model[@]}" --report ladder.html > /dev/null

# shot PAGE HEIGHT TOP NAME: HEIGHT rows, from row TOP on, of a page 900 pixels wide.
shot() {
  chromium-headless-shell --no-sandbox --disable-gpu --hide-scrollbars --window-size=900,$(($2 + $3)) \
    --screenshot="$PWD/page.png" "file://$PWD/$1.html" > /dev/null 2>&1
  ffmpeg -i page.png -vf "crop=900:$2:0:$3,scale=720:-1" -q:v 6 "$pictures/$4.jpg"
}
{
  echo '<body style="background:#1d1f21;color:#d8dad6;margin:16px"><pre style="font:13px/1.35 monospace">'
  for line in "score reference.mkv x264/26.mkv" "score reference.mkv x264/32.mkv -q --require vmaf_v0.6.1.p5>=90" \
    "ladder reference.mkv x264 x265 -m vmaf_v0.6.1 -q"; do
    echo "$ acutance $line" | sed 's/>/\&gt;/'
    read -ra words <<<"$line"
    "$acutance" "${words[@]}" 2>&1 | sed 's/</\&lt;/' || true
    echo
  done
} > terminal.html
shot terminal 960 0 terminal
shot score 880 0 report
shot banding 300 0 banding
shot score 760 1560 frames
shot compare 420 0 compare
shot ladder 620 0 ladder
ffmpeg -i "$(ls maps/adm2_*.png)" -q:v 6 "$pictures/map.jpg"
du -ch "$pictures"/*
