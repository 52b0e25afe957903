#!/usr/bin/env python3
"""Lets many processes write to one PostgreSQL server: python3 Scripts/writers.py PATCHBAY [--kills N].

First one process and then WRITERS (20) write rows one by one for SECONDS (300). Prints commits per second and how long
a process waited for a commit, at the 50th and 99th percentile. With --kills, four processes write instead, and N times
one of them dies by SIGKILL at a random moment and another one continues. Fails when a row is lost, invented or written
twice. PATCHBAY_POSTGRES names the server; PATCHBAY_SEED repeats the moments.
"""

import argparse
import os
import random
import sys
import time

from failover import WRITERS, Writer, commit_count, start_store, verdict


def trial(patchbay, url, count, disturb):
    """Writes with a number of processes while `disturb` runs. Returns the writers."""
    schema = f"writers_{os.getpid()}_{int(time.time())}"
    write, verify = start_store(patchbay, url, schema)
    commits = commit_count(url, schema)
    writers = [Writer(write, number) for number in range(count)]
    disturb(writers)
    for writer in writers:
        writer.stop()
    words, lost, wrong = verdict(writers, verify, url, schema, commits)
    print(f"{count} writers: {words}", flush=True)
    if lost or wrong:
        sys.exit(1)
    return writers


def print_speed(writers, seconds):
    waits = sorted(
        later - earlier for writer in writers for earlier, later in zip(writer.times, writer.times[1:]))
    p50, p99 = (waits[int(len(waits) * part)] * 1000 for part in (0.5, 0.99))
    rate = sum(len(writer.times) for writer in writers) / seconds
    print(f"  {rate:,.0f} commits/s, p50 {p50:.2f} ms, p99 {p99:.2f} ms", flush=True)


def kill_some(writers, kills):
    generator = random.Random(int(os.environ.get("PATCHBAY_SEED", "1")))
    while kills:
        time.sleep(generator.uniform(0.02, 0.2))
        process = generator.choice(writers).process
        if process and process.poll() is None:
            process.kill()
            kills -= 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patchbay")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--writers", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=300)
    options = parser.parse_args()
    url, patchbay = os.environ["PATCHBAY_POSTGRES"], os.path.abspath(options.patchbay)
    if options.kills:
        trial(patchbay, url, WRITERS, lambda writers: kill_some(writers, options.kills))
        return
    for count in (1, options.writers):
        writers = trial(patchbay, url, count, lambda _: time.sleep(options.seconds))
        print_speed(writers, options.seconds)


if __name__ == "__main__":
    main()
