#!/usr/bin/env python3
"""Listens to the events of `patchbay serve` with many clients while rows change.

    python3 Scripts/serve-events.py PATCHBAY [--listeners 200] [--commits 1000]

Every listener must end at the last revision. A tenth of them is disconnected meanwhile and returns with Last-Event-ID.
The first event after that must name the resource, because it may have changed.
"""

import argparse
import http.client
import json
import selectors
import socket
import sys
import threading
import time

import serving
from verdict import verdict

SECONDS_MAX = 600


class Listener:
    """A stream of events, read without blocking."""

    def __init__(self, port, last=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        again = f"Last-Event-ID: {last}\r\n" if last else ""
        request = f"GET /-/events?of=users HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{again}\r\n"
        self.socket.sendall(request.encode())
        self.socket.setblocking(False)
        self.data, self.events, self.last, self.first = b"", 0, None, None

    def read(self):
        """Reads available events; returns False when the stream has ended."""
        try:
            data = self.socket.recv(1 << 16)
        except BlockingIOError:
            return True
        self.data += data
        *lines, self.data = self.data.split(b"\n")
        for line in lines:
            if line.startswith(b"id: "):
                self.last = line[4:].decode().strip()
                self.events += 1
            if line.startswith(b"data: ") and self.first is None:
                self.first = json.loads(line[6:])
        return bool(data)


def revision(identifier):
    return int(identifier.rpartition("-")[2], 36) if identifier else -1


def follow(listeners, selector, is_done, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not is_done():
        for key, _ in selector.select(0.2):
            if not key.data.read():
                selector.unregister(key.fileobj)
    return is_done()


def commit(server, logins, count, failures):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for number in range(count):
        connection.request(
            "PATCH", f"/-/resources/users/{logins[number % len(logins)]}", json.dumps({"name": f"name {number}"}),
            {"If-Match": "*", "Content-Type": "application/merge-patch+json"})
        response = connection.getresponse()
        text = response.read()
        if response.status != 200:
            failures.append(f"change {number}: {response.status} {text[:200]}")
            return


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--listeners", type=int, default=200)
    arguments.add_argument("--commits", type=int, default=1000)
    options = arguments.parse_args()
    failures = []
    with serving.serving(options.program, None) as server:
        status, _, body = server.get("/-/resources/users?limit=20&policy=remote-first")
        logins = [row["login"] for row in json.loads(body)] if status == 200 else []
        if not logins:
            raise SystemExit(f"the server has no users: {status} {body[:300]}")
        selector = selectors.DefaultSelector()

        def listen(last=None):
            listener = Listener(server.port, last)
            selector.register(listener.socket, selectors.EVENT_READ, listener)
            return listener

        listeners = [listen() for _ in range(options.listeners)]
        if not follow(listeners, selector, lambda: all(each.last for each in listeners), 30):
            failures.append("not every listener received the present revision")
        start, done = time.monotonic(), []
        writer = threading.Thread(
            target=lambda: done.append(commit(server, logins, options.commits, failures)), daemon=True)
        writer.start()
        cut, again = listeners[: max(1, options.listeners // 10)], []
        half = revision(listeners[-1].last) + options.commits // 4
        follow(listeners, selector, lambda: revision(listeners[-1].last) >= half or done, SECONDS_MAX)
        for listener in cut:
            selector.unregister(listener.socket)
            listener.socket.close()
        follow(listeners, selector, lambda: revision(listeners[-1].last) >= 2 * half or done, 1)
        again = [listen(listener.last) for listener in cut]
        rest = listeners[len(cut):] + again
        follow(rest, selector, lambda: done, SECONDS_MAX)
        seconds = time.monotonic() - start
        status, fields, _ = server.get("/-/ready")
        probe = listen()
        follow(rest, selector, lambda: probe.last, 30)
        present = revision(probe.last)
        if not follow(rest, selector, lambda: all(revision(each.last) >= present for each in rest), 30):
            late = [each.last for each in rest if revision(each.last) < present]
            failures.append(f"{len(late)} of {len(rest)} listeners did not end at {probe.last}: {late[:3]}")
        if any(each.first is None or each.first["resources"] != ["users"] for each in again):
            failures.append(f"a listener that returned was not notified that users may have changed: {again[0].first}")
        if listeners[-1].first["resources"]:
            failures.append("a new listener was notified of changes that it had not missed")
        counts = sorted(each.events for each in listeners[len(cut):])
        print(f"{options.commits} changes in {seconds:.1f} s; {len(rest)} listeners at revision {present}, "
              f"{counts[0]} to {counts[-1]} events each; {len(again)} returned")
        status, _, metrics = server.get("/-/metrics")
        open_streams = [line for line in metrics.decode().splitlines() if line.startswith("patchbay_event_listeners ")]
        if open_streams != [f"patchbay_event_listeners {len(rest) + 1}"]:
            failures.append(f"streams that are open: {open_streams}, not {len(rest) + 1}")
        seconds, status = server.stop()
        print(f"stopped in {seconds:.1f} s with status {status}")
        if status != 0 or seconds > 10:
            failures.append("the server did not stop in time")
        if not follow(rest, selector, lambda: not selector.get_map(), 5):
            failures.append(f"{len(selector.get_map())} streams did not end")
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
