#!/usr/bin/env python3
"""Looks for secrets in everything that the command writes.

    Scripts/canary.py [--quick] [PATCHBAY]

Runs the command against a server on loopback that repeats the credentials of each request in its answer: in the body
(plain, with JSON escapes, percent-encoded, in base64), in values and names of header fields, in the reason phrase, in
redirects, links and data. Then searches standard output, standard error, logs, recordings, stores and exports for the
credentials. Prints a table. The status is 1 when a secret was found, or when the server never repeated one.
"""

import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse

import serving
from verdict import verdict

IS_QUICK = "--quick" in sys.argv
PROGRAM = os.path.abspath(next((word for word in sys.argv[1:] if word != "--quick"), ".build/debug/patchbay"))
SECONDS_MAX = 120
TOKENS = {
    "ghp_": "ghp_cAnArY0123456789abcdefghijABCDEFGHIJ",
    "40 hex": "c0ffee5ca1ab1e0ddba11feedfacecafe0123456",
    "odd": "p+q/R=s~t.u-v_w!x$y'z",
    "short": "k7Qz9x",
}


def escaped(text):
    return "".join("\\u%04x" % ord(letter) for letter in text)


def percent(text):
    return "".join("%%%02X" % ord(letter) for letter in text)


def encoded(text):
    return base64.b64encode(b"x-access-token:" + text.encode()).decode()


class Echo(serving.Handler):
    """Repeats the credentials that it receives."""

    proxied = ""

    def do_GET(self):
        server = self.server
        secret = self.secret()
        server.requests += 1
        server.echoes += 1 if secret else 0
        secret = secret or "none"
        status, body, fields = server.scenario(self, secret)
        self.send_response_only(status, f"Reason {secret}")
        if re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", secret):
            fields[secret] = "named"
        fields.update({"X-GitHub-Request-Id": secret, "X-Other": f"a {percent(secret)} {encoded(secret)}"})
        fields["Content-Length"] = str(len(body))
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self):
        """Acts as a proxy and as the server that it connects to."""
        self.proxied = base64.b64decode(self.headers["Proxy-Authorization"].split()[1]).decode().partition(":")[2]
        self.send_response_only(200, f"Reason {self.proxied}")
        self.end_headers()
        self.close_connection = False

    def secret(self):
        return (self.headers.get("Authorization") or "").partition(" ")[2] or self.proxied


def refusal(status):
    def answer(_, secret):
        texts = [secret, percent(secret), encoded(secret)]
        body = json.dumps({
            "message": f"Bad credentials: {' '.join(texts)}", "block": {"reason": f"because of {secret}"},
            "errors": [{"message": f"wrong {secret}"}], "documentation_url": f"https://x.org/?a={secret}",
        })
        return status, body.replace("Bad", escaped(secret) + " Bad").encode(), {}
    return answer


def redirect(make):
    def answer(handler, secret):
        quoted = urllib.parse.quote(secret, safe="")
        if "moved" in handler.path:
            return refusal(404)(handler, secret)
        port = handler.server.server_address[1]
        return 302, b"", {"Location": make(port, secret, quoted)}
    return answer


def user(secret, number):
    return {
        "login": f"user{number}", "id": number, "type": "User", "avatar_url": f"https://x.org/{secret}.png",
        "html_url": f"https://x.org/{secret}", "name": f"name {secret}", "bio": f"{percent(secret)} {encoded(secret)}",
        "blog": f"https://x.org/?a={secret}", "company": secret, "location": "mark", "email": None,
    }


def data(handler, secret):
    """Answers that are stored, with the secret in them."""
    host = f"http://127.0.0.1:{handler.server.server_address[1]}"
    path = handler.path.split("?")[0]
    fields = {"ETag": f'"{secret}"', "X-RateLimit-Resource": secret, "X-RateLimit-Limit": "60",
              "X-RateLimit-Remaining": "50", "X-RateLimit-Used": "10", "X-RateLimit-Reset": "4102444800"}
    owner = user(secret, 1)
    repository = {
        "id": 5, "name": "r", "full_name": "user1/r", "owner": owner, "private": False, "fork": False,
        "description": f"about {secret}", "html_url": f"https://x.org/{secret}", "topics": [secret],
        "temp_clone_token": secret, "default_branch": "main",
    }
    if path == "/rate_limit":
        body = {"resources": {secret: {"limit": 60, "remaining": 50, "reset": 4102444800}}}
    elif path == "/users":
        body = [user(secret, 1), user(secret, 2)]
        if "since=2" not in handler.path:
            fields["Link"] = f'<{host}/users?since=2&t={urllib.parse.quote(secret)}>; rel="next"'
    elif path.startswith("/search/users"):
        body = {"total_count": 1, "incomplete_results": False, "items": [owner]}
    elif path.startswith("/search/"):
        body = {"total_count": 1, "incomplete_results": False, "items": [repository]}
    elif path.endswith("/commits"):
        person = {"name": secret, "email": f"{secret}@x.org", "date": "2026-01-02T03:04:05Z"}
        body = [{"sha": "a" * 40, "html_url": f"https://x.org/{secret}", "author": owner, "committer": owner,
                 "commit": {"message": f"uses {secret}", "author": person, "committer": person}, "parents": []}]
    elif path.endswith("/repos"):
        body = [repository]
    elif path.startswith("/repos/"):
        body = repository
    else:
        body = owner
    return 200, json.dumps(body).replace("mark", escaped(secret)).encode(), fields


