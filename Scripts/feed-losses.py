#!/usr/bin/env python3
"""Takes commits away that readers of changes have seen: python3 Scripts/feed-losses.py PATCHBAY [--storage NAME]...

`patchbay serve` edits rows; after every few edits a reader of `patchbay changes` and the index of words are up to date.
Then the newest commits get lost. Three readers, the index, and commands that import, edit and clear continue. Each
reader must have exactly the stored rows afterwards, also before anything else is written, and the index the words of
one that is made again.

power cut      the edits have `storage.durability=normal`; the files, which remain the same ones, get contents that a
               power cut could leave (see Scripts/faults), and the machine gets another boot ID, which needs root
backup         the files are replaced by those of an earlier `patchbay storage backup`
failover       PostgreSQL only: a standby that has not received the newest commits is promoted

PATCHBAY_SEED repeats the choices. With PATCHBAY_POSTGRES, the storages include PostgreSQL, on servers of its own.
"""

import argparse
import http.client
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import notes

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "faults"))
from faults import Disk, Test, contents, lasting  # noqa: E402

ROWS = 60
READS = 20
# The bytes of a recorded call before its own.
HEADER = 24
BOOT_ID = "/proc/sys/kernel/random/boot_id"


class Reader:
    """The rows of a program that reads changes, and its position."""

    def __init__(self, position=None, rows=()):
        self.position, self.rows, self.restarts = position, dict(rows), 0

    def copy(self):
        return Reader(self.position, self.rows)

    def read(self, trial):
        while True:
            words = ["--since", self.position] if self.position else []
            lines = [json.loads(line) for line in trial.patchbay("changes", *words, "--limit", "20").splitlines()]
            for line in lines[:-1]:
                if "restart" in line:
                    self.rows = {}
                    self.restarts += 1
                elif line["kind"] == "cleared":
                    self.rows = {}
                else:
                    row = line["row"]
                    self.rows[row["id"]] = notes.texts(row)
            self.position = lines[-1]["position"]
            if not lines[-1].get("more"):
                return


