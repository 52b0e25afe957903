#!/usr/bin/env python3
"""Runs programs that do not know Patchbay against `patchbay serve`: gh, curl, requests, PyGithub and octokit.

    python3 Scripts/serve-clients.py PATCHBAY

Each one runs three times: with an empty cache, again, and after the upstream has been stopped. The outputs must be the
same. Prints the number of upstream requests of the first two runs, and how the last answer was marked. After that it
runs the other recipes of Docs/Serving.md over a source with a token: the token that the server makes, Prometheus' scrape,
nginx in front, socket activation, and a client that closes its half of the connection. The upstream is a local server
with made-up people. Programs that are not installed are skipped and listed.
"""

import argparse
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import serving
from verdict import verdict

TOKEN = "made-up-token-0123456789"
REQUESTS = """
import requests, sys
session = requests.Session()
session.headers["Authorization"] = "Bearer TOKEN"
url, seen = sys.argv[1] + "/users/ada/repos?per_page=30", []
while url:
    answer = session.get(url, timeout=30)
    answer.raise_for_status()
    assert answer.url.startswith(sys.argv[1]), answer.url
    seen += [row["name"] for row in answer.json()]
    url = answer.links.get("next", {}).get("url")
print(len(seen), seen[0], seen[-1])
print(answer.headers["Cache-Status"], file=sys.stderr)
"""
PYGITHUB = """
import github, sys
client = github.Github(base_url=sys.argv[1], auth=github.Auth.Token("TOKEN"), seconds_between_requests=0, retry=None)
user = client.get_user("ada")
print(user.login, user.name)
rows = list(user.get_repos())
print(len(rows), rows[0].full_name, rows[-1].full_name)
lazy = client.get_repo("ada/engine-7", lazy=True)
print(lazy.stargazers_count)
known = client.get_repo("ada/engine-8")
print("changed:", known.update())
"""
OCTOKIT = """
const { Octokit } = require(process.argv[2]);
const octokit = new Octokit({ baseUrl: process.argv[1], auth: "TOKEN" });
octokit.request("GET /users/{name}/repos", { name: "ada", per_page: 100 }).then(({ data, headers }) => {
  console.log(data.length, data[0].full_name); console.error(headers["cache-status"]);
});
"""
OCTOKIT_NAMES = ("octokit", "@octokit/core")
NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log; events {{}}
http {{ access_log off; client_body_temp_path {folder}/nginx-body; proxy_temp_path {folder}/nginx-proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port};
    location / {{ proxy_pass {base}; proxy_set_header Host $host; }} }} }}
"""


def octokit():
    """Returns the name of an installed package of octokit's; None without one."""
    node = shutil.which("node")
    return next((name for name in OCTOKIT_NAMES if node and subprocess.run(
        [node, "-e", f"require('{name}')"], capture_output=True).returncode == 0), None)


def clients(server):
    """Yields names and commands; the command is None for a program that is not installed."""
    gh, curl = shutil.which("gh"), shutil.which("curl")
    for name, words in {
        "gh api": ["api", "/users/ada"],
        "gh api -i": ["api", "-i", "/users/ada"],
        "gh api --paginate": ["api", "--paginate", "/users/ada/repos", "--jq", ".[].full_name"],
        "gh repo view": ["repo", "view", "ada/engine-7"],
        "gh api graphql": ["api", "graphql", "-f", "query={viewer{login}}"],
    }.items():
        yield name, gh and [gh, *words]
    url = "/users/ada/repos?per_page=100"
    yield "curl, socket", curl and [
        curl, "-sSf", "--compressed", "--unix-socket", server.socket, "-H", "Authorization: token " + TOKEN,
        "http://api.github.com" + url]
    yield "curl, port", curl and [curl, "-sSf", "--compressed", "-H", "Authorization: token " + TOKEN, server.base + url]
    for name, module, text in (("requests", "requests", REQUESTS), ("PyGithub", "github", PYGITHUB)):
        is_there = importlib.util.find_spec(module)
        yield name, is_there and [sys.executable, "-c", text.replace("TOKEN", TOKEN), server.base]
    package = octokit()
    yield "octokit", package and [
        shutil.which("node"), "-e", OCTOKIT.replace("TOKEN", TOKEN), server.base, package]


