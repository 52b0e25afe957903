#!/usr/bin/env python3
"""Puts links, pipes and folders in place of every file that the command creates, and checks what it does to them.

    python3 Scripts/links.py PATCHBAY [--only WORD]

Each case runs once in an empty folder, to find the files that it creates. Then, for each of these names and each kind
of obstacle (a symbolic link to a file outside, one to a missing file outside, a hard link to a file outside, a pipe, a
folder), it runs again with the obstacle in that place, with a new store and with an existing one. A run fails when
something outside the folder was changed, created or removed, or when it has not ended after 20 seconds.
"""

import argparse
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

STORES = {"sqlite": "s", "lmdb": "s", "flatfile": "s"}
# Names that exist only for a moment, or only after a crash.
PASSING = {
    "sqlite": ["s-wal", "s-shm", "s-journal", "s.new", "s.creating"],
    "lmdb": ["s/creating", "s/data.mdb", "s/lock.mdb", "s/lock", "s/data.mdb.new", "s.lock"],
    "flatfile": [
        "s/lock", "s/schema.json.new", "s/index", "s/index/checkpoint.json", "s/index/checkpoint.json.new",
        "s/index/1.run", "s/index/2.run", "s/github_users.jsonl.new", "s.new",
    ],
}


def listing(storage, *more):
    return ["list", "users", "--limit", "5", "--storage", storage, "--set", "storage.path=s", *more]


def cases():
    for storage in STORES:
        yield f"{storage} store", None, listing(storage), PASSING[storage]
        yield f"{storage} store, opened again", listing(storage), listing(storage, "--refresh"), PASSING[storage]
        yield f"{storage} store, offline", listing(storage), listing(storage, "--offline"), PASSING[storage]
        chosen = ["--storage", storage, "--set", "storage.path=s"]
        yield f"{storage} compact", listing(storage), ["storage", "compact", *chosen], PASSING[storage]
        yield f"{storage} backup", listing(storage), ["storage", "backup", "b", *chosen], ["b", "b.new", "b.unfinished"]
        yield (f"{storage} copy", listing("sqlite"),
               ["storage", "copy", "--from", "sqlite:s", "--to", f"{storage}:c"],
               [name.replace("s", "c", 1) for name in PASSING[storage]])
    memory = ["--storage", "memory"]
    yield "export", listing("sqlite"), ["storage", "export", "--output", "e.jsonl", "--set", "storage.path=s"], \
        ["e.jsonl", "e.jsonl.unfinished"]
    yield "avatar", None, ["picture", "users", "Marlow-Quern", "--output", "a.png", *memory], ["a.png", "a.png.unfinished"]
    yield "log", None, ["list", "users", "--limit", "5", *memory], ["v.log"]
    yield "recording", None, ["record", "r.har", "--", "list", "users", "--source", "github", *memory,
                              "--set", "source.base-url=http://127.0.0.1:9"], \
        ["r.har", "r.har.next", "r.har.previous", "r.har.new"]


def obstacle(kind, path, outside):
    victim = outside / "victim"
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif path.is_symlink() or path.exists():
        path.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "symbolic link":
        path.symlink_to(victim)
    elif kind == "dangling link":
        path.symlink_to(outside / "missing")
    elif kind == "link to a folder":
        path.symlink_to(outside)
    elif kind == "hard link":
        os.link(victim, path)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
        (path / "kept").write_text("kept")


def picture(outside):
    return {
        str(path.relative_to(outside)): (stat.S_IFMT(path.lstat().st_mode), stat.S_IMODE(path.lstat().st_mode),
                                         path.read_bytes() if path.is_file() else b"")
        for path in sorted(outside.rglob("*"))
    }


class Place:
    """A home, a working folder, and a folder outside it that must not be touched."""

    def __init__(self, patchbay):
        self.patchbay = patchbay
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.work, self.outside = self.root / "work", self.root / "outside"
        for folder in (self.work, self.outside, self.root / "home"):
            folder.mkdir()
        (self.outside / "victim").write_text("precious\n")
        (self.outside / "7.run").write_text("precious too\n")

    def run(self, arguments):
        environment = {"HOME": str(self.root / "home"), "PATH": "/usr/bin:/bin", "PATCHBAY_LOG": "v.log"}
        try:
            done = subprocess.run([self.patchbay, *arguments], cwd=self.work, env=environment, timeout=20,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
            return done.returncode, (done.stderr.strip().splitlines() or [""])[-1]
        except subprocess.TimeoutExpired:
            return "hangs", ""

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)


def names_made(patchbay, before, command, passing):
    place = Place(patchbay)
    if before:
        place.run(before)
    there = {path for path in place.work.rglob("*")} if before else set()
    place.run(command)
    made = {str(path.relative_to(place.work)) for path in place.work.rglob("*")}
    if before:
        made -= {str(path.relative_to(place.work)) for path in there if "compact" not in command
                 and "list" not in command}
    place.close()
    return sorted(made | set(passing))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("patchbay")
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    patchbay = str(pathlib.Path(options.patchbay).resolve())
    kinds = ["symbolic link", "dangling link", "link to a folder", "hard link", "pipe", "folder"]
    runs = faults = 0
    for title, before, command, passing in cases():
        if options.only not in title:
            continue
        statuses, bad = {}, []
        names = names_made(patchbay, before, command, passing)
        for name in names:
            for kind in kinds:
                place = Place(patchbay)
                if before:
                    place.run(before)
                obstacle(kind, place.work / name, place.outside)
                seen = picture(place.outside)
                status, said = place.run(command)
                runs += 1
                statuses[status] = statuses.get(status, 0) + 1
                if options.verbose:
                    print(f"    {name}, {kind}: {status} {said}")
                if status == "hangs" or not isinstance(status, int) or status < 0:
                    bad.append(f"{name}, {kind}: {status}")
                if picture(place.outside) != seen:
                    bad.append(f"{name}, {kind}: changed a file outside, status {status}")
                place.close()
        faults += len(bad)
        told = ", ".join(f"{count} x {status}" for status, count in sorted(statuses.items(), key=str))
        print(f"{title}: {len(names)} names, statuses {told}{'' if not bad else ', FAULTS ' + str(len(bad))}")
        for line in bad:
            print("    " + line)
    print(f"{runs} runs, {faults} faults")
    sys.exit(1 if faults else 0)


main()
