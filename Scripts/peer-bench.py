#!/usr/bin/env python3
"""Copies 2,000 rows from an API with Patchbay, requests-cache and dlt, and prints what each copy took.

    python3 Scripts/peer-bench.py PATCHBAY [--rows 2000] [--rounds 5] [--peers PYTHON]

A server on loopback has the rows in pages of 100 with entity tags. In turns, each tool copies them all in a new process
("first"), copies them again when nothing has changed ("again"), and, once the server is gone, writes all rows as lines
of JSON ("offline"). The rows must be the same. Prints the medians of wall and processor seconds, and how many requests
and bytes the server answered.

--peers names a Python with the modules requests-cache and dlt[duckdb]; those that are missing are left out. requests-cache
asks with entity tags; dlt merges by key. Use an optimised build.
"""

import argparse
import collections
import hashlib
import http.server
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

PAGE_ROWS = 100
SECONDS_MAX = 120
FIELDS = ("id", "login", "name", "company", "location", "email", "bio", "followers", "following", "public_repos",
          "created_at", "updated_at")
DEFINITION = """\
format = 1
api = people
base-url = {address}
people.path = /people
people.key = id
people.handle = login
""" + "".join(
    f"people.field.{name.replace('_', '-')} = "
    + ("integer" if name in ("id", "followers", "following", "public_repos") else
       "time" if name.endswith("_at") else "text") + "\n" for name in FIELDS)

REQUESTS_CACHE = """\
import json, sys, requests_cache
session = requests_cache.CachedSession(
    "cache", backend="sqlite", use_cache_dir=False, cache_control=True, stale_if_error=True)
address = sys.argv[1]
while address:
    answer = session.get(address)
    for row in answer.json():
        print(json.dumps(row)) if sys.argv[2] == "offline" else None
    address = answer.links.get("next", {}).get("url")
"""
DLT = """\
import json, os, sys
os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
import dlt
from dlt.sources.helpers.rest_client import RESTClient
from dlt.sources.helpers.rest_client.paginators import HeaderLinkPaginator
pipeline = dlt.pipeline(
    "people", destination=dlt.destinations.duckdb("store.duckdb"), dataset_name="people", pipelines_dir="pipelines")
if sys.argv[2] == "offline":
    columns = sys.argv[3].split(",")
    with pipeline.sql_client() as client:
        for row in client.execute_sql("SELECT " + sys.argv[3] + " FROM people"):
            print(json.dumps(dict(zip(columns, row)), default=str))
else:
    @dlt.resource(name="people", primary_key="id", write_disposition="merge")
    def people():
        base, _, path = sys.argv[1].rpartition("/")
        yield from RESTClient(base_url=base, paginator=HeaderLinkPaginator()).paginate("/" + path)
    pipeline.run(people())
"""


def person(number):
    """A made-up person."""
    word = hashlib.sha256(str(number).encode()).hexdigest()
    return {
        "id": number, "login": f"{word[:7]}-{number}", "name": f"{word[7:12].title()} {word[12:20].title()}",
        "company": word[20:30], "location": word[30:36].title(), "email": f"{word[:7]}@example.org",
        "bio": f"{word} writes about \\u201c{word[36:44]}\\u201d" if number % 3 else None,
        "followers": int(word[:4], 16), "following": int(word[4:7], 16), "public_repos": int(word[7:9], 16),
        "created_at": f"20{10 + number % 15}-0{1 + number % 9}-1{number % 10}T08:30:00Z",
        "updated_at": f"2026-0{1 + number % 9}-2{number % 9}T10:00:00Z",
    }


