#!/bin/sh
# acutance @VERSION@, self-test of GPUs, in one file: sh @NAME@ [options of acutance selftest, such as --device 0]
# It unpacks itself into a temporary folder, which it removes, and uses no network. Behind the last line are the programs.
set -eu

case ${1:-} in
  -h | --help)
    sed -n '2,3s/^# //p' "$0"
    exit 0
    ;;
esac
report=$PWD/acutance-report.txt
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
tail -n +@LINE@ "$0" >"$folder/programs.tar.xz"
if [ "$(sha256sum <"$folder/programs.tar.xz")" != "@HASH@  -" ]; then
  echo "$0: damaged, perhaps by the download: its programs do not have the hash @HASH@" >&2
  exit 2
fi
tar -xJf "$folder/programs.tar.xz" -C "$folder"
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME

acutance=$folder/bin/acutance
{
  echo "acutance @VERSION@, bundle @HASH@"
  "$acutance" devices | sed '/^ *id /d' # the number of the individual card stays here
} >"$report"
tested=0 failed=0
for backend in vulkan hip cuda; do
  if "$acutance" selftest --backend "$backend" --report "$folder/report.json" "$@"; then
    tested=$((tested + 1))
  elif ! grep -q '"devices": *\[\]' "$folder/report.json" 2>/dev/null; then
    failed=$((failed + 1))
  fi
  [ ! -e "$folder/report.json" ] || { echo && echo "$backend" && cat "$folder/report.json"; } >>"$report"
  rm -f "$folder/report.json"
done

echo
if [ "$failed" -gt 0 ]; then
  echo "A self-test FAILED: acutance would not use that device. This report is the one that matters most."
elif [ "$tested" -eq 0 ]; then
  echo "No device was found; the report says why."
else
  echo "All self-tests passed: each device gives the bits of the CPU."
fi
echo "Please send the file   $report"
echo "with the card's name, the distribution and how the driver was installed"
echo "to                     @HOME@"
echo "The file is text: device and driver names, results and times. It has no serial number, no user and no host name."
[ "$failed" -eq 0 ] && [ "$tested" -gt 0 ] && exit 0
exit 1
