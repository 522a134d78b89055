#!/usr/bin/env python3
"""Runs the metrics' benchmarks and says how near they are to what the machine's multipliers and dividers allow.

usage: rooms.py [--build DIR] [--all] [--min-time SECONDS]

BUILD/bench/machine_bench measures the machine's rates, BUILD/bench/<metric>_bench nanoseconds per pixel. The bound of a
metric is its NEEDS below divided by the rates; units that work side by side (multiplier, divider) do not add up, so the
slowest counts. --all prints every benchmark (instruction sets, depths), not only the fastest at 1080p and 8 bits.
Standard library only.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import measure

TIME_KEYS = ("ns/px", "ns_per_pixel", "ns_per_px")
