"""Runs commands and measures what they cost."""
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import time


@dataclasses.dataclass(frozen=True)
class Cost:
    """Of one process: seconds on the clock, seconds of processor time over all threads, peak memory in MB."""
    wall: float
    cpu: float
    peak_mb: float
    output: str  # standard output


def run(command):
    """Runs to the end and returns the Cost; a failure ends the program with the command's own message."""
    start = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    message = process.stderr.read()
    output = process.stdout.read().decode()  # shorter than a pipe holds, so that it waits for no reader
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"failed with status {process.returncode}: {' '.join(map(str, command))}\n"
                 f"{message.decode(errors='replace')[-2000:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output)


def run_interleaved(commands, repeats):
    """Runs each command once a round, so that a slow spell of the machine hits all of them. Name -> list of Cost."""
    costs = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            costs[name].append(run(command))
    return costs


def least(costs, field):
    """The smallest is the one that other processes disturbed least."""
    return min(getattr(cost, field) for cost in costs)


def median(costs, field):
    return statistics.median(getattr(cost, field) for cost in costs)


def is_model(run):
    """Whether a run is a model by its name, and not a feature."""
    return run.startswith("vmaf") or run == "auto"


def features_of(build):
    """The names that `acutance features` lists before its first empty line."""
    return [line.split()[0] for line in run([build / "bin/acutance", "features"]).output.partition("\n\n")[0].splitlines()]


def log_without_speed(path):
    return {**json.loads(path.read_text(encoding="utf-8")), "fps": 0}


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        names = [line.partition(":")[2].strip() for line in info if line.startswith("model name")]
    return f"{names[0] if names else 'unknown processor'}, {os.cpu_count()} cores"
