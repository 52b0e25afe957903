#!/usr/bin/env python3
"""Counts the requests of many gateways over one storage: python3 Scripts/shared-requests.py PATCHBAY [STORAGE...].

Starts gateways (`patchbay serve`) over one empty storage, and in this process the server that they all request from.
For each STORAGE (sqlite, lmdb and, if PATCHBAY_POSTGRES names a server, postgres) it checks the following:

  users    eight gateways, each requested for the same 100 users at the same time, send 100 requests
  kill     the same, with SIGKILL for the gateway with the 40th request: 101 requests, and all others get all rows
  budget   eight gateways that each want more users than a limit of 60 allows send 60 requests, none of which is refused
  windows  the same with a limit that is renewed every 15 s: 60 requests in each whole period, never more

With --namespaces (as root, postgres only) three more gateways run in network and process namespaces, like on separate
machines; `kill` then kills one of these, so that the others wait half a minute for its lease. --quick omits `windows`.
Takes a minute per storage with a debug build of the whole command.
"""

import argparse
import collections
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

import serving

POSTGRES = os.environ.get("PATCHBAY_POSTGRES")
USERS = [f"user{number}" for number in range(1, 101)]
BUDGET = 60


class Upstream(serving.Upstream):
    """An API with users that counts its requests. It may delay one answer, and may have a rate limit."""

    def __init__(self, window=None, hold=None):
        super().__init__(Answer)
        self.window, self.hold = window, hold
        self.logins = collections.Counter()
        self.windows = collections.Counter()
        self.refused = 0
        self.held = threading.Event()
        self.held_port = None
        self.started = int(time.time())

    @property
    def port(self):
        return self.server_address[1]

    @property
    def requests(self):
        with self.lock:
            return sum(self.logins.values())

    def take(self, login, port):
        """Returns the status, the fields, and whether the answer is delayed."""
        with self.lock:
            self.logins[login] += 1
            holds = self.hold is not None and sum(self.logins.values()) == self.hold
            if holds:
                self.held_port = port
            if not self.window:
                return 200, {}, holds
            window = (int(time.time()) - self.started) // self.window
            self.windows[window] += 1
            left = BUDGET - self.windows[window]
            if left < 0:
                self.refused += 1
            reset = self.started + (window + 1) * self.window
            return (200 if left >= 0 else 429), {
                "X-RateLimit-Limit": BUDGET, "X-RateLimit-Remaining": max(0, left), "X-RateLimit-Reset": reset,
            }, holds


class Answer(serving.Handler):
    disable_nagle_algorithm = True

    def do_GET(self):
        login = self.path.rsplit("/", 1)[-1]
        status, fields, holds = self.server.take(login, self.client_address[1])
        if holds:
            self.server.held.set()
            time.sleep(120)  # The gateway is killed meanwhile.
        time.sleep(0.01)
        number = int(re.sub(r"\D", "", login) or 0)
        body = json.dumps({"id": number, "login": login, "type": "User", "site_admin": False}).encode()
        self.reply(body, {"Content-Type": "application/json", **fields}, status)


