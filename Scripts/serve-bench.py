#!/usr/bin/env python3
"""Measures the processor time of an answer of `patchbay serve`, in turns with other servers.

    make serve-bench [DATASETTE=PROGRAM]
    python3 Scripts/serve-bench.py PATCHBAY [--seconds 3] [--rounds 3] [--datasette PROGRAM]

- A cached answer of 2 KiB, beside nginx with `proxy_cache`; both have a thread for each core.
- A JSON page of 20 rows from SQLite and LMDB, beside Datasette, if it is given, with the file of SQLite.
- The memory of 1,000 idle connections.

Requires wrk and nginx. The figures are those of a release build.
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import serving

CLIENTS = (1, 64)
TICKS = os.sysconf("SC_CLK_TCK")


class Cacheable(serving.Handler):
    """Returns a JSON document of 2 KiB that stays fresh for an hour."""

    body = json.dumps({"login": "ada", "id": 7, "bio": "b" * 2000}).encode()

    def do_GET(self):
        self.reply(self.body, {
            "Content-Type": "application/json; charset=utf-8", "Cache-Control": "public, max-age=3600",
            "ETag": '"2-kib"'})


def processor_seconds(processes):
    ticks = 0
    for process in processes:
        with open(f"/proc/{process}/stat") as file:
            fields = file.read().rsplit(") ", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS


def resident_bytes(process):
    with open(f"/proc/{process}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure(processes, url, clients, seconds):
    """Returns microseconds of processor time per answer, answers per second, and latencies in milliseconds."""
    before = processor_seconds(processes)
    text = subprocess.run(
        ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "--latency", url], check=True, capture_output=True,
        text=True).stdout
    used = processor_seconds(processes) - before
    if "Non-2xx" in text or "Socket errors" in text:
        raise SystemExit(f"{url} failed:\n{text}")
    count = int(re.search(r"(\d+) requests in", text)[1])
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
    return used * 1e6 / count, rate, latency(text, 50), latency(text, 99)


def latency(text, percent):
    value, unit = re.search(rf"{percent}%\s+([\d.]+)(us|ms|s)", text).groups()
    return float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def compare(subjects, options):
    """Measures the subjects in turns. The ratios are to the last one."""
    for clients in CLIENTS:
        results = {name: [] for name in subjects}
        for _ in range(options.rounds):
            for name, (processes, url) in subjects.items():
                results[name].append(measure(processes, url, clients, options.seconds))
        medians = {name: [statistics.median(each) for each in zip(*rows)] for name, rows in results.items()}
        base = list(medians.values())[-1][0]
        for name, (used, rate, median, high) in medians.items():
            print(f"  {clients:>2} clients  {name:<18} {used:7.1f} us, {used / base:5.2f} of the last; "
                  f"{rate:9,.0f} answers/s, p50 {median:.2f} ms, p99 {high:.2f} ms", flush=True)


@contextlib.contextmanager
def nginx(upstream):
    """Yields the workers' processes and the port of nginx with a cache in front of a server."""
    with tempfile.TemporaryDirectory() as folder:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with open(f"{folder}/nginx.conf", "w") as file:
            file.write(f"""
                daemon off; worker_processes auto; pid {folder}/pid; error_log {folder}/error.log;
                events {{ worker_connections 2048; }}
                http {{
                    access_log off; keepalive_requests 1000000000;
                    proxy_temp_path {folder}/proxy; client_body_temp_path {folder}/body;
                    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
                    proxy_cache_path {folder}/cache keys_zone=one:10m;
                    open_file_cache max=1000;
                    server {{
                        listen 127.0.0.1:{port} backlog=1024;
                        location / {{ proxy_pass {upstream}; proxy_cache one; proxy_set_header Connection ""; }}
                    }}
                }}""")
        os.chmod(folder, 0o755)
        process = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-p", folder, "-c", f"{folder}/nginx.conf"])
        try:
            time.sleep(1)
            # Without the loader of the cache, which ends after a minute.
            workers = subprocess.run(["pgrep", "-P", str(process.pid), "-f", "worker process"], check=True,
                                     capture_output=True, text=True)
            yield [int(worker) for worker in workers.stdout.split()], port
        finally:
            process.terminate()
            process.wait()


def cached_answers(program, options):
    with serving.upstream(Cacheable) as upstream, serving.serving(program, upstream.address) as server, \
            nginx(upstream.address) as (workers, port):
        server.get("/users/ada")
        print("a cached answer of 2 KiB")
        compare({
            "patchbay": ([server.process.pid], f"{server.base}/users/ada"),
            "nginx proxy_cache": (workers, f"http://127.0.0.1:{port}/users/ada"),
        }, options)
        before = resident_bytes(server.process.pid)
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(1000)]
        time.sleep(1)
        grown = resident_bytes(server.process.pid) - before
        print(f"memory of {len(idle)} idle connections: {grown / 2**20:.1f} MiB")


@contextlib.contextmanager
def datasette(program, file):
    """Yields the process and the port of Datasette over a file of SQLite."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen([program, "-i", file, "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield process.pid, port
    finally:
        process.terminate()
        process.wait()


def pages(program, options):
    page = "/-/resources/users?limit=20&policy=local-only"
    with contextlib.ExitStack() as stack:
        subjects = {}
        for storage in ("lmdb", "sqlite"):
            server = stack.enter_context(serving.serving(program, None, storage=storage))
            server.get("/-/resources/users?limit=20")
            subjects[f"patchbay, {storage}"] = ([server.process.pid], server.base + page)
        if options.datasette:
            tables = subprocess.run(
                ["sqlite3", server.store, "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%users'"],
                check=True, capture_output=True, text=True).stdout.split()
            process, port = stack.enter_context(datasette(options.datasette, server.store))
            subjects["datasette"] = ([process], f"http://127.0.0.1:{port}/store/{tables[0]}.json?_size=20")
        print("a page of 20 rows as JSON")
        compare(subjects, options)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("patchbay")
    arguments.add_argument("--seconds", type=int, default=3)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--datasette")
    options = arguments.parse_args()
    cached_answers(options.patchbay, options)
    pages(os.path.abspath(options.patchbay), options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
