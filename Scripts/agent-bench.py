#!/usr/bin/env python3
"""Measures the tools of `patchbay mcp` and `/-/mcp`, and lets several processes answer from one storage.

    python3 Scripts/agent-bench.py PATCHBAY [--rows 1000000] [--calls 1000] [--folder FOLDER] [--storages sqlite,lmdb,flatfile]

Makes a storage of made-up people. Prints the time from the start of the command to its first answer, and p50 and p99 of
each tool over standard input and output and over HTTP, beside the same rows through the JSON API and a line that `cat`
returns, in turns. Use an optimised build.

Then, for each kind of storage, a `patchbay serve` and two `patchbay mcp` have the same small storage open and change it
in turn: each must answer with all rows and the latest edit, and all calls must be in the account. The kind `postgres`
needs the server of Scripts/postgres.sh.
"""

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time

import serving
from verdict import verdict

DEFINITION = """\
format = 1
api = people
base-url = {address}
people.path = /people
people.next = none
people.key = id
people.handle = login
people.show = /people/{handle}
people.find = login bio
people.index.by-city = city
people.field.id = integer
people.field.login = text
people.field.city = text
people.field.bio = text
people.detail.score = integer
"""
WORDS = "amber birch cedar delta ember fjord grove heath inlet juniper kelp larch moss north ochre pine".split()

SECONDS_MAX = 120
# Of 2,000 identifiers, some belong to nobody.
USERS = 1_879