class Local(http.client.HTTPConnection):
    """HTTP over a Unix domain socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=150)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Gateway:
    """A running `patchbay serve`, in its own namespaces if it has a machine."""

    def __init__(self, patchbay, folder, place, number, port, machine=None):
        self.socket = os.path.join(folder, f"{number}.sock")
        self.errors = open(os.path.join(folder, f"{number}.log"), "w+")
        self.machine = machine
        arguments = [patchbay, "serve", "--source", "github", *place, "--max-age", "1h", "--quiet"]
        arguments += ["--set", f"source.base-url=http://127.0.0.1:{port}", "--set", "source.wait-at-most-seconds=90"]
        arguments += ["--listen", f"unix:{self.socket}"]
        if machine:
            alone = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
            arguments = ["ip", "netns", "exec", machine.name, *alone, *arguments]
        environment = {"HOME": folder, "PATH": os.environ["PATH"]}
        self.process = subprocess.Popen(arguments, stdout=self.errors, stderr=self.errors, env=environment, cwd=folder)

    def wait(self):
        deadline = time.time() + 60
        while time.time() < deadline:
            if self.process.poll() is not None:
                sys.exit(f"a gateway ended with {self.process.returncode}: {self.said()}")
            try:
                if self.get("/-/live")[0] == 200:
                    return
            except OSError:
                time.sleep(0.05)
        sys.exit(f"a gateway does not answer: {self.said()}")

    def said(self):
        self.errors.seek(0)
        return self.errors.read()[-2000:]

    def get(self, path):
        connection = Local(self.socket)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except http.client.HTTPException as error:
            raise OSError(str(error)) from error
        finally:
            connection.close()

    def user(self, login):
        """Returns the status, or 0 when the gateway is not running."""
        try:
            status, body = self.get(f"/-/resources/users/{login}")
        except OSError:
            return 0
        return status if status != 200 or f'"{login}"'.encode() in body else 500

    def has_connection(self, port):
        """Returns whether the process has a TCP connection with this local port."""
        inodes = set()
        for family in ("tcp", "tcp6"):
            with open(f"/proc/{self.pid}/net/{family}") as table:
                for line in list(table)[1:]:
                    words = line.split()
                    if int(words[1].rsplit(":", 1)[1], 16) == port:
                        inodes.add(f"socket:[{words[9]}]")
        folder = f"/proc/{self.pid}/fd"
        return any(link(os.path.join(folder, name)) in inodes for name in os.listdir(folder))

    @property
    def pid(self):
        """The process of the gateway itself, below the programs that created its namespaces."""
        pid = self.process.pid
        while True:
            with open(f"/proc/{pid}/task/{pid}/children") as file:
                children = file.read().split()
            if not children or not self.machine:
                return pid
            pid = int(children[0])

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.errors.close()


def link(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


class Machine:
    """A network namespace whose loopback address is connected to the server."""

    def __init__(self, number, port, folder):
        self.name = f"patchbay-{os.getpid()}-{number}"
        run("ip", "netns", "add", self.name)
        run("ip", "-n", self.name, "link", "set", "lo", "up")
        self.door = subprocess.Popen(
            ["ip", "netns", "exec", self.name, sys.executable, os.path.abspath(__file__), "--door", str(port),
             os.path.join(folder, "door")])

    def remove(self):
        self.door.kill()
        self.door.wait()
        run("ip", "netns", "del", self.name)


def run(*arguments):
    subprocess.run(arguments, check=True)


def shovel(one, other):
    try:
        while data := one.recv(65536):
            other.sendall(data)
    except OSError:
        pass
    finally:
        for side in (one, other):
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Join(socketserver.BaseRequestHandler):
    """Connects a client to another server."""

    def handle(self):
        with self.server.connect() as other:
            thread = threading.Thread(target=shovel, args=(self.request, other), daemon=True)
            thread.start()
            shovel(other, self.request)
            thread.join()


class Door(socketserver.ThreadingTCPServer):
    daemon_threads, request_queue_size, allow_reuse_address = True, 128, True


class House(socketserver.ThreadingUnixStreamServer):
    daemon_threads, request_queue_size = True, 128


def serve_door(port, path):
    """Runs in a namespace: forwards connections from the port to the socket, which leads to the server outside."""
    door = Door(("127.0.0.1", port), Join)

    def connect():
        other = socket.socket(socket.AF_UNIX)
        other.connect(path)
        return other

    door.connect = connect
    door.serve_forever()


def place(storage, folder, name):
    if storage == "postgres":
        return ["--storage", storage, "--set", f"storage.url={POSTGRES}", "--set", f"storage.schema={name}"]
    return ["--storage", storage, "--set", f"storage.path={os.path.join(folder, 'store')}"]


class Scene:
    """Gateways over a new storage, and the server that they send requests to."""

    def __init__(self, options, storage, window=None, hold=None, machines=0):
        self.folder = tempfile.mkdtemp(prefix="patchbay-")
        self.schema = f"shared_{os.getpid()}_{random.randrange(1 << 30)}" if storage == "postgres" else None
        self.upstream = Upstream(window, hold)
        self.machines, self.gateways = [], []
        if machines:
            house = House(os.path.join(self.folder, "door"), Join)
            port = self.upstream.port
            house.connect = lambda: socket.create_connection(("127.0.0.1", port))
            threading.Thread(target=house.serve_forever, daemon=True).start()
        where = place(storage, self.folder, self.schema)
        command = os.path.abspath(options.patchbay)
        try:
            for number in range(8 + machines):
                machine = None
                if number >= 8:
                    machine = Machine(number, self.upstream.port, self.folder)
                    self.machines.append(machine)
                self.gateways.append(Gateway(command, self.folder, where, number, self.upstream.port, machine))
            for gateway in self.gateways:
                gateway.wait()
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for gateway in self.gateways:
            gateway.stop()
        for machine in self.machines:
            machine.remove()
        self.upstream.stop()
        if self.schema:
            drop = f'SET client_min_messages = warning; DROP SCHEMA IF EXISTS "{self.schema}" CASCADE'
            subprocess.run(["psql", POSTGRES, "-qc", drop], check=True)
        shutil.rmtree(self.folder)

    def ask(self, body):
        """Runs `body` for each gateway at the same time; returns the threads and the list of results."""
        results = [None] * len(self.gateways)

        def one(number):
            results[number] = body(self.gateways[number])

        threads = [threading.Thread(target=one, args=(number,), daemon=True) for number in range(len(results))]
        for thread in threads:
            thread.start()
        return threads, results

    def all_users(self):
        return self.ask(lambda gateway: [gateway.user(login) for login in USERS])


def finish(threads, seconds=240):
    deadline = time.time() + seconds
    for thread in threads:
        thread.join(max(0.1, deadline - time.time()))
        if thread.is_alive():
            sys.exit(f"a gateway has not answered for {seconds} s")


def expect(fact, text):
    if not fact:
        sys.exit(f"failed: {text}")


def users(options, storage, machines):
    with Scene(options, storage, machines=machines) as scene:
        started = time.time()
        threads, results = scene.all_users()
        finish(threads)
        seconds = time.time() - started
        count, twice = scene.upstream.requests, [name for name, n in scene.upstream.logins.items() if n > 1]
        statuses = collections.Counter(status for result in results for status in result)
        expect(set(statuses) == {200}, f"statuses {dict(statuses)}")
        expect(count == 100, f"{count} requests; more than once: {twice}")
        return f"{len(results)} gateways, {statuses[200]} answers, {count} requests, {seconds:.1f} s"


def kill(options, storage, machines):
    with Scene(options, storage, hold=40, machines=machines) as scene:
        if machines:
            # One gateway sends the first 39 requests, then a gateway in a namespace sends the next.
            near, far = scene.gateways[:8], scene.gateways[8:]
            for login in USERS[:39]:
                expect(near[0].user(login) == 200, "a gateway has no answer")
            threading.Thread(target=far[0].user, args=(USERS[39],), daemon=True).start()
            expect(scene.upstream.held.wait(60), "no request has arrived")
        started = time.time()
        threads, results = scene.all_users()
        expect(scene.upstream.held.wait(60), "there was no 40th request")
        if machines:
            asking = [scene.gateways[8]]
        else:
            asking = [gateway for gateway in scene.gateways if gateway.has_connection(scene.upstream.held_port)]
        expect(len(asking) == 1, f"{len(asking)} gateways have the connection")
        killed = scene.gateways.index(asking[0])
        asking[0].stop(signal.SIGKILL)
        finish(threads)
        seconds = time.time() - started
        count = scene.upstream.requests
        others = [status for number, result in enumerate(results) if number != killed for status in result]
        expect(set(others) == {200}, f"statuses of the others {dict(collections.Counter(others))}")
        expect(count == 101, f"{count} requests")
        said = f"{len(others)} answers of the others, {count} requests, {seconds:.1f} s"
        return f"{len(results)} gateways, one killed, {said}"


def budget(options, storage, machines):
    with Scene(options, storage, window=3_600, machines=machines) as scene:

        def all_of_it(gateway):
            """Requests its own users until one is refused."""
            number = scene.gateways.index(gateway) * 1_000 + 1
            statuses = []
            while len(statuses) < 2 * BUDGET and statuses[-1:] in ([], [200]):
                statuses.append(gateway.user(f"user{number + len(statuses)}"))
            return statuses

        threads, results = scene.ask(all_of_it)
        finish(threads)
        count, refused = scene.upstream.requests, scene.upstream.refused
        good = sum(result.count(200) for result in results)
        each = sorted(result.count(200) for result in results)
        expect(refused == 0 and count == BUDGET, f"{count} requests, {refused} of them refused")
        expect(good == BUDGET, f"{good} rows from {count} requests")
        expect({result[-1] for result in results} <= {429, 503}, f"last statuses {[r[-1] for r in results]}")
        return f"{len(results)} gateways, {count} requests of {BUDGET}, {each[0]} to {each[-1]} each, none refused"


def windows(options, storage, machines):
    period, periods = 15, 4
    with Scene(options, storage, window=period, machines=machines) as scene:
        end = scene.upstream.started + period * periods

        def on_and_on(gateway):
            number = scene.gateways.index(gateway) * 1_000 + 1
            while time.time() < end - 1:
                gateway.user(f"user{number}")
                number += 1

        threads, _ = scene.ask(on_and_on)
        time.sleep(max(0, end - time.time()))
        counts = [scene.upstream.windows[number] for number in range(periods)]
        for gateway in scene.gateways:
            gateway.stop(signal.SIGKILL)
        finish(threads)
        expect(scene.upstream.refused == 0, f"{counts} requests in periods of {period} s")
        # The first period started before the gateways did.
        expect(all(count == BUDGET for count in counts[1:]), f"{counts} requests in periods of {period} s")
        return f"{len(scene.gateways)} gateways, {counts} requests in periods of {period} s, none refused"


def main():
    if sys.argv[1:2] == ["--door"]:
        return serve_door(int(sys.argv[2]), sys.argv[3])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patchbay")
    parser.add_argument("storages", nargs="*")
    parser.add_argument("--namespaces", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=["users", "kill", "budget", "windows"])
    options = parser.parse_intermixed_args()
    storages = options.storages or ["sqlite", "lmdb"] + (["postgres"] if POSTGRES else [])
    scenes = [users, kill, budget] + ([] if options.quick else [windows])
    for storage in storages:
        machines = 3 if options.namespaces and storage == "postgres" else 0
        for scene in scenes:
            if options.only in (None, scene.__name__):
                print(f"{storage:9}{scene.__name__:8} {scene(options, storage, machines)}", flush=True)


if __name__ == "__main__":
    main()
