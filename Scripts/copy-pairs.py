#!/usr/bin/env python3
"""Copies a storage to every other kind while copies are killed: python3 Scripts/copy-pairs.py PATCHBAY [ROWS] [KILLS].

For each ordered pair of sqlite, lmdb, flatfile and, if PATCHBAY_POSTGRES names a server, postgres: copies ROWS users
(1,000,000) once undisturbed, then to another target with KILLS (10) kills (SIGKILL) at random moments, resuming after
each. Prints for each pair the seconds of the first copy with and without digests, the peak memory of the process (RSS,
which includes the pages of a mapped file, and RssAnon, which does not), and the total time of the killed copy. Fails
when a digest differs or a killed copy cannot resume. PATCHBAY_SEED repeats the moments; TMPDIR needs 3 GB for a
million rows.
"""

import csv
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

POSTGRES = os.environ.get("PATCHBAY_POSTGRES")
STORAGES = ("sqlite", "lmdb", "flatfile") + (("postgres",) if POSTGRES else ())


class Run:
    """A run of the command, with its peak memory sampled every 2 ms."""

    def __init__(self, arguments, folder, kill_after=None):
        environment = {"HOME": folder, "PATH": os.environ["PATH"]}
        started = time.perf_counter()
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(arguments, stdout=output, stderr=errors, env=environment, cwd=folder)
            self.peak_anon = 0
            while True:
                done, status, usage = os.wait4(process.pid, os.WNOHANG)
                if done:
                    break
                self.peak_anon = max(self.peak_anon, anonymous_kib(process.pid))
                if kill_after is not None and time.perf_counter() - started > kill_after:
                    os.kill(process.pid, signal.SIGKILL)
                    kill_after = None
                time.sleep(0.002)
            process.returncode = self.status = os.waitstatus_to_exitcode(status)
            self.seconds = time.perf_counter() - started
            self.peak = usage.ru_maxrss
            self.output = read(output)
            self.errors = read(errors)

    def expect_success(self):
        if self.status != 0:
            sys.exit(f"ended with {self.status}: {self.errors}")
        return self


def read(file):
    file.seek(0)
    return file.read().decode()


def anonymous_kib(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1])
    except OSError:
        pass  # The process has just ended.
    return 0


def schema(path):
    """Returns the name of the schema that represents a path."""
    return f"pairs_{os.getpid()}_{os.path.basename(path).replace('.', '_')}"


def side(storage, path):
    """Returns an argument for --from or --to."""
    if storage != "postgres":
        return f"{storage}:{path}"
    with open(path + ".conf", "w") as file:
        file.write(f'storage = postgres\nstorage.url = "{POSTGRES}"\nstorage.schema = {schema(path)}\n')
    return path + ".conf"


def writing(storage, folder):
    """Returns the options of a selftest."""
    if storage != "postgres":
        return ["--store", f"{storage}:{folder}"]
    return ["--store", f"postgres:{POSTGRES}", "--set", "storage.schema=" + schema("store.postgres")]


def remove(path):
    if POSTGRES:
        drop = f'SET client_min_messages = warning; DROP SCHEMA IF EXISTS "{schema(path)}" CASCADE'
        subprocess.run(["psql", POSTGRES, "-qc", drop], check=True)
    for name in (path, path + "-wal", path + "-shm"):
        shutil.rmtree(name, ignore_errors=True) if os.path.isdir(name) else None
        if os.path.exists(name):
            os.remove(name)


def copy(patchbay, folder, source, target, kill_after=None, verifies=True):
    arguments = [patchbay, "storage", "copy", "--from", source, "--to", target, "--format", "csv"]
    return Run(arguments + (["--verify"] if verifies else []), folder, kill_after)


def digests(run):
    return {row["collection"]: (row["rows"], row["digest"]) for row in csv.DictReader(io.StringIO(run.output))}


def killed(patchbay, folder, source, target, seconds, kills, generator):
    """Returns the total seconds, the number of kills during a copy, and the last run."""
    total, met = 0.0, 0
    for number in range(kills):
        # The moments are spread over the copy, so that each run may get a little further than the previous one.
        left = max(0.02, seconds * (1 - number / kills))
        run = copy(patchbay, folder, source, target, generator.uniform(0, left / 3))
        total += run.seconds
        if run.status == 0:
            return total, met, run
        if run.status != -signal.SIGKILL:
            sys.exit(f"after {met} kills the copy ended with {run.status}: {run.errors}")
        met += 1
    run = copy(patchbay, folder, source, target).expect_success()
    return total + run.seconds, met, run


def main():
    patchbay = os.path.abspath(sys.argv[1])
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    kills = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    seed = int(os.environ.get("PATCHBAY_SEED", random.randrange(1 << 32)))
    generator = random.Random(seed)
    print(f"{rows} rows, {kills} kills, PATCHBAY_SEED={seed}")
    with tempfile.TemporaryDirectory() as folder:
        for source in STORAGES:
            write = ["selftest", "write", *writing(source, folder), "--batch", "10000", "--durability", "off"]
            Run([patchbay, *write, "--count", str(rows)], folder).expect_success()
        expected = None
        for source in STORAGES:
            for target in STORAGES:
                if source == target:
                    continue
                place = os.path.join(folder, "target")
                sides = (side(source, os.path.join(folder, f"store.{source}")), side(target, place))
                plain = copy(patchbay, folder, *sides, verifies=False).expect_success()
                remove(place)
                whole = copy(patchbay, folder, *sides).expect_success()
                expected = expected or digests(whole)
                remove(place)
                total, met, resumed = killed(patchbay, folder, *sides, whole.seconds, kills, generator)
                if digests(whole) != expected or digests(resumed) != expected:
                    sys.exit(f"{source} to {target}: the digests differ")
                remove(place)
                print(
                    f"{source:8} to {target:8} {plain.seconds:6.1f} s, with digests {whole.seconds:6.1f} s, "
                    f"RSS {whole.peak / 1024:6.0f} MiB, RssAnon {whole.peak_anon / 1024:5.0f} MiB, "
                    f"{met:2} kills and the rest {total:6.1f} s",
                    flush=True,
                )
        remove(os.path.join(folder, "store.postgres"))
        for collection, (count, digest) in expected.items():
            print(f"{collection}: {count} rows, digest {digest} everywhere")


if __name__ == "__main__":
    main()