class Agent:
    """`patchbay mcp`, or another command that answers lines with lines."""

    def __init__(self, words, home):
        self.process = subprocess.Popen(
            words, cwd=home, env=environment(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def line(self, text):
        self.process.stdin.write(text + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def call(self, tool, /, **arguments):
        self.number += 1
        return content(json.loads(self.line(message(self.number, tool, arguments))))

    def end(self):
        self.process.stdin.close()
        return self.process.wait(SECONDS_MAX)


class Server:
    """`patchbay serve` on a port of loopback."""

    def __init__(self, words, home):
        self.process = subprocess.Popen(
            [*words, "--listen", "127.0.0.1:0"], cwd=home, env=environment(home), stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        if not line.startswith("listening on "):
            raise SystemExit(line)
        self.port = int(line.rsplit(":", 1)[1])
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS_MAX)

    def get(self, path):
        self.connection.request("GET", path)
        return self.connection.getresponse().read()

    def post(self, body):
        self.connection.request("POST", "/-/mcp", body, {"Content-Type": "application/json"})
        return self.connection.getresponse().read()

    def edit(self, path, **values):
        self.connection.request("PATCH", path, json.dumps(values).encode(),
                                {"Content-Type": "application/merge-patch+json", "If-Match": "*"})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {text.decode()}")

    def call(self, tool, /, **arguments):
        return content(json.loads(self.post(message(1, tool, arguments))))

    def end(self):
        self.connection.close()
        self.process.terminate()
        return self.process.wait(SECONDS_MAX)


def environment(home):
    return {"HOME": home, "PATH": os.environ["PATH"]}


def message(number, tool, arguments):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                       "params": {"name": tool, "arguments": arguments}}).encode()


def content(answer):
    if "error" in answer:
        raise SystemExit(f"{answer['error']}")
    result = answer["result"]
    if result["isError"]:
        raise SystemExit(result["content"][0]["text"])
    return result["structuredContent"]


def person(number):
    """A made-up person."""
    words = " ".join(WORDS[number // 16 ** place % 16] for place in range(5))
    return {"id": number, "login": f"person-{number}", "city": f"city {number % 5_000}", "bio": words, "score": number}


class People(serving.Handler):
    """Answers single people."""

    def do_GET(self):
        number = self.path.rpartition("-")[2]
        self.reply(json.dumps(person(int(number))).encode(), {"Content-Type": "application/json"})


def calls(rows):
    """The calls that are measured; the rows of each are in another place every time."""
    def place(number):
        return 1 + number * 7_919 % rows

    def login(number):
        return f"person-{number}"

    return {
        "resources": lambda _: ("resources", {}),
        "rows": lambda number: ("rows", {"resource": "people", "limit": 20}),
        "rows, where": lambda number: ("rows", {"resource": "people", "limit": 20,
                                                "where": {"city": f"city {place(number) % 5_000}"}}),
        "row": lambda number: ("row", {"resource": "people", "handle": login(place(number))}),
        "find": lambda number: ("find", {"text": person(place(number))["bio"], "limit": 20}),
        "query": lambda number: ("query", {"sql": "SELECT login, city FROM people WHERE id = :id",
                                           "values": {"id": place(number)}}),
        "changes": lambda number: ("changes", {"limit": 20}),
        "limits": lambda _: ("limits", {}),
        "refresh": lambda number: ("refresh", {"resource": "people", "row": login(place(number))}),
    }


def percentiles(times):
    times = sorted(times)
    return f"{times[len(times) // 2] * 1000:7.2f} {times[len(times) * 99 // 100] * 1000:7.2f}"


def timed(work, count):
    times = []
    for number in range(count):
        start = time.perf_counter()
        work(number)
        times.append(time.perf_counter() - start)
    return times


def measure(program, settings, home, chosen):
    starts = []
    for _ in range(5):
        start = time.perf_counter()
        agent = Agent([program, "mcp", *settings], home)
        agent.call("limits")
        starts.append((time.perf_counter() - start) * 1000)
        agent.end()
    print(f"patchbay mcp: first answer after {sorted(starts)[2]:.0f} ms")
    agent, server = Agent([program, "mcp", *settings], home), Server([program, "serve", *settings], home)
    echo = Agent(["cat"], home)
    counted = agent.call("query", sql="SELECT count(*) FROM people")["rows"][0][0]
    start = time.perf_counter()
    agent.call("find", text="amber", limit=1)
    print(f"{counted:,} people; the first search, which makes the index of words, took "
          f"{time.perf_counter() - start:.0f} s")
    print(f"{'':14} {'standard streams':>16} {'HTTP':>16}   (p50, p99 in ms)")
    for name, make in calls(chosen.rows).items():
        count = chosen.calls
        over = [timed(lambda number: side.call(make(number)[0], **make(number)[1]), count) for side in (agent, server)]
        print(f"{name:14} {percentiles(over[0]):>16} {percentiles(over[1]):>16}")
    line = message(1, "rows", {"resource": "people", "limit": 20})
    echoed = timed(lambda _: echo.line(line), chosen.calls)
    got = timed(lambda _: server.get("/-/resources/people?limit=20&policy=local-only"), chosen.calls)
    print(f"{'a line, GET':14} {percentiles(echoed):>16} {percentiles(got):>16}")
    for side in (agent, server, echo):
        side.end()


def together(program, storage, place, home, failures):
    """A server and two agents on one storage, of which each sees what the others do."""
    settings = ["--source", "synthetic", "--set", "source.users=2000", "--storage", storage, *place]
    subprocess.run([program, "sync", "users", "-q", *settings], cwd=home, env=environment(home), check=True)
    sides = [Server([program, "serve", *settings], home), Agent([program, "mcp", *settings], home),
             Agent([program, "mcp", *settings], home)]
    names = ["the server", "the first agent", "the second agent"]
    # A folder of flat files has one writer, so that the agents only read.
    writers = sides[:1] if storage == "flatfile" else sides
    login = sides[0].call("rows", resource="users", limit=1, fields=["login"])["rows"][0]["login"]
    for turn in range(9):
        sides[0].edit(f"/-/resources/users/{login}", name=f"turn {turn}")
        writers[turn % len(writers)].call("refresh", resource="users", row=login)
        for name, side in zip(names, sides):
            total = side.call("query", sql="SELECT count(*) FROM users")["rows"][0][0]
            ids, cursor = set(), None
            while True:
                page = side.call("rows", resource="users", limit=500, fields=["id"],
                                 **({"cursor": cursor} if cursor else {}))
                ids |= {row["id"] for row in page["rows"]}
                cursor = page.get("cursor")
                if not cursor:
                    break
            shown = side.call("row", resource="users", handle=login)["row"].get("name_override")
            if total != USERS or len(ids) != USERS or shown != f"turn {turn}":
                failures.append(f"{storage}: {name} sees {total} and {len(ids)} rows and {shown} in turn {turn}")
    statuses = [side.end() for side in reversed(sides)]
    if statuses != [0, 0, 0]:
        failures.append(f"{storage}: exit statuses {statuses}")
    audit = json.loads(subprocess.run([program, "audit", "--format", "json", *settings], cwd=home,
                                      env=environment(home), check=True, capture_output=True).stdout)
    queries = sum(line["calls"] for line in audit if line["operation"] == "mcp.query")
    if queries != 9 * len(writers):
        failures.append(f"{storage}: the account has {queries} of {9 * len(writers)} queries")
    print(f"{storage}: a server and two agents, {queries} queries in one account")


def made(program, home, chosen, address):
    """Imports people into a storage of SQLite and returns the settings of the command."""
    folder = os.path.abspath(chosen.folder or home)
    settings = ["--source", "rest", "--set", f"source.definition={folder}/people.conf", "--storage", "sqlite",
                "--set", f"storage.path={folder}/people.sqlite"]
    with open(f"{folder}/people.conf", "w") as file:
        file.write(DEFINITION.replace("{address}", address))
    if not os.path.exists(f"{folder}/people.sqlite"):
        with open(f"{folder}/people.ndjson", "w") as file:
            file.writelines(json.dumps(person(number)) + "\n" for number in range(1, chosen.rows + 1))
        subprocess.run([program, "import", "people", f"{folder}/people.ndjson", *settings], cwd=home,
                       env=environment(home), check=True)
        os.remove(f"{folder}/people.ndjson")
    return settings


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--calls", type=int, default=1_000)
    arguments.add_argument("--storages", default="sqlite,lmdb,flatfile")
    arguments.add_argument("--folder", help="where the storage is made, or kept from an earlier run")
    chosen = arguments.parse_args()
    program, failures = os.path.abspath(chosen.program), []
    with tempfile.TemporaryDirectory() as home:
        if chosen.rows:
            with serving.upstream(People) as upstream:
                measure(program, made(program, home, chosen, upstream.address), home, chosen)
        for storage in chosen.storages.split(","):
            place = ["--set", f"storage.path={home}/small.{storage}"]
            if storage == "postgres":
                place = ["--set", f"storage.url={os.environ['PATCHBAY_POSTGRES']}", "--set", f"storage.schema=agents_{os.getpid()}"]
            together(program, storage, place, home, failures)
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
