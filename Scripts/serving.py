"""Shared by the scripts for `patchbay serve`: the server in its own folder, and an upstream on loopback."""

import contextlib
import hashlib
import http.client
import http.server
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

SECONDS_MAX = 60
RECORDING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Recordings", "sample.har")


class Serving:
    """`patchbay serve` on a Unix domain socket and a port on loopback."""

    def __init__(self, program, folder, upstream, *words, environment=None, storage="sqlite", store=None):
        """Serves the API at the address `upstream`, or the bundled recording when that is None."""
        self.program, self.folder = os.path.abspath(program), folder
        self.store = store or os.path.join(folder, f"store.{storage}")
        self.socket = os.path.join(folder, "s.sock")
        source = ["github", "--set", f"source.base-url={upstream}"]
        if upstream is None:
            source = ["recorded", "--set", f"source.path={RECORDING}"]
        self.settings = ["--storage", storage, "--set", f"storage.path={self.store}", "--source", *source]
        self.words = [
            "serve", "--listen", f"unix:{self.socket}", "--listen", "127.0.0.1:0", *self.settings, *words,
        ]
        self.environment = {"HOME": folder, "PATH": os.environ["PATH"], **(environment or {})}
        self.start()

    def start(self):
        self.errors, self.base = [], None
        self.process = subprocess.Popen(
            [self.program, *self.words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        listening = threading.Event()
        threading.Thread(target=self._read, args=(self.process, listening), daemon=True).start()
        if not listening.wait(SECONDS_MAX):
            self.kill()
            raise SystemExit("the server does not listen:\n" + "".join(self.errors))

    def _read(self, process, listening):
        for line in process.stderr:
            self.errors.append(line)
            if match := re.match(r"listening on (127\.0\.0\.1:\d+)$", line):
                self.base = "http://" + match[1]
                listening.set()
        listening.set()

    @property
    def port(self):
        return int(self.base.rsplit(":", 1)[1])

    @property
    def made_token(self):
        """The token that the server has made because the source has one and serve.token is not set."""
        with open(os.path.join(self.folder, ".local/state/patchbay/serve-token")) as file:
            return file.read().strip()

    @property
    def page(self):
        return self.base + "/-/"

    def command(self, *words):
        """Runs another command on the same store and source."""
        subprocess.run(
            [self.program, *words, *self.settings], cwd=self.folder, env=self.environment, check=True,
            timeout=300, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def stop(self):
        """Stops the server like a service manager; returns the seconds that it took, and the exit status."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.kill()
            status = None
        return time.monotonic() - start, status

    def kill(self):
        self.process.kill()
        self.process.wait()

    def get(self, path, method="GET", body=None, **fields):
        """Returns the status, the fields with lower-case names, and the body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS_MAX)
        with contextlib.closing(connection):
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in fields.items()})
            response = connection.getresponse()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()