class API(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One write for each answer, or the second one would wait for the client's acknowledgement.
    wbufsize = 1 << 18
    pages, answers, bytes = [], 0, 0

    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        number = int(query.get("page", ["1"])[0])
        body, tag = API.pages[number - 1]
        API.answers += 1
        is_known = self.headers.get("If-None-Match") == tag
        self.send_response(304 if is_known else 200)
        self.send_header("ETag", tag)
        self.send_header("Cache-Control", "max-age=0, must-revalidate")
        if number < len(API.pages):
            self.send_header("Link", f'<http://{self.headers["Host"]}/people?page={number + 1}>; rel="next"')
        if not is_known:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not is_known:
            API.bytes += len(body)
            self.wfile.write(body)

    def log_message(self, *words):
        pass


class Job:
    """One tool in its own folder."""

    def __init__(self, name, address, arguments):
        self.name, self.address, self.arguments = name, address, arguments

    def run(self, step, folder):
        """Returns wall seconds, processor seconds, and the output of a step."""
        start = time.perf_counter()
        process = subprocess.Popen(
            self.arguments(step, self.address), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={"HOME": folder, "PATH": os.environ["PATH"]})
        errors = []
        reading = threading.Thread(target=lambda: errors.append(process.stderr.read()))
        reading.start()
        output = process.stdout.read()
        reading.join()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{self.name}, {step}: {process.returncode}\n{errors[0].decode()[-2000:]}")
        return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, output


def installed(peers):
    """Returns the names and programs of those peers that can be run."""
    found = []
    for module, program in (("requests_cache", REQUESTS_CACHE), ("dlt", DLT)):
        if subprocess.run([peers, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode == 0:
            found.append((module.replace("_", "-"), program))
        else:
            print(f"{module} is not installed and left out", file=sys.stderr)
    return found


def jobs(patchbay, peers, programs, address):
    settings = ["--source", "rest", "--set", "source.definition=people.conf", "--set", "storage.path=people.sqlite"]
    steps = {"offline": ["list", "people", "--offline", "-n", "1000000", "--format", "jsonl"]}

    def patchbays(step, _):
        return [patchbay, *steps.get(step, ["sync", "people"]), *settings]

    yield Job("patchbay", address, patchbays)
    for name, program in programs:
        yield Job(name, address, lambda step, address, program=program: [
            peers, "-c", program, address + "/people", step, ",".join(FIELDS)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("patchbay")
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", default=sys.executable)
    options = parser.parse_args()
    rows = [person(number) for number in range(1, options.rows + 1)]
    for start in range(0, len(rows), PAGE_ROWS):
        body = json.dumps(rows[start:start + PAGE_ROWS]).encode()
        API.pages.append((body, f'"{hashlib.sha256(body).hexdigest()[:20]}"'))
    taken, programs = collections.defaultdict(list), installed(options.peers)
    for _ in range(options.rounds):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), API)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        with tempfile.TemporaryDirectory() as folder:
            running = list(jobs(os.path.abspath(options.patchbay), options.peers, programs, address))
            for job in running:
                os.mkdir(os.path.join(folder, job.name))
                with open(os.path.join(folder, job.name, "people.conf"), "w") as file:
                    file.write(DEFINITION.format(address=address))
            for step in ("first", "again", "offline"):
                if step == "offline":
                    server.shutdown()
                    server.server_close()
                for job in running:
                    API.answers = API.bytes = 0
                    wall, processor, output = job.run(step, os.path.join(folder, job.name))
                    taken[job.name, step].append((wall, processor, API.answers, API.bytes))
                    if step == "offline":
                        check(job.name, output, rows)
    print(f"{'':16}{'step':10}{'wall':>9}{'processor':>11}{'requests':>10}{'bytes':>10}")
    for (name, step), runs in taken.items():
        wall, processor, answers, count = (statistics.median(each) for each in zip(*runs))
        print(f"{name:16}{step:10}{wall:7.2f} s{processor:9.2f} s{answers:10.0f}{count:10.0f}")


def check(name, output, rows):
    """Stops when a tool has not written each row once, with the same login and number of followers."""
    found = sorted((row["id"], row["login"], row["followers"]) for row in map(json.loads, output.splitlines()))
    if found != [(row["id"], row["login"], row["followers"]) for row in rows]:
        sys.exit(f"{name} has {len(found)} rows, which are not the server's {len(rows)}")


if __name__ == "__main__":
    main()