class Trial:
    def __init__(self, command, storage, folder, seed):
        self.command, self.storage, self.work = os.path.abspath(command), storage, folder
        self.folder, self.record = f"{folder}/data", f"{folder}/record"
        self.random, self.number, self.boot, self.url = random.Random(seed), 0, None, None
        os.mkdir(self.folder)
        pathlib.Path(f"{folder}/notes.conf").write_text(notes.DEFINITION)
        self.failfs = f"{folder}/failfs.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", self.failfs, HERE / "faults" / "failfs.c"], check=True)
        self.recording = {"LD_PRELOAD": self.failfs, "FAILFS_ROOT": self.folder, "FAILFS_RECORD": self.record}
        self.environment = {"HOME": folder, "PATH": os.environ["PATH"], "XDG_CACHE_HOME": f"{folder}/cache"}

    def words(self, *words):
        place = f"storage.url={self.url}" if self.url else f"storage.path={self.folder}/store"
        return [self.command, *words, "--storage", self.storage, "--source", "rest",
                "--set", f"source.definition={self.work}/notes.conf", "--set", place,
                "--set", f"storage.durability={'full' if self.url else 'normal'}"]

    def patchbay(self, *words, environment={}):
        words = self.words(*words)
        if self.boot:
            script = f"mount --bind {self.boot} {BOOT_ID} && exec \"$@\""
            words = ["unshare", "-m", "sh", "-c", script, "sh", *words]
        done = subprocess.run(words, env=self.environment | environment, capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(f"{words}: status {done.returncode}: {done.stderr}")
        return done.stdout

    def write(self, environment={}, is_empty=False):
        """Runs one command that writes; into an empty storage one that adds rows."""
        self.number += 1
        choice = 0 if is_empty or self.number == 1 else self.random.random()
        if choice < 0.6:
            path = f"{self.work}/rows.jsonl"
            with open(path, "w") as file:
                for id in self.random.sample(range(1, ROWS + 1), self.random.randint(1, 30)):
                    row = {"id": id, "title": f"title {id}", "body": f"word{self.number} of {id}"}
                    file.write(json.dumps(row) + "\n")
            self.patchbay("import", "posts", path, environment=environment)
        elif choice < 0.93 and (stored := self.stored()):
            id = self.random.choice(sorted(stored))
            self.patchbay("edit", "posts", str(id), f"title=edited {self.number}", environment=environment)
        else:
            self.patchbay("clear", "posts", "--yes", environment=environment)

    def stored(self):
        output = self.patchbay("query", "SELECT id, title, body FROM posts", "--limit", "1000", "--format", "json")
        return {row["id"]: (row["title"], row["body"]) for row in json.loads(output)["items"]}

    def index(self):
        return notes.index(self.folder, f"{self.work}/cache")

    def find(self):
        self.patchbay("find", "title")
        return pathlib.Path(self.index()).read_bytes()


class Server:
    """`patchbay serve` for a time, with a snapshot of a reader and of the index after every few edits."""

    def __init__(self, trial, environment={}):
        self.trial, self.reader = trial, Reader()
        self.process = subprocess.Popen(
            trial.words("serve", "--listen", "127.0.0.1:0"), env=trial.environment | environment, text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        line = self.process.stderr.readline()
        assert line.startswith("listening on "), line
        self.address = line.split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def edit(self):
        trial = self.trial
        for id in trial.random.choices(sorted(trial.stored()), k=trial.random.randint(1, 4)):
            trial.number += 1
            connection = http.client.HTTPConnection(self.address)
            connection.request(
                "PATCH", f"/-/resources/posts/{id}", json.dumps({"title": f"edited {trial.number}"}),
                {"If-Match": "*", "Content-Type": "application/json"})
            answer = connection.getresponse()
            assert answer.status == 200, f"{answer.status}: {answer.read()}"
            connection.close()
        self.reader.read(trial)
        return self.reader.copy(), trial.find()


def record(trial):
    """Returns the recorded calls, how many of them each snapshot has, the snapshots, and a few backups."""
    trial.write(trial.recording)
    calls, sizes, snapshots, backups = Test.recorded(trial), [], [], []
    # The edits are those of one process, because the end of a process flushes its commits.
    with Server(trial, trial.recording) as server:
        for number in range(READS):
            snapshots.append(server.edit())
            sizes.append(os.path.getsize(trial.record))
            if number % 10 == 5:
                backups.append(f"{trial.work}/backup-{number}")
                trial.patchbay("storage", "backup", backups[-1])
    edits = Test.recorded(trial)
    ends = list(itertools.accumulate(HEADER + len(call.data) for call in edits))
    places = [len(calls) + ends.index(size) + 1 for size in sizes]
    calls += edits
    disk = Disk()
    for call in calls:
        disk.apply(call)
    files = {path: data for path, data in contents(trial.folder).items() if ".find" not in path}
    assert lasting(disk.image(1, trial.random, None)) == lasting(files), "the files differ from the recorded calls"
    return calls, places, snapshots, backups


def restore(folder, files):
    """Gives the files the contents of an image; those that exist remain the same files."""
    remove(folder, kept=files)
    for path, data in files.items():
        if data is None:
            os.makedirs(folder + path, exist_ok=True)
            continue
        with open(folder + path, "r+b" if os.path.exists(folder + path) else "wb") as file:
            file.truncate()
            file.write(data)


def go_on(trial, name, snapshots, counts):
    """Continues after a loss: three readers, two of them the latest, the latest index, and a writer."""
    readers = [snapshots[-1][0].copy(), snapshots[-1][0].copy(), trial.random.choice(snapshots)[0].copy()]
    pathlib.Path(trial.index()).write_bytes(snapshots[-1][1])
    counts["losses"] += 1
    try:
        before = trial.stored()
        readers[0].read(trial)
        assert readers[0].rows == before, f"nothing was written, but {difference(readers[0].rows, before)}"
        for _ in range(trial.random.choice([1, 2, READS])):
            trial.write()
        now = trial.stored()
        for reader in readers:
            reader.read(trial)
            assert reader.rows == now, difference(reader.rows, now)
        counts["ahead"] += any(reader.restarts for reader in readers)
        trial.find()
        kept = notes.indexed(trial.index())
        os.remove(trial.index())
        trial.find()
        assert notes.indexed(trial.index()) == kept, "the index differs from one that is made again"
        trial.patchbay("storage", "verify")
    except AssertionError as error:
        counts["faults"] += 1
        print(f"{trial.storage}, {name}: {error}", flush=True)


def files(trial, losses, counts):
    """Power cuts, and one restored backup for ten of them."""
    calls, places, snapshots, backups = record(trial)
    for number in range(losses):
        place, variant = trial.random.randint(places[0], len(calls)), trial.random.randrange(4)
        disk = Disk()
        for call in calls[:place]:
            disk.apply(call)
        running = calls[place] if place < len(calls) else None
        restore(trial.folder, lasting(disk.image(variant, trial.random, running)))
        trial.boot = f"{trial.work}/boot"
        pathlib.Path(trial.boot).write_text(f"00000000-0000-4000-8000-{number:012}\n")
        seen = [snapshot for end, snapshot in zip(places, snapshots) if end <= place]
        go_on(trial, f"power cut {number} at call {place} of {len(calls)}, variant {variant}", seen, counts)
        trial.boot = None
        if number % 10 == 0:
            backup = trial.random.choice(backups)
            remove(trial.folder)
            copy = shutil.copytree if os.path.isdir(backup) else shutil.copy
            copy(backup, f"{trial.folder}/store")
            go_on(trial, f"restored {os.path.basename(backup)}", snapshots, counts)


def failovers(trial, losses, counts):
    def script(verb):
        done = subprocess.run(
            [HERE / "postgres.sh", verb, trial.folder], check=True, stdout=subprocess.PIPE, text=True,
            # A server that has been stopped by the test is missed.
            stderr=subprocess.DEVNULL if verb == "stop" else None)
        return dict(re.findall(r"^export (\w+)='(.*)'$", done.stdout, re.M))

    def psql(url, sql):
        return subprocess.run(["psql", url, "-qAtc", sql], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    for number in range(losses):
        first, second = script("start")["PATCHBAY_POSTGRES"], script("standby")["PATCHBAY_STANDBY"]
        try:
            hosts = ",".join(re.search(r"host=(\S+)", url)[1] for url in (first, second))
            trial.url = f"host={hosts} user=postgres dbname=postgres target_session_attrs=read-write"
            trial.write(is_empty=True)
            with Server(trial) as server:
                snapshots = [server.edit()]
                place = psql(first, "SELECT pg_current_wal_lsn()")
                while psql(second, f"SELECT pg_last_wal_replay_lsn() >= '{place}'") != "t":
                    time.sleep(0.05)
                psql(second, "ALTER SYSTEM SET primary_conninfo = ''")
                psql(second, "SELECT pg_reload_conf()")
                while psql(first, "SELECT count(*) FROM pg_stat_replication") != "0":
                    time.sleep(0.05)
                snapshots += [server.edit() for _ in range(trial.random.randint(1, 5))]
            data = psql(first, "SHOW data_directory")
            os.kill(int(pathlib.Path(data, "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)
            psql(second, "SELECT pg_promote()")
            go_on(trial, f"failover {number}", snapshots, counts)
        finally:
            script("stop")
            shutil.rmtree(f"{trial.work}/cache", ignore_errors=True)


def remove(folder, kept=()):
    for path in contents(folder):
        if path not in kept and ".find" not in path and os.path.exists(folder + path):
            shutil.rmtree(folder + path) if os.path.isdir(folder + path) else os.remove(folder + path)


def difference(rows, stored):
    wrong = {id for id in rows.keys() | stored.keys() if rows.get(id) != stored.get(id)}
    return f"{len(wrong)} rows, such as {min(wrong)}: {rows.get(min(wrong))}, stored is {stored.get(min(wrong))}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patchbay")
    parser.add_argument("--storage", default="sqlite,lmdb,flatfile" + (
        ",postgres" if os.environ.get("PATCHBAY_POSTGRES") else ""))
    parser.add_argument("--losses", type=int, default=60)
    options = parser.parse_args()
    seed = int(os.environ.get("PATCHBAY_SEED", random.randrange(1 << 32)))
    print(f"PATCHBAY_SEED={seed}", flush=True)
    faults = 0
    for storage in options.storage.split(","):
        counts = {"losses": 0, "ahead": 0, "faults": 0}
        with tempfile.TemporaryDirectory(prefix="feed-losses-") as folder:
            trial = Trial(options.patchbay, storage, os.path.realpath(folder), seed)
            if storage == "postgres":
                failovers(trial, max(1, options.losses // 10), counts)
            else:
                files(trial, options.losses, counts)
        print(f"{storage}: {counts['losses']} losses, {counts['ahead']} of them of commits that a reader had seen, so "
              f"that it started over; {counts['faults']} faults", flush=True)
        faults += counts["faults"]
    sys.exit(1 if faults else 0)


main()
