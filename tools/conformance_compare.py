#!/usr/bin/env python3
"""Compares a program's log with the golden values of the conformance kit: compare.py LOG CLIP ITEM

LOG is libvmaf's JSON, CLIP and ITEM are those of golden_values.txt: edges_320x240_420_8 vif=vif_enhn_gain_limit=1.1
"""
import json
import pathlib
import sys

EXACT = ("vif", "adm", "motion", "psnr", "cambi")  # metrics of integers; models and others may differ in the last decimal


def differences(log, clip, item):
    """One sentence for each column: how far it is from the golden values; None where it is equal."""
    frames = [frame["metrics"] for frame in json.loads(pathlib.Path(log).read_text(encoding="utf-8"))["frames"]]
    bound = 0.75e-6 if item.partition("=")[0] in EXACT else 1.75e-6
    golden = pathlib.Path(__file__).with_name("golden_values.txt").read_text(encoding="utf-8").splitlines()
    for line in golden:
        of_clip, of_item, column, values = line.split("|")
        if (of_clip, of_item) != (clip, item):
            continue
        wanted = [None if value == "-" else float(value) for value in values.split()]
        found = [metrics.get(column) for metrics in frames]
        if len(found) != len(wanted):
            yield column, f"{len(found)} frames instead of {len(wanted)}"
            continue
        wrong = [k for k, (a, b) in enumerate(zip(wanted, found))
                 if (a is None) != (b is None) or (a is not None and abs(a - b) > bound + 1e-9 * abs(a) * (bound > 1e-6))]
        yield column, f"from frame {wrong[0]} on: {found[wrong[0]]} instead of {wanted[wrong[0]]}" if wrong else None


def main(log, clip, item):
    results = list(differences(log, clip, item))
    if not results:
        sys.exit(f"golden_values.txt has no {item} of {clip}")
    for column, difference in results:
        print(f"{column}: {difference or 'equal'}")
    return any(difference for _, difference in results)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
