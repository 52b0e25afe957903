#!/usr/bin/env python3
"""Shows which modules take the time of workloads: python3 Scripts/profile.py BENCH [--storage NAME,...] [OPTION...]

BENCH is .build-bench/release/PatchbayBench (`make bench` builds it). Each workload of each storage runs for some
seconds while `perf record -a` takes samples, which are counted by where the processor was: in the kernel, in a C
library, in Swift's library, in one of our modules, or allocating, copying and counting references for any of them.
"comparison" is the work between the operations, which no time includes: choosing them, and digesting their answers.
Needs perf, and the permission to watch all processes.
"""

import argparse
import collections
import re
import subprocess
import sys
import tempfile

WORKLOADS = "get-key,get-handle,page-forward,page-backward,prefix-search,scan,open,durable-write,durable-page,load"
SECONDS = 5
# The names of functions of C libraries that allocate and copy.
MEMORY = re.compile(r"^_*(malloc|c?free|calloc|realloc|int_malloc|int_free|memmove|memcpy|memset|memcmp|unlink_chunk)")
COUNTS = re.compile(r"^_*swift_(bridgeObject|unknownObject|nonatomic_|weak|unowned)*_?re(tain|lease)|^swift::RefCounts")
ALLOCATES = re.compile(r"^_*swift_(slow)?(alloc|dealloc|initStack|bufferAlloc)")


# The parts of the program that choose operations and digest answers.
COMPARISON = re.compile(r"15PatchbayCompare|15SourceSynthetic|7SipHashV|13ContentDigestV")


def place(symbol, library):
    """The group of a sample."""
    name = library.rpartition("/")[2]
    if COMPARISON.search(symbol):
        return "comparison"
    if library.startswith("[kernel") or library == "[unknown]":
        return "kernel"
    if MEMORY.match(symbol) or ALLOCATES.match(symbol):
        return "memory"
    if COUNTS.match(symbol):
        return "reference counts"
    if name.startswith(("libswift", "libFoundation", "libdispatch")):
        return "Swift's library"
    if name.startswith("lib"):
        return name.split(".")[0].split("-")[0]
    if symbol.startswith(("swift_", "swift::", "_swift", "__swift")) or symbol.startswith("$ss"):
        return "Swift's library"
    match = re.match(r"_?\$s(?:SS|Sa|SD|Si|S)?(\d+)", symbol)
    if match:
        start = match.end()
        return symbol[start:start + int(match[1])]
    return "C in the program" if not symbol.startswith("$") else "Swift's library"


def profile(bench, storage, workload, rows):
    """Returns the microseconds of an operation and the share of each group."""
    with tempfile.NamedTemporaryFile(prefix="profile-") as data:
        process = subprocess.Popen(
            [bench, "compare", "--storage", storage, "--workloads", workload, "--rows", str(rows), "--seconds",
             str(2 * SECONDS)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if line.lstrip("\r").startswith(workload):
                break
        # The operations are those of a child.
        children = subprocess.run(["pgrep", "-P", str(process.pid)], stdout=subprocess.PIPE, text=True).stdout.split()
        perf = subprocess.Popen(
            ["perf", "record", "-q", "-a", "-F", "4000", "-o", data.name, "sleep", str(SECONDS - 1)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        output, errors = process.communicate()
        perf.wait()
        if process.returncode:
            sys.exit(f"{storage}, {workload}: {errors}")
        samples = subprocess.run(
            ["perf", "script", "-i", data.name, "-F", "pid,ip,sym,dso"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, errors="replace").stdout
    counts = collections.Counter()
    for sample in samples.splitlines():
        match = re.match(r"\s*(\d+)\s+[0-9a-f]+ (.*) \((.*)\)$", sample)
        if match and match[1] in children:
            counts[place(match[2], match[3])] += 1
    resources = output.partition("RESOURCES USED")[2]
    match = re.search(rf"^ *{workload}\s+\S+\s+([\d.,]+ \S+)", resources, re.M)
    return match[1] if match else "?", counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("--storage", default="sqlite,lmdb,flatfile")
    parser.add_argument("--workloads", default=WORKLOADS)
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args()
    for workload in options.workloads.split(","):
        for storage in options.storage.split(","):
            time, counts = profile(options.bench, storage, workload, options.rows)
            total = max(1, counts.total())
            parts = [f"{group} {100 * count / total:.0f}" for group, count in counts.most_common()]
            print(f"{workload}, {storage}: {time} of processor time; in %: {', '.join(parts[:8])}", flush=True)


main()
