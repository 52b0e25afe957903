#!/usr/bin/env python3
"""Measures how fast `patchbay serve` answers its owner's socket while strangers over TCP try to use it up.

    python3 Scripts/serve-strangers.py PATCHBAY [--full]

The strangers send bodies that drip, connect without the token and send bodies, and send requests that hang at the
source. Each of them has to lose: the owner is answered within 100 ms, from the storage and from the source, and the
memory does not grow with their number. With --full there are 60, 4,000 and 8 of them, and dripping bodies must end with
408; otherwise a tenth, for half a minute less.
"""

import argparse
import asyncio
import http.client
import multiprocessing
import os
import resource
import select
import socket
import sys
import threading
import time

import serving
from verdict import verdict

SECONDS_MAX = 0.1
# A refused connection is read for 2 s more, with buffers of 8 KiB, until the limit of connections.
GROWTH_MAX = 96 << 20


class Hanging(serving.GitHubLike):
    """Answers like GitHub, but never a path that begins with /hang."""

    def do_GET(self):
        if self.path.startswith("/hang"):
            with self.server.lock:
                self.server.hanging += 1
                self.server.peak = max(self.server.peak, self.server.hanging)
            # Until the gateway gives up, which is readable as the end of the connection.
            while not self.server.over.is_set() and not select.select([self.connection], [], [], 0.2)[0]:
                pass
            with self.server.lock:
                self.server.hanging -= 1
            self.close_connection = True
            return
        super().do_GET()


class Owner(http.client.HTTPConnection):
    """A client of the socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(self.path)


def memory(process):
    """Returns the resident memory of a process, in bytes."""
    with open(f"/proc/{process}/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS:"))


class Strangers:
    """Clients over TCP without the token."""

    def __init__(self, port):
        self.port, self.statuses, self.writers = port, {}, []

    async def open(self, head, body=b""):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writers.append(writer)
        writer.write(f"{head}\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode() + body)
        return reader, writer

    async def note(self, kind, reader):
        try:
            words = (await reader.readline()).split()
        except OSError:
            words = []
        status = words[1].decode() if len(words) > 1 else "closed"
        key = (kind, status)
        self.statuses[key] = self.statuses.get(key, 0) + 1

    async def drip(self, number):
        reader, writer = await self.open(f"POST /drip/{number} HTTP/1.1\r\nContent-Length: 1000000")
        answer = asyncio.create_task(self.note("drip", reader))
        while not answer.done():
            try:
                writer.write(b"x")
                await writer.drain()
            except OSError:
                break
            await asyncio.sleep(0.5)
        await answer

    async def knock(self, number):
        """Sends a body to the own API without the token."""
        try:
            reader, _ = await self.open(
                f"POST /-/resources/users/sync?n={number} HTTP/1.1\r\nContent-Length: 1000000", b"x" * 65_536)
        except OSError:
            return
        await self.note("knock", reader)

    async def hang(self, number):
        reader, _ = await self.open(f"GET /hang/{number} HTTP/1.1")
        await self.note("hang", reader)

    def run(self, drips, knocks, hangs, is_over, results):
        async def work():
            tasks = [asyncio.create_task(self.drip(number)) for number in range(drips)]
            tasks += [asyncio.create_task(self.hang(number)) for number in range(hangs)]
            for start in range(0, knocks, 100):
                tasks += [asyncio.create_task(self.knock(number)) for number in range(start, min(start + 100, knocks))]
                await asyncio.sleep(0.02)
            while not is_over.is_set():
                await asyncio.sleep(0.05)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for writer in self.writers:
                writer.close()
        # On other machines, they would take no time of this one's processors.
        os.nice(10)
        asyncio.run(work())
        results.put(self.statuses)


def check(program, drips, knocks, hangs, seconds, is_full):
    """Returns failures."""
    over, failures = threading.Event(), []
    with serving.upstream(Hanging, hanging=0, peak=0, over=over) as upstream, serving.serving(
            program, upstream.address, "--set", "source.token=env:SOURCE", "--set", "source.deadline-seconds=60",
            environment={"SOURCE": "made-up-source-token-1"}) as server:
        owner = Owner(server.socket)

        def ask(path):
            start = time.monotonic()
            owner.request("GET", path)
            response = owner.getresponse()
            response.read()
            if response.status != 200:
                failures.append(f"the owner's {path}: {response.status}")
            return time.monotonic() - start

        paths = ["/-/resources", "/users/ada", "/-/live"]
        for path in paths:
            ask(path)
        # The first request without a token finds out its rate limit, and others wait for it.
        server.get("/users/ada")
        before, is_over, results = memory(server.process.pid), multiprocessing.Event(), multiprocessing.Queue()
        # A process of its own, so that the strangers do not delay the owner in this one.
        strangers = multiprocessing.Process(
            target=Strangers(server.port).run, args=(drips, knocks, hangs, is_over, results))
        strangers.start()
        times, peak, end, number = [], before, time.monotonic() + seconds, 0
        while time.monotonic() < end:
            number += 1
            for path in [*paths, f"/repos/ada/engine-{number}"]:
                times.append((ask(path), path))
            peak = max(peak, memory(server.process.pid))
            time.sleep(0.05)
        hanging = upstream.peak
        is_over.set()
        statuses = results.get(timeout=60)
        strangers.join(60)
        time.sleep(3)
        after = memory(server.process.pid)
        over.set()
        times.sort()
        slowest, most = times[-1], times[len(times) * 99 // 100]
        print(f"{drips} dripping bodies, {knocks} connections without the token, {hangs} hanging requests, {seconds} s")
        print("  strangers: " + ", ".join(
            f"{count} x {kind} {status}" for (kind, status), count in sorted(statuses.items())))
        print(f"  at the source at once: {hanging} hanging requests")
        print(f"  the owner: {len(times)} answers, median {times[len(times) // 2][0] * 1000:.1f} ms, "
              f"99 of 100 within {most[0] * 1000:.1f} ms, slowest {slowest[0] * 1000:.1f} ms ({slowest[1]})")
        print(f"  memory: {before / 2**20:.1f} MiB before, {peak / 2**20:.1f} MiB at most, {after / 2**20:.1f} MiB after")
        # A busy machine delays single answers.
        if most[0] > SECONDS_MAX:
            failures.append(f"the owner waited {most[0] * 1000:.0f} ms for {most[1]}")
        if peak - before > GROWTH_MAX:
            failures.append(f"the memory grew by {(peak - before) / 2**20:.1f} MiB")
        if hanging >= 8:
            failures.append(f"{hanging} hanging requests hold every connection to the source")
        if not statuses.get(("knock", "401")):
            failures.append("no connection without the token was refused with 401")
        if is_full and statuses.get(("drip", "408"), 0) < drips:
            failures.append("not every dripping body ended with 408")
        server.stop()
    return failures


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("patchbay")
    arguments.add_argument("--full", action="store_true")
    options = arguments.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    numbers = (60, 4_000, 8, 30) if options.full else (6, 400, 8, 5)
    return verdict(check(options.patchbay, *numbers, options.full))


if __name__ == "__main__":
    sys.exit(main())
