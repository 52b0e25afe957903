#!/usr/bin/env python3
"""Measures the memory of `patchbay serve` before and after it returns many different answers through its cache.

    python3 Scripts/serve-memory.py PATCHBAY [--answers 15000] [--bytes 2048]

The bodies contain addresses that are rewritten, which is the most expensive case. Fails if the anonymous memory grows
by more than the cache's 32 MiB and 16 MiB for everything else.
"""

import argparse
import concurrent.futures
import http.client
import json
import sys

import serving
from verdict import verdict

GROWTH_MAX = (32 + 16) << 20
CLIENTS = 4
WARM_UP = 500


class Different(serving.Handler):
    """Returns a fresh JSON document for every path, with fields as GitHub sends them."""

    def do_GET(self):
        document = {"url": self.server.address + self.path, "text": ""}
        document["text"] = "t" * (self.server.size - len(json.dumps(document)))
        others = {
            f"X-GitHub-Field-Number-{number}": f"a value like that of many fields {number}" for number in range(15)}
        self.reply(json.dumps(document).encode(), {
            "Content-Type": "application/json; charset=utf-8", "Cache-Control": "public, max-age=3600",
            "ETag": f'"{hash(self.path):x}"', **others})


def memory(process):
    """Returns the anonymous memory of a process, in bytes."""
    with open(f"/proc/{process}/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("RssAnon:"))


def load(server, numbers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=serving.SECONDS_MAX)
    failures = 0
    for number in numbers:
        connection.request("GET", f"/users/user-{number}/repos?per_page=100")
        response = connection.getresponse()
        failures += response.status != 200 or b'"url"' not in response.read()
    connection.close()
    return failures


def check(program, storage, options):
    """Returns failures."""
    with serving.upstream(Different, size=options.bytes) as upstream, serving.serving(
            program, upstream.address, storage=storage) as server:
        failures = load(server, range(WARM_UP))
        before = memory(server.process.pid)
        numbers = range(WARM_UP, WARM_UP + options.answers)
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            failures += sum(pool.map(lambda start: load(server, numbers[start::CLIENTS]), range(CLIENTS)))
        after = memory(server.process.pid)
        print(f"{storage:8} {options.answers} answers of {options.bytes} bytes: {before / 2**20:.1f} MiB before, "
              f"{after / 2**20:.1f} MiB after", flush=True)
        found = [f"{storage}: {failures} requests failed"] if failures else []
        if after - before > GROWTH_MAX:
            found.append(f"{storage}: the memory grew by {(after - before) / 2**20:.1f} MiB")
        return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("patchbay")
    arguments.add_argument("--answers", type=int, default=15_000)
    arguments.add_argument("--bytes", type=int, default=2_048)
    options = arguments.parse_args()
    return verdict(sum((check(options.patchbay, storage, options) for storage in ("sqlite", "lmdb")), []))


if __name__ == "__main__":
    sys.exit(main())
