#!/usr/bin/env bash
# What the GitHub Action of action.yml runs: scores, leaves report, summary and JUnit file in a folder, and shows the
# verdict in the job's summary. Inputs come by the environment, so that none is run as a command.
set -euo pipefail

folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/acutance-XXXXXX")
echo "folder=$folder" >>"$GITHUB_OUTPUT"

# shellcheck disable=SC2153 # the action's input, not the array next to it
mapfile -t distorted < <(printf '%s\n' "$DISTORTED" | sed '/^[[:space:]]*$/d')
options=(--json --quiet --report "$folder/report.html")
if [[ -n $REQUIRE ]]; then options+=(--require "$REQUIRE" --junit "$folder/junit.xml"); fi
# Words and quotes as in a shell, without expansions.
while IFS= read -r -d '' word; do options+=("$word"); done < <(printf '%s' "$OPTIONS" | xargs printf '%s\0')
if [[ -z ${OPTIONS// /} ]]; then unset 'options[-1]'; fi

status=0
"$ACUTANCE" score "$REFERENCE" "${distorted[@]}" "${options[@]}" >"$folder/summary.json" 2>"$folder/messages.txt" ||
  status=$?
cat "$folder/messages.txt" >&2

case $status in
  0) verdict="All requirements hold." ;;
  3) verdict="**The encode is not good enough.**" ;;
  *) verdict="**acutance failed with status $status.**" ;;
esac
if [[ -n ${BASELINE:-} && -s $folder/summary.json ]]; then
  limit=()
  if [[ -n ${WORSE_THAN:-} ]]; then limit=(--worse-than "$WORSE_THAN"); fi
  compared=0
  "$ACUTANCE" diff "$BASELINE" "$folder/summary.json" --markdown "${limit[@]}" >"$folder/diff.md" \
    2>>"$folder/messages.txt" || compared=$?
  if [[ $compared -ne 0 ]]; then
    verdict+=$'\n\n**The encode got worse, or it could not be compared with the baseline.**'
    if [[ $status -eq 0 ]]; then status=$compared; fi
  fi
fi
{
  echo "### acutance"
  echo "$verdict"
  if [[ -s $folder/diff.md ]]; then cat "$folder/diff.md"; fi
  if [[ -s $folder/messages.txt ]]; then printf '%s\n' '' '```' "$(cat "$folder/messages.txt")" '```'; fi
} >>"$GITHUB_STEP_SUMMARY"
exit "$status"