SCENARIOS = {str(status): refusal(status) for status in (401, 403, 404, 410, 422, 451, 500)}
SCENARIOS.update({
    "302 here": redirect(lambda port, secret, quoted: f"/moved/{quoted}?a={secret}"),
    "302 elsewhere": redirect(lambda port, secret, quoted: f"http://localhost:{port}/moved?a={quoted}"),
    "302 nowhere": redirect(lambda port, secret, quoted: f"ftp://{secret}@x.org/{secret}"),
    "302 circle": redirect(lambda port, secret, quoted: f"/circle?a={quoted}"),
    "200": data,
})
COMMANDS = [
    "list users --limit 2", "list users --limit 2 --refresh --format json --log", "show users user1 --log",
    "picture users user1 --output a.png", "list repos user1", "show repos user1/r --format json", "list commits user1/r",
    "search users mark", "search repos mark", "api GET /users/user1", "api --include GET /users", "doctor --log",
    "limits --format json", "sync users --max-requests 2 --stats --log", "sync repos user1", "config show",
    "record r.har -- list users --limit 2 --refresh", "record r2.har -- api GET /users/user1",
    "recording show r.har", "recording check r.har", "storage info", "storage export --output export.jsonl",
]
SLOW = {"500": ["list users --limit 2 --log", "api --include GET /users", "record r.har -- limits"]}


class Search:
    """The encodings of a secret, and the places where one was found."""

    def __init__(self, secret):
        words = {secret, percent(secret), urllib.parse.quote(secret, safe=""), escaped(secret), encoded(secret),
                 base64.b64encode(secret.encode()).decode()}
        words |= {json.dumps(word)[1:-1] for word in words} | {word.lower() for word in words}
        self.words = sorted(word.encode() for word in words)
        self.found = []

    def look(self, text, place):
        for word in self.words:
            at = text.find(word)
            if at >= 0:
                context = text[max(0, at - 60):at + len(word) + 20]
                self.found.append(f"{place}: ...{context!r}...")
                return

    def look_into(self, folder):
        for parent, _, names in os.walk(folder):
            for name in names:
                self.look(name.encode(), f"the name {name}")
                # A server's socket has no contents.
                if not os.path.isfile(os.path.join(parent, name)):
                    continue
                with open(os.path.join(parent, name), "rb") as file:
                    self.look(file.read(), os.path.join(parent, name))


def run(words, folder, variables, search):
    environment = {"HOME": folder, "PATH": os.environ["PATH"], "PATCHBAY_LOG": os.path.join(folder, "log.txt")}
    environment.update(variables)
    done = subprocess.run([PROGRAM, *words.split()], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=SECONDS_MAX)
    search.look(done.stdout, f"standard output of {words}")
    search.look(done.stderr, f"standard error of {words}")


def check(scenario, secret, variables, commands):
    """Runs commands in a new folder; returns the numbers of runs, requests and answers with the secret, and the places
        where it was found."""
    search = Search(secret)
    with serving.upstream(Echo, scenario=scenario, requests=0, echoes=0) as server, \
            tempfile.TemporaryDirectory() as folder:
        variables = {name: value.replace("{port}", str(server.server_address[1]))
                     for name, value in variables.items()}
        for words in commands:
            run(words, folder, variables, search)
        search.look_into(folder)
    return len(commands), server.requests, server.echoes, search.found


def settings(**others):
    return {"PATCHBAY_SOURCE": "github", "PATCHBAY_STORAGE": "sqlite", "PATCHBAY_STORAGE_PATH": "store.sqlite",
            "PATCHBAY_SOURCE_BASE_URL": "http://127.0.0.1:{port}", **others}


def cases():
    for kind, token in TOKENS.items():
        for name, scenario in SCENARIOS.items():
            if IS_QUICK and (kind not in ("ghp_", "short") or name not in ("401", "302 here", "200")):
                continue
            variables = settings(TOKEN=token, PATCHBAY_SOURCE_TOKEN="env:TOKEN")
            yield f"{name}, token {kind}", scenario, token, variables, SLOW.get(name, COMMANDS), True
    secret = "pr0xy-pAssw0rd"
    for name in ("403", "302 here"):
        variables = settings(HTTP_PROXY=f"http://ada:{secret}@127.0.0.1:{{port}}",
                             PATCHBAY_SOURCE_BASE_URL="http://example.invalid",
                             PATCHBAY_NETWORKING_ALLOW_PLAIN_HTTP="true")
        yield f"{name}, password of a proxy", SCENARIOS[name], secret, variables, COMMANDS, True
    variables = settings(PATCHBAY_NETWORKING_PROXY=f"http://ada:{secret}@127.0.0.1:{{port}}")
    yield "networking.proxy with a password", data, secret, variables, COMMANDS, False
    for name, address in {
        "base-url with a password": f"http://ada:{secret}@127.0.0.1:{{port}}",
        "base-url with access_token": f"http://127.0.0.1:{{port}}/?access_token={secret}",
    }.items():
        yield name, data, secret, settings(PATCHBAY_SOURCE_BASE_URL=address), COMMANDS, False


def main():
    print(f"{'case':42} {'runs':>5} {'requests':>9} {'repeated':>9} {'found':>6}")
    failures = []
    for name, scenario, secret, variables, commands, is_asked in cases():
        runs, requests, echoes, found = check(scenario, secret, variables, commands)
        print(f"{name:42} {runs:5} {requests:9} {echoes:9} {len(found):6}", flush=True)
        failures += [f"{name}: {place}" for place in found]
        if is_asked and echoes == 0:
            failures.append(f"{name}: the server repeated nothing, so nothing was tested")
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
