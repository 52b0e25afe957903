#!/usr/bin/env python3
"""Looks for secrets in everything that `patchbay serve` writes, and in its answers to other clients.

    python3 Scripts/serve-canary.py PATCHBAY

The upstream is that of canary.py: it repeats the credentials of each request in bodies, header fields, reason phrases
and redirects. A client's own token may be returned to that client only. The source's token, which is lent to clients,
and serve.token may be returned to no client, and serve.token must not reach the upstream. Prints a table. The status
is 1 when a secret was found, or when the upstream never repeated one.
"""

import socket
import sys
import time
import urllib.parse

import canary
import serving
from verdict import verdict

OWN = "ghp_cAnArY0123456789abcdefghijABCDEFGHIJ"
LENT = "ghp_lEnTcAnArY9876543210zyxwvutsrqponmlk"
GATE = "gate-cAnArY-0123456789-xyz"
PATHS = ["/users", "/users/user1", "/repos/user1/r", "/search/users?q=x", "/users/user1/repos?per_page=2", "/rate_limit"]


class Repeating(canary.Echo):
    """Also records every request."""

    def do_GET(self):
        with self.server.lock:
            self.server.heads.append(f"{self.requestline}\n{self.headers}")
        super().do_GET()

    do_POST = do_GET


def answer(client, host, path, fields, method="GET", body=b""):
    """Returns all bytes of an answer, including the head, and closes the client's connection."""
    with client:
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", "Connection: close", f"Content-Length: {len(body)}"]
        client.sendall(("\r\n".join(lines + [f"{name}: {value}" for name, value in fields]) + "\r\n\r\n").encode() + body)
        data = b""
        while part := client.recv(1 << 16):
            data += part
        return data


def raw(server, *request):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(60)
    client.connect(server.socket)
    return answer(client, "api.github.com", *request)


def over_port(server, *request):
    client = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    return answer(client, f"127.0.0.1:{server.port}", *request)


def check(program, scenario):
    """Returns the numbers of requests and of answers with a secret, and the places where one was found."""
    searches = {name: canary.Search(secret) for name, secret in (("own", OWN), ("lent", LENT), ("gate", GATE))}

    def look(text, place, *names):
        for name in names or searches:
            searches[name].look(text, f"the token \"{name}\" in {place}")

    environment = {"SOURCE_TOKEN": LENT, "GATE": GATE, "PATCHBAY_LOG": "log.txt"}
    words = ["--log", "--stats", "--set", "source.token=env:SOURCE_TOKEN", "--set", "serve.token=env:GATE"]
    with serving.upstream(Repeating, scenario=scenario, requests=0, echoes=0, heads=[]) as upstream, serving.serving(
            program, upstream.address, *words, environment=environment) as server:
        own, gate = ("Authorization", "Bearer " + OWN), ("Patchbay-Token", GATE)
        shown = ("Authorization", "Bearer " + GATE)
        for path in PATHS:
            look(raw(server, path, [own]), f"the answer to its owner, {path}", "lent", "gate")
            look(raw(server, path, []), f"the answer to a client that is lent the source's token, {path}")
            look(over_port(server, path, [own, gate]), f"the answer to its owner over TCP, {path}", "lent", "gate")
            look(over_port(server, path, [shown]), f"the answer to a client with serve.token, {path}")
            look(over_port(server, path, []), f"the answer to a client without serve.token, {path}")
        secret = urllib.parse.quote(OWN)
        for path in (f"/users?access_token={secret}", f"/users/user1?token={secret}&q=1"):
            raw(server, path, [])
            raw(server, path, [own])
        raw(server, "/markdown", [own], "POST", b"{}")
        for path in ("/-/metrics", "/-/limits", "/-/resources", "/-/resources/users?policy=remote-first&limit=2",
                     "/-/search?resource=users&q=user1", "/-/openapi.json", "/-/syncs"):
            look(raw(server, path, []), path)
        # Answers are stored shortly after they were sent.
        time.sleep(0.5)
        for search in searches.values():
            search.look_into(server.folder)
        server.stop()
        look("".join(server.errors).encode(), "the log")
        for search in searches.values():
            search.look_into(server.folder)
        look("\n".join(upstream.heads).encode(), "the requests to the upstream", "gate")
        found = sorted({place for search in searches.values() for place in search.found})
        return upstream.requests, upstream.echoes, found


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    print(f"{'case':20} {'requests':>9} {'repeated':>9} {'found':>6}")
    failures = []
    for name, scenario in canary.SCENARIOS.items():
        requests, echoes, found = check(sys.argv[1], scenario)
        print(f"{name:20} {requests:9} {echoes:9} {len(found):6}", flush=True)
        failures += [f"{name}: {place}" for place in found]
        if echoes == 0:
            failures.append(f"{name}: the upstream repeated nothing, so nothing was tested")
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
