#!/usr/bin/env python3
"""Measures Patchbay's storages and the bare engines in turns, and prints ratios. See README.md."""

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile

from engines import BARE, BareEngine, Meter, Patchbay, meter_folder
from report import Report
from workloads import STORAGES, WORKLOADS, selected

HERE = os.path.dirname(os.path.abspath(__file__))


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--rows", default="100000", help="the number of rows, or several numbers separated by commas")
    parser.add_argument("--storages", default=",".join(STORAGES), help="the storages, separated by commas")
    parser.add_argument("--ops", default="", help="the workloads, separated by commas; all when empty")
    parser.add_argument("--rounds", type=int, default=5, help="the number of pairs of runs of each workload")
    parser.add_argument("--seconds", type=float, default=0.5, help="the duration of repeated operations")
    parser.add_argument("--seed", type=int, default=1, help="the seed for the random keys")
    parser.add_argument("--durability", choices=["full", "normal", "off"], default="full", help="of a commit")
    parser.add_argument("--engines", choices=["auto", "meter", "bare"], default="auto", help="the engines to compare with")
    parser.add_argument("--data", help="the folder for the stores, on the disk to measure; default: a temporary folder")
    parser.add_argument("--json", metavar="FILE", help="also write every result line and ratio to this file")
    arguments = parser.parse_args()
    arguments.rows = [int(word) for word in arguments.rows.split(",")]
    arguments.storages = arguments.storages.split(",")
    for storage in arguments.storages:
        if storage not in STORAGES:
            parser.error(f'unknown storage "{storage}"; known: {", ".join(STORAGES)}')
    arguments.ops = selected(arguments.ops.split(",") if arguments.ops else [], parser.error)
    if arguments.rounds < 1 or min(arguments.rows) < 1000:
        parser.error("--rounds must be at least 1, --rows at least 1000")
    return arguments


def output(command):
    """Returns the first line of a command's output, or a dash."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "-"


def processor():
    with open("/proc/cpuinfo") as lines:
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{os.cpu_count()} x {names[0] if names else platform.machine()}"


def surroundings(arguments, engines):
    """Returns the properties of the machine and the run that a reader needs to judge the figures."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "command": " ".join(["Benchmarks/run.py", *sys.argv[1:]]),
        "commit": output(["git", "-C", HERE, "describe", "--always", "--dirty"]),
        "machine": f"{processor()}, {memory:.0f} GiB, {platform.system()} {platform.release()}",
        "versions": "; ".join([output(["swift", "--version"]), output(["cc", "--version"])]
                              + [f"{name} {output(['pkg-config', '--modversion', name])}" for name in ("sqlite3", "lmdb")]),
        "beside": engines,
        "busy": " ".join(open("/proc/loadavg").read().split()[:3]),
        "rounds": arguments.rounds, "seconds": arguments.seconds, "durability": arguments.durability,
    }


def measure(arguments, folder, meter, report):
    """Runs all rounds for all storages and sizes."""
    generator = meter.library if meter else None
    for rows in arguments.rows:
        for storage in arguments.storages:
            place = os.path.join(folder, f"{storage}-{rows}")
            common = (rows, arguments)
            ours = Patchbay(storage, os.path.join(place, "patchbay"), *common, generator)
            beside = [BareEngine(storage, os.path.join(place, "bare"), *common, generator)] if storage in BARE else []
            if meter:
                beside.append(meter.on(storage, os.path.join(place, "meter"), *common))
            if not beside:
                print(f"{storage}: no engine to compare with; left out", file=sys.stderr)
                continue
            rounds(arguments, ours, beside, report)
            shutil.rmtree(place, ignore_errors=True)


def rounds(arguments, ours, beside, report):
    workloads = [workload for workload in arguments.ops if any(engine.can(workload) for engine in beside)]
    partner = {workload.name: max(beside, key=lambda engine: engine.preference(workload)) for workload in workloads}
    for engine in {id(engine): engine for engine in partner.values()}.values():
        engine.run(WORKLOADS["load"])
    ours.run(WORKLOADS["load"])
    ours.check()
    for number in range(arguments.rounds):
        for workload in workloads:
            pair = [partner[workload.name], ours]
            # The order alternates, so that a drift affects both equally.
            results = [engine.run(workload) for engine in (pair if number % 2 == 0 else reversed(pair))]
            theirs, own = results if number % 2 == 0 else reversed(results)
            report.add(workload, ours.storage, ours.rows, partner[workload.name].name, theirs, own)
        print(f"{ours.storage}, {ours.rows} rows: round {number + 1} of {arguments.rounds}", file=sys.stderr, flush=True)


def main():
    arguments = options()
    folder = tempfile.mkdtemp(prefix="patchbay-bench-", dir=arguments.data)
    try:
        found = meter_folder(os.path.dirname(HERE)) if arguments.engines != "bare" else None
        if arguments.engines == "meter" and not found:
            sys.exit("the meter was not found; set PATCHBAY_SHARED to the folder with limit/, or use --engines bare")
        meter = Meter(found, os.path.join(folder, "meter")) if found else None
        beside = "the C meter in limit/; patchbay-bare for records" if meter else "patchbay-bare, in this package"
        report = Report(surroundings(arguments, beside))
        try:
            measure(arguments, folder, meter, report)
        except KeyboardInterrupt:
            print("interrupted; results so far:", file=sys.stderr)
        print(report.text())
        if arguments.json:
            with open(arguments.json, "w") as file:
                json.dump(report.contents(), file, indent=1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
