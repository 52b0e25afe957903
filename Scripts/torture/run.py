#!/usr/bin/env python3
"""Runs the command against sources that change, fail and lie, and judges whether it is right or reports it.

    Scripts/torture/run.py [PATCHBAY] [--only NAME] [--storage sqlite,lmdb,flatfile] [--seed N] [--jobs N]

Every scenario is a server on loopback with known content, a definition, one or several runs of the command, and a
comparison of the stored rows with the content. Verdicts:

    RIGHT            the rows are right, and nothing was claimed wrongly
    TOLD             rows are missing, uncertain or old; a message, JSON and the exit status say so
    TOLD-NEEDLESSLY  an error or a warning although the rows are right, or could have been
    SILENT           wrong rows, but status 0 or "complete"
    HANG, CRASH      no end within 20 s; a signal or an internal error

The status is 1 unless all are right, or told with a reason. `--only` takes a part of a name.
"""

import argparse
import concurrent.futures
import importlib
import os
import pkgutil
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import themes
import trial


def load():
    for theme in pkgutil.iter_modules(themes.__path__):
        importlib.import_module(f"themes.{theme.name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=".build-test/release/patchbay", metavar="PATCHBAY")
    parser.add_argument("--only", default="", metavar="NAME")
    parser.add_argument("--storage", default="sqlite")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=4)
    options = parser.parse_args()
    load()
    program, start = os.path.abspath(options.program), time.monotonic()
    work = [(name, storage) for storage in options.storage.split(",") for name in trial.SCENARIOS
            if options.only in name]
    if not work:
        parser.error(f'no scenario is called "{options.only}"')
    print(f"{len(work)} scenarios, --seed {options.seed}")
    counts = dict.fromkeys(trial.VERDICTS, 0)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        runs = [(name, storage, pool.submit(trial.perform, name, program, storage, options.seed))
                for name, storage in work]
        for name, storage, run in runs:
            verdict, note, requests, _ = run.result()
            note = note.encode("ascii", "backslashreplace").decode()
            counts[verdict] += 1
            label = name if "," not in options.storage else f"{name} ({storage})"
            print(f"{label:48} {verdict:15} {requests:4}  {note}".rstrip(), flush=True)
    print()
    for verdict, count in counts.items():
        print(f"{verdict:15} {count:4}")
    print(f"{time.monotonic() - start:.0f} s, --seed {options.seed}")
    raise SystemExit(0 if counts["RIGHT"] + counts["TOLD"] == len(work) else 1)


if __name__ == "__main__":
    main()
