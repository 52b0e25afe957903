#!/usr/bin/env python3
"""Runs programs that do not know Patchbay against `patchbay serve`: gh, curl, requests and PyGithub.

    python3 Scripts/serve-clients.py PATCHBAY

Each one runs three times: with an empty cache, again, and after the upstream has been stopped. The outputs must be the
same. Prints the number of upstream requests of the first two runs, and how the last answer was marked. The upstream is
a local server with made-up people. Programs that are not installed are skipped and listed.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys

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
    for name in sorted(missing):
        print(f"{name}: the program is not installed", file=sys.stderr)
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
