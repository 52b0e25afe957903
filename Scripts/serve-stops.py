#!/usr/bin/env python3
"""Ends `patchbay serve` while clients use it: like a service manager, and with SIGKILL.

    python3 Scripts/serve-stops.py PATCHBAY [--rounds 10]

After SIGTERM, every request that has been sent must be answered completely, and the server must end within ten
seconds. After SIGKILL, another server opens the same storage; with the upstream stopped, it must return each answer
completely or not at all.
"""

import argparse
import hashlib
import http.client
import random
import sys
import threading
import time

import serving
from verdict import verdict

CLIENTS = 32
PATHS = 200


def content(path):
    """Returns a body of 100 bytes to 200 kB that depends only on the path."""
    digest = hashlib.sha256(path.encode()).digest()
    return (digest.hex() * (1 + int.from_bytes(digest[:2], "big") % 3_000)).encode()


class Slow(serving.Handler):
    """Answers with a delay."""

    def do_GET(self):
        time.sleep(random.Random(self.path).random() * self.server.seconds)
        fields = {"Content-Type": "text/plain", "Cache-Control": "public, max-age=3600"}
        self.reply(content(self.path), fields)


class Load:
    """Clients that send one request after another."""

    def __init__(self, server, make_path):
        self.lock, self.answered, self.wrong, self.is_over = threading.Lock(), set(), [], False
        self.sent = {}
        self.threads = [
            threading.Thread(target=self.run, args=(server, number, make_path), daemon=True)
            for number in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def run(self, server, client, make_path):
        number = 0
        while not self.is_over:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
                while not self.is_over:
                    path, number = make_path(client, number), number + 1
                    connection.request("GET", path)
                    with self.lock:
                        self.sent[path] = time.monotonic()
                    response = connection.getresponse()
                    body = response.read()
                    with self.lock:
                        if response.status == 200 and body == content(path):
                            self.answered.add(path)
                        elif response.status == 200:
                            self.wrong.append(f"{path}: {len(body)} bytes of {len(content(path))}")
            except (OSError, http.client.HTTPException):
                if server.process.poll() is not None or self.is_over:
                    return

    def end(self):
        self.is_over = True
        for thread in self.threads:
            thread.join(40)


def check_term(program, failures):
    with serving.upstream(Slow, seconds=2.0) as upstream, serving.serving(program, upstream.address) as server:
        load = Load(server, lambda client, number: f"/term/{client}/{number}")
        time.sleep(3)
        # A request sent at this very moment may find its connection closed, which HTTP allows.
        with load.lock:
            moment = time.monotonic() - 0.1
            under_way = {path for path, at in load.sent.items() if at < moment} - load.answered
        seconds, status = server.stop()
        load.end()
        lost = under_way - load.answered
        print(f"SIGTERM: {len(load.sent)} requests, {len(under_way)} under way, {len(lost)} lost; "
              f"status {status} after {seconds:.1f} s")
        if len(under_way) < CLIENTS // 2:
            failures.append("SIGTERM: too few requests were under way for a test")
        if lost or load.wrong:
            failures.append(f"SIGTERM: not answered: {sorted(lost)[:5]} {load.wrong[:3]}")
        if status != 0 or seconds > 10:
            failures.append(f"SIGTERM: status {status} after {seconds:.1f} s")


def check_kill(program, rounds, failures):
    chosen = random.Random(1)
    with serving.upstream(Slow, seconds=0.0) as upstream, serving.serving(
            program, upstream.address) as server:
        for _ in range(rounds):
            load = Load(server, lambda client, number: f"/kill/{(client * 7 + number) % PATHS}")
            time.sleep(0.5 + chosen.random())
            server.kill()
            load.end()
            if load.wrong:
                failures.append(f"SIGKILL: {load.wrong[:3]}")
            server.start()
        upstream.stop()
        whole, absent = 0, 0
        for number in range(PATHS):
            status, fields, body = server.get(f"/kill/{number}")
            whole += status == 200
            absent += status == 504
            if status not in (200, 504) or (status == 200 and body != content(f"/kill/{number}")):
                failures.append(f"SIGKILL: /kill/{number} {status} {len(body)} bytes")
        print(f"SIGKILL: {rounds} times; of {PATHS} answers {whole} whole, {absent} not kept")
        if whole < PATHS // 2:
            failures.append(f"SIGKILL: only {whole} answers were kept")
        server.stop()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--rounds", type=int, default=10)
    options = arguments.parse_args()
    failures = []
    check_term(options.program, failures)
    check_kill(options.program, options.rounds, failures)
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