def fetch(url, **fields):
    """Returns the status and the text of an answer."""
    request = urllib.request.Request(url, headers={name.replace("_", "-"): value for name, value in fields.items()})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_for(condition, what):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            if condition():
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise SystemExit(f"{what} does not start")


class Recipes:
    """The recipes that need a source with a token."""

    def __init__(self, program, failures, missing):
        self.program, self.failures, self.missing = program, failures, missing

    def expect(self, name, answer, status, text=""):
        is_right = answer[0] == status and text in answer[1]
        print(f"  {name:60} {answer[0]}")
        if not is_right:
            self.failures.append(f"{name}: {answer[0]} {answer[1][:300]}")

    def run(self):
        print("a source with a token")
        with serving.upstream() as upstream:
            words = ["--set", "source.token=env:SOURCE"]
            environment = {"SOURCE": "made-up-source-token-1", "GATE": "made-up-gate-token-2"}
            with serving.serving(self.program, upstream.address, *words, environment=environment) as server:
                self.made_token(server)
                self.half_closed(server)
            if not shutil.which("nginx"):
                self.missing.add("nginx")
            else:
                words += [
                    "--set", "serve.token=env:GATE", "--set", "serve.allow-host=api.example.org",
                    "--set", "serve.behind-proxy=true"]
                with serving.serving(self.program, upstream.address, *words, environment=environment) as server:
                    self.nginx(server, environment["GATE"])
            self.socket_activation(upstream, environment)

    def made_token(self, server):
        token = server.made_token
        if token in "".join(server.errors):
            self.failures.append("the made token is on standard error, which is not a terminal")
        own, live, page = server.base + "/-/resources", server.base + "/-/live", server.page
        self.expect("the API without the token", fetch(own), 401, "serve.token")
        self.expect("the API with the token", fetch(own, Authorization=f"Bearer {token}"), 200, "users")
        self.expect("whether the server runs, without the token", fetch(live), 200)
        self.expect("the page without the token", fetch(page, Accept="text/html"), 200, "<html")
        self.expect("another web page's GET", fetch(
            server.base + "/users/ada", Sec_Fetch_Site="cross-site"), 403, "serve.allow-origin")
        self.expect("a link to the page", fetch(page, Accept="text/html", Sec_Fetch_Site="cross-site",
                                                Sec_Fetch_Mode="navigate", Sec_Fetch_Dest="document"), 200, "<html")
        self.expect("Prometheus: a scrape without the token", fetch(server.base + "/-/metrics"), 401)
        self.expect("Prometheus: a scrape with authorization.credentials_file", fetch(
            server.base + "/-/metrics", Authorization=f"Bearer {token}"), 200, "patchbay_server_requests_total")
        self.expect("curl: /user without credentials", fetch(server.base + "/user"), 401, "source.token")
        self.expect("curl: /user with Patchbay-Token, lent the source's token", fetch(
            server.base + "/user", Patchbay_Token=token), 200, "ada")
        self.expect("curl: /users/ada without credentials", fetch(server.base + "/users/ada"), 200, "ada")

    def half_closed(self, server):
        with socket.create_connection(("127.0.0.1", server.port), 10) as client:
            client.sendall(f"GET /users/ada HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
            client.shutdown(socket.SHUT_WR)
            text = b"".join(iter(lambda: client.recv(65_536), b"")).decode()
        self.expect("nc -N: the client's half is closed", (int(text.split()[1]) if text else 0, text), 200, "ada")

    def nginx(self, server, token):
        port, folder = free_port(), server.folder
        path = os.path.join(folder, "nginx.conf")
        with open(path, "w") as file:
            # A server that runs as root would change its user, who may not read the folder.
            user = "user root;" if os.geteuid() == 0 else ""
            file.write(user + NGINX.format(folder=folder, port=port, base=server.base))
        process = subprocess.Popen(
            ["nginx", "-c", path, "-p", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        base = f"http://127.0.0.1:{port}"
        try:
            wait_for(lambda: socket.create_connection(("127.0.0.1", port)).close() is None, "nginx")
            known = {"Host": "api.example.org"}
            self.expect("nginx: without the token", fetch(base + "/users/ada", **known), 401)
            self.expect("nginx: another name", fetch(base + "/users/ada", Patchbay_Token=token, Host="evil.example"), 421)
            self.expect("nginx: the source's API", fetch(
                base + "/user/7/repos", Authorization=f"Bearer {token}", **known), 200, "https://api.example.org/")
            self.expect("nginx: the own API", fetch(
                base + "/-/resources", Patchbay_Token=token, **known), 200, "users")
        finally:
            process.terminate()
            process.wait(20)

    def socket_activation(self, upstream, environment):
        if not (activate := shutil.which("systemd-socket-activate")):
            return self.missing.add("systemd")
        with serving.tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.sock")
            process = subprocess.Popen(
                [activate, f"--listen={path}", *(f"--setenv={name}" for name in ("HOME", "PATH", "SOURCE")),
                 os.path.abspath(self.program), "serve", "--listen", "systemd", "--source", "github",
                 "--set", f"source.base-url={upstream.address}", "--set", "source.token=env:SOURCE"],
                env={"HOME": folder, "PATH": os.environ["PATH"], **environment}, cwd=folder,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                wait_for(lambda: os.path.exists(path), "systemd-socket-activate")
                done = subprocess.run(
                    ["curl", "-s", "--unix-socket", path, "http://localhost/-/resources"],
                    capture_output=True, text=True, timeout=30)
                self.expect("systemd: a socket that it opened", (200 if "users" in done.stdout else 0, done.stdout), 200)
            finally:
                process.terminate()
                process.wait(20)


def output(name, done):
    """Returns the part of the output that must be the same each time: of the header of -i only the status."""
    text = done.stdout
    return text.partition("\n")[0] + text.partition("\r\n\r\n")[2] if name == "gh api -i" else text


def mark(done):
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "patchbay;" in line]
    return lines[-1].partition("patchbay; ")[2].strip() if lines else ""


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    program = arguments.parse_args().program
    failures, missing = [], set()
    for freshness in ("as-sent", "revalidate"):
        with serving.upstream() as upstream, serving.serving(
                program, upstream.address, "--set", f"serve.freshness={freshness}") as server:
            environment = {**server.environment, "GH_TOKEN": TOKEN, "GH_CONFIG_DIR": os.path.join(server.folder, "gh"),
                           "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
            if gh := shutil.which("gh"):
                subprocess.run([gh, "config", "set", "http_unix_socket", server.socket], env=environment, check=True)

            def run(command):
                return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)

            print(f"serve.freshness = {freshness}")
            print(f"  {'':18} {'first':>12} {'again':>12}  without the upstream")
            first = {}
            for name, command in clients(server):
                if not command:
                    missing.add(name)
                    continue
                counts = []
                for _ in range(2):
                    upstream.count()
                    done = run(command)
                    counts.append(upstream.count())
                    if done.returncode != 0 or not done.stdout:
                        failures.append(f"{name}: {done.returncode} {done.stderr[:400]}")
                    if output(name, done) != first.setdefault(name, (output(name, done), counts))[0]:
                        failures.append(f"{name}: different output the second time")
            upstream.stop()
            for name, command in clients(server):
                if not command:
                    continue
                done = run(command)
                expected, counts = first[name]
                # GraphQL requests use POST, so they are passed on and not stored.
                is_kept = name not in ("gh repo view", "gh api graphql")
                if is_kept and output(name, done) != expected:
                    failures.append(f"{name}: without the upstream {done.returncode} {done.stdout[:300]} {done.stderr[:300]}")
                if not is_kept and (done.returncode == 0 or "504" not in done.stderr):
                    failures.append(f"{name}: without the upstream {done.returncode} {done.stderr[:300]}")
                if freshness == "revalidate" and name in ("gh api -i", "requests") and "offline" not in mark(done):
                    failures.append(f"{name}: not marked as offline: {mark(done)}")
                words = [" ".join(f"{count}x{status}" for status, count in each.items()) or "0" for each in counts]
                print(f"  {name:18} {words[0]:>12} {words[1]:>12}  "
                      + (f"same {mark(done)}" if is_kept else f"refused ({done.stderr.strip()[:60]})"))
            seconds, status = server.stop()
            if status != 0:
                failures.append(f"the server ended with {status} after {seconds:.1f} s")
    Recipes(program, failures, missing).run()
    for name in sorted(missing):
        print(f"{name}: the program is not installed", file=sys.stderr)
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
