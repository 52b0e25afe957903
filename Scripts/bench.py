#!/usr/bin/env python3
"""Times the whole command with 100,000 stored users: python3 Scripts/bench.py PATCHBAY [ROWS].

For each storage: loads the rows, then runs `list users --offline --after MIDDLE --limit 20` repeatedly and prints the
median time and the peak memory of the process.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 21


def run(arguments, environment, output=subprocess.PIPE):
    """Returns the duration in seconds, the peak resident memory in KiB, and the output of one run."""
    started = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=output, stderr=subprocess.DEVNULL, env=environment)
    output = process.stdout.read() if process.stdout else b""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(arguments)} ended with {process.returncode}")
    return time.perf_counter() - started, usage.ru_maxrss, output


def measure(patchbay, storage, rows):
    with tempfile.TemporaryDirectory() as folder:
        environment = {"HOME": folder, "PATH": os.environ["PATH"]}
        load = ["selftest", "write", "--store", f"{storage}:{folder}", "--count", str(rows), "--batch", "10000"]
        # A line for each row would count as memory of the next process, which begins as a copy of this one.
        load_seconds, load_memory, _ = run([patchbay, *load], environment, subprocess.DEVNULL)
        middle = str(rows // 2)
        listing = ["list", "users", "--offline", "--storage", storage, "--after", middle, "--limit", "20"]
        listing += ["--set", f"storage.path={folder}/store.{storage}"]
        runs = [run([patchbay, *listing], environment) for _ in range(ROUNDS)]
        lines = runs[0][2].splitlines()
        if len(lines) != 21:
            sys.exit(f"{storage}: expected 20 users and a heading, got {len(lines)} lines")
        milliseconds = [seconds * 1000 for seconds, _, _ in runs]
        print(
            f"{storage:9} load {rows / load_seconds / 1000:7.0f} k rows/s, {load_memory / 1024:5.0f} MiB   "
            f"list after {middle}: median {statistics.median(milliseconds):5.1f} ms, "
            f"fastest {min(milliseconds):5.1f} ms, {max(memory for _, memory, _ in runs) / 1024:5.1f} MiB"
        )


def main():
    patchbay = os.path.abspath(sys.argv[1])
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    for storage in ("sqlite", "lmdb", "flatfile"):
        measure(patchbay, storage, rows)


if __name__ == "__main__":
    main()
