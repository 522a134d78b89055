#!/usr/bin/env python3
"""Compares the `vmaf` command with libvmaf's golden vectors: to the bit, or within 1e-9 where docs/develop/numbers.md says so.

usage: vectors.py VMAF

The vectors lie in $ACUTANCE_VECTORS, or in shared/vectors next to the repository; without them the test is skipped
(exit status 77).
"""
import os
import pathlib
import subprocess
import sys

SKIPPED = 77
RUNS = (r"^(vif|adm|motion|float_motion|float_vif|float_adm|psnr|psnr_hvs|speed_chroma|speed_temporal)(:|$)"
        r"|^(float_psnr|float_moment|float_ansnr)$"
        r"|^float_(ms_)?ssim(:|$)"
        r"|^cambi(?!:src_width|:window_size=127)(:|$)"  # the former scores what frames before left in libvmaf's memory
        r"|^model:(vmaf_(4k_|b_)?v0.6.[13](neg|mfz)?|vmaf_v1.0.16_\w+|nflx_v1)(:|$)|^models:"
        r"|^model:(vmaf_float_\w.*|vmaf_(4k_)?rb_.*|vmaf_v0.6.0|nflxtrain_.*)$"
        r"|^subsample[23]:(model:\w.*|psnr.*|motion|float_motion|speed_temporal)$")
NEAR_RUNS = {
    r"^cambi:window_size=127$": "1e-9",
    r"^ciede$": "1e-7",  # of odd sizes, libvmaf reads beyond a plane in subsampled runs
}


def main():
    repository = pathlib.Path(__file__).resolve().parents[2]
    vectors = pathlib.Path(os.environ.get("ACUTANCE_VECTORS", repository.parent / "shared" / "vectors"))
    driver = vectors / "run_vectors.py"
    if not driver.is_file():
        print(f"skipped: no golden vectors in {vectors}; set ACUTANCE_VECTORS to their folder")
        return SKIPPED
    command = [sys.executable, str(driver), "--vmaf", sys.argv[1], "--runs"]
    equal = subprocess.run([*command, RUNS], check=False).returncode
    near = [subprocess.run([*command, runs, "--tol", tolerance], check=False).returncode
            for runs, tolerance in NEAR_RUNS.items()]
    return equal or max(near)


if __name__ == "__main__":
    sys.exit(main())
