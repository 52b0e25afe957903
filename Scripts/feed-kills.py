#!/usr/bin/env python3
"""Kills programs that write, index and read changes: python3 Scripts/feed-kills.py PATCHBAY [--storage NAME] [--kills N]

Eight processes at a time import rows, edit them, clear them, search and read `patchbay changes`; half of them die by
SIGKILL at a random moment. Afterwards each of eight readers of changes has exactly the stored rows, none of them has
received a row twice without a change in between, `patchbay storage verify` finds no fault, and the index of words has
the texts and words of one that is made again. PATCHBAY_POSTGRES names the server for the storage postgres;
PATCHBAY_SEED repeats the choices, though not the moments.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

import notes

PROCESSES = 8
# The exit status of an answer that may lack rows.
INCOMPLETE = 19
# That of a storage or an index that another process uses.
BUSY = 8
ROWS = 300


class Trial:
    def __init__(self, patchbay, storage, kills, folder, seed):
        self.patchbay, self.storage, self.folder = patchbay, storage, folder
        self.left, self.killed, self.finished, self.busy, self.behind = kills, 0, 0, 0, 0
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.number = 0
        with open(f"{folder}/notes.conf", "w") as file:
            file.write(notes.DEFINITION)
        self.options = ["--storage", storage, "--source", "rest", "--set", f"source.definition={folder}/notes.conf"]
        if storage == "postgres":
            self.options += ["--set", f"storage.url={os.environ['PATCHBAY_POSTGRES']}",
                             "--set", f"storage.schema=feed_kills_{os.getpid()}"]
        else:
            self.options += ["--set", f"storage.path={folder}/store"]
        self.environment = dict(os.environ, HOME=folder, XDG_CACHE_HOME=f"{folder}/cache")
        self.readers = [Reader() for _ in range(PROCESSES)]
        self.times = {}

    def run(self, kind, *words, may_die=True):
        """The output of a command; nil when it was killed, or another process had the storage."""
        with self.lock:
            dies = may_die and self.left > 0 and self.random.random() < 0.5
            limit = self.random.uniform(0, self.times.get(kind, 0.1) * 1.2) if dies else 120
        start = time.monotonic()
        process = subprocess.Popen(
            [self.patchbay, *words, *self.options], env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            if not dies:
                raise SystemExit(f"{words} takes more than {limit} s")
            with self.lock:
                self.left -= 1
                self.killed += 1
            return None
        took = time.monotonic() - start
        with self.lock:
            self.times[kind] = took if kind not in self.times else self.times[kind] * 0.9 + took * 0.1
            if process.returncode == 0:
                self.finished += 1
                return output
            if process.returncode == INCOMPLETE and kind == "find" and may_die:
                self.behind += 1
                return output
            # A storage that is in use, and a row that was cleared, or not stored yet.
            if process.returncode == BUSY or any(words in errors for words in ("nothing is stored", "not stored")):
                self.busy += 1
                return None
        raise SystemExit(f"{words}: status {process.returncode}: {errors}")

    def token(self):
        with self.lock:
            self.number += 1
            return f"word{self.number}"

    def work(self, slot):
        choices = random.Random(self.random.random())
        while self.left > 0:
            choice = choices.random()
            if choice < 0.45:
                path, token = f"{self.folder}/rows-{slot}.jsonl", self.token()
                with open(path, "w") as file:
                    for number in choices.sample(range(1, ROWS + 1), choices.randint(1, 40)):
                        row = {"id": number, "title": f"title {number}", "body": f"{token} of {number}"}
                        file.write(json.dumps(row) + "\n")
                self.run("import", "import", "posts", path)
            elif choice < 0.6:
                self.run("edit", "edit", "posts", str(choices.randint(1, ROWS)), f"title=edited {self.token()}")
            elif choice < 0.61:
                self.run("clear", "clear", "posts", "--yes")
            elif choice < 0.85:
                self.run("find", "find", f"word{choices.randint(1, self.number + 1)}")
            else:
                self.read(slot)

    def read(self, slot, may_die=True):
        reader = self.readers[slot]
        words = ["changes", *(["--since", reader.position] if reader.position else []), "--limit", "100"]
        output = self.run("changes", *words, may_die=may_die)
        return reader.take(output, words) if output is not None else True

    def judge(self):
        stored = json.loads(self.run(
            "query", "query", "SELECT id, title, body FROM posts", "--limit", "100000", "--format", "json",
            may_die=False))["items"]
        rows = {row["id"]: (row["title"], row["body"]) for row in stored}
        for slot, reader in enumerate(self.readers):
            while self.read(slot, may_die=False):
                pass
            if reader.rows != rows:
                wrong = {key for key in rows.keys() | reader.rows.keys() if rows.get(key) != reader.rows.get(key)}
                raise SystemExit(f"reader {slot}: {len(wrong)} rows differ, such as {min(wrong)}")
        self.run("find", "find", "title", may_die=False)
        self.run("verify", "storage", "verify", may_die=False)
        place = notes.index(self.folder, f"{self.folder}/cache")
        kept = notes.indexed(place)
        os.remove(place)
        self.run("find", "find", "title", may_die=False)
        if notes.indexed(place) != kept:
            raise SystemExit("the index differs from one that is made again")
        # The journal stays, and is empty between two transactions.
        left = [entry.name for entry in os.scandir(os.path.dirname(place))
                if entry.name.endswith(".new") or entry.name.endswith("-journal") and entry.stat().st_size > 0]
        print(f"{self.storage}: {self.killed} kills, {self.finished} commands finished, {self.busy} found the storage "
              f"in use, {self.behind} searches lacked the latest changes, and said so; {len(rows)} rows, {sum(reader.count for reader in self.readers)} changes read by "
              f"{PROCESSES} readers, {len(kept[1])} words; files left over: {left or 'none'}", flush=True)


class Reader:
    """A program that keeps the rows that it was told about, and its position."""

    def __init__(self):
        self.position, self.rows, self.count = None, {}, 0

    def take(self, output, words):
        """Applies changes, and returns whether there are more."""
        lines = [json.loads(line) for line in output.splitlines()]
        for line in lines[:-1]:
            if "restart" in line:
                raise SystemExit(f"{words} starts over: {line}")
            if line["kind"] == "cleared":
                self.rows = {}
                continue
            row = line["row"]
            texts = notes.texts(row)
            if self.rows.get(row["id"]) == texts:
                raise SystemExit(f"{words} returned row {row['id']} twice: {texts}")
            self.rows[row["id"]] = texts
            self.count += 1
        self.position = lines[-1]["position"]
        return lines[-1].get("more") is True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patchbay")
    parser.add_argument("--storage", default="sqlite,lmdb,flatfile" + (
        ",postgres" if os.environ.get("PATCHBAY_POSTGRES") else ""))
    parser.add_argument("--kills", type=int, default=300)
    options = parser.parse_args()
    seed = int(os.environ.get("PATCHBAY_SEED", random.randrange(1 << 32)))
    print(f"PATCHBAY_SEED={seed}", flush=True)
    for storage in options.storage.split(","):
        with tempfile.TemporaryDirectory(prefix="feed-kills-") as folder:
            trial = Trial(os.path.abspath(options.patchbay), storage, options.kills, folder, seed)
            failures = []

            def work(slot):
                try:
                    trial.work(slot)
                except BaseException as error:
                    failures.append(error)
                    trial.left = 0

            threads = [threading.Thread(target=work, args=(slot,)) for slot in range(PROCESSES)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if failures:
                sys.exit(f"{storage}: {failures[0]}")
            trial.judge()


main()