@contextlib.contextmanager
def serving(program, upstream, *words, **options):
    """Runs the server in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        server = Serving(program, folder, upstream, *words, **options)
        try:
            yield server
        finally:
            if server.process.poll() is None:
                server.kill()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers requests without a log, each in one write."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def log_message(self, *_):
        pass

    def reply(self, body, fields, status=200):
        self.send_response(status)
        for name, value in {**fields, "Content-Length": len(body)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)


class GitHubLike(Handler):
    """A small part of GitHub's API with made-up people: entity tags, pages by id, GraphQL, rate limit fields."""

    repositories = 230
    page = 30

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/user" and not self.headers.get("Authorization"):
            return self.answer({"message": "Requires authentication"}, None, is_safe=False, status=401)
        body, link = self.content(path, dict(part.partition("=")[::2] for part in query.split("&")))
        self.answer(body, link)

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            query = str(json.loads(text)["query"])
        except (ValueError, TypeError, KeyError, RecursionError):
            return self.answer({"message": "Problems parsing JSON"}, None, is_safe=False, status=400)
        return self.answer({"data": self.graph(query)} if self.path == "/graphql" else None, None, is_safe=False)

    def answer(self, body, link, is_safe=True, status=200):
        text = json.dumps(body or {"message": "Not Found"}).encode()
        tag = 'W/"%s"' % hashlib.sha256(text + (self.headers.get("Authorization") or "").encode()).hexdigest()
        is_known = is_safe and tag in (self.headers.get("If-None-Match") or "")
        status = 404 if body is None else 304 if is_known else status
        with self.server.lock:
            self.server.counts[status] = self.server.counts.get(status, 0) + 1
        self.send_response(status)
        if link:
            self.send_header("Link", link)
        if is_safe and body is not None:
            self.send_header("ETag", tag)
            self.send_header("Cache-Control", "private, max-age=60, s-maxage=60")
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("X-RateLimit-Limit", "5000")
        self.send_header("X-RateLimit-Remaining", "4990")
        self.send_header("X-RateLimit-Reset", str(int(time.time()) + 3600))
        self.send_header("X-RateLimit-Resource", "core")
        if status != 304:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if status != 304:
            self.wfile.write(text)

    def content(self, path, query):
        host = "http://" + self.headers["Host"]
        if path in ("/users/ada", "/user/7", "/user"):
            return self.user(host), None
        if path in ("/users/ada/repos", "/user/7/repos"):
            size, page = int(query.get("per_page", self.page)), int(query.get("page", 1))
            numbers = range((page - 1) * size + 1, min(page * size, self.repositories) + 1)
            is_last = page * size >= self.repositories
            link = None if is_last else f'<{host}/user/7/repos?per_page={size}&page={page + 1}>; rel="next"'
            return [self.repository(host, number) for number in numbers], link
        if match := re.fullmatch(r"/repos/ada/engine-(\d+)", path):
            return self.repository(host, int(match[1])), None
        if re.fullmatch(r"/repos/ada/engine-\d+/readme", path):
            return {"name": "README.md", "content": "IyBUaGUgZW5naW5lCg==", "encoding": "base64"}, None
        return None, None

    def user(self, host):
        return {"login": "ada", "id": 7, "type": "User", "name": "Ada", "url": f"{host}/users/ada",
                "repos_url": f"{host}/users/ada/repos", "html_url": "https://example.org/ada"}

    def repository(self, host, number):
        return {"id": number, "name": f"engine-{number}", "full_name": f"ada/engine-{number}",
                "owner": self.user(host), "private": False, "fork": False, "description": f"engine {number}",
                "html_url": f"https://example.org/ada/engine-{number}",
                "url": f"{host}/repos/ada/engine-{number}", "stargazers_count": number}

    def graph(self, query):
        if "viewer" in query:
            return {"viewer": {"login": "ada"}}
        name = {"id": "R7", "name": "engine-7", "nameWithOwner": "ada/engine-7", "owner": {"id": "U7", "login": "ada"},
                "description": "engine 7", "url": "https://example.org/ada/engine-7", "hasIssuesEnabled": True,
                "viewerPermission": "READ", "defaultBranchRef": {"name": "main"}, "isPrivate": False}
        return {"repository": name}


class Upstream(http.server.ThreadingHTTPServer):
    """A server that can be stopped together with its connections."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.lock, self.counts, self.connections = threading.Lock(), {}, set()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def process_request(self, request, client_address):
        with self.lock:
            self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        with self.lock:
            self.connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, *_):
        """Ignores clients that have disconnected."""

    def stop(self):
        self.shutdown()
        self.server_close()
        with self.lock:
            for connection in self.connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def count(self):
        """Returns the number of answers by status since the last call."""
        with self.lock:
            counts, self.counts = self.counts, {}
        return counts


@contextlib.contextmanager
def upstream(handler=GitHubLike, **attributes):
    """Runs a server on loopback, whose `count()` counts its answers."""
    server = Upstream(handler)
    for name, value in attributes.items():
        setattr(server, name, value)
    try:
        yield server
    finally:
        server.stop()
