#!/usr/bin/env python3
"""Checks which rows a storage keeps: python3 Scripts/faults/faults.py TEST STORAGE [--trials N] [--seed N] COMMAND...

COMMAND, such as `.build/debug/patchbay selftest`, is run as `COMMAND write --store STORAGE:FOLDER --start ID --count
N`, which prints `TRY id` before each row and `ACK id digest` once the row is durable, and as `COMMAND verify --store
STORAGE:FOLDER`, which prints `ROW id digest` for each stored row. The tests:

kills          a writer dies by SIGKILL before, after or in the middle of a random disk call (300 times); the next one
               continues in the same folder
failing-calls  each single disk call of a writer fails with EIO or ENOSPC, once or from then on, or writes only a part,
               in a new and in an existing store; then another writer continues
power-cuts     for each disk call of a recorded run, four folders as a power cut could leave them, under the promises
               of POSIX alone: only flushed bytes are sure, a name only after its folder was flushed, and of the rest
               nothing, everything, a beginning or a random part is there, also parts of a write
damage         a file of a copy is damaged at random (2,000 times)

Fails when an acknowledged row is lost or changed, a row appears that was never tried or twice, a command crashes,
hangs, uses more than 512 MiB or fails without a message of one line, or a store cannot be opened or written afterwards.
Damage may also be refused, with exit status 3, 5 or 15; with --unchecked, it may go unnoticed, because the storage has
no checksums. --trials takes a random sample of failing calls and of power cuts. --seed (1) repeats everything.
"""

import argparse
import collections
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

SECONDS_MAX = 60
MEMORY_MIB_MAX = 512
SECTOR = 512
REFUSALS = (3, 5, 15)
CRASHES = ("Fatal error:", "Sanitizer", "Program crashed:", "Traceback (most recent call last)")
# Files that their libraries write through mappings and build again after a restart.
REBUILT = ("-shm", "lock.mdb")
Call = collections.namedtuple("Call", "kind is_durable is_folder inode offset data")


class Run:
    """A finished run of the command."""

    def __init__(self, words, environment):
        try:
            done = subprocess.run(words, capture_output=True, timeout=SECONDS_MAX, env=environment)
            self.status, self.output, errors = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as expired:
            self.status, self.output, errors = None, expired.stdout or b"", b""
        self.errors = errors.decode(errors="replace").strip()

    @property
    def fault(self):
        """What is wrong with how the run ended; an error with a message of one line is right."""
        if self.status is None:
            return "hangs"
        if self.status < 0 or self.status >= 128 or any(word in self.errors for word in CRASHES):
            return f"crashes ({self.status}): {self.errors[-200:]}"
        if self.status and len(self.errors.splitlines()) != 1:
            return f"fails ({self.status}) without a clear message: {self.errors[-200:]}"
        return None


def rows(text, word):
    """The ids and digests in the complete lines that begin with the word."""
    lines = (line.decode(errors="replace").split() for line in text.split(b"\n")[:-1])
    return [(line[1], "".join(line[2:])) for line in lines if len(line) > 1 and line[0] == word]


class Store:
    """The store in the work folder, and the rows that it must and may contain."""

    def __init__(self, test):
        self.test = test
        shutil.rmtree(test.folder, ignore_errors=True)
        os.mkdir(test.folder)
        self.acknowledged, self.tried = {}, set()

    def note(self, text):
        self.acknowledged.update(rows(text, "ACK"))
        self.tried.update(id for id, _ in rows(text, "TRY"))

    def write(self, count, rule=None, record=None):
        environment = {}
        if rule or record:
            environment = {"LD_PRELOAD": self.test.failfs, "FAILFS_ROOT": self.test.folder}
            environment |= {"FAILFS_RULE": rule} if rule else {}
            environment |= {"FAILFS_RECORD": record} if record else {}
        start = max(map(int, self.tried), default=0) + 1
        run = self.test.run(["write", "--start", str(start), "--count", str(count)], environment)
        self.note(run.output)
        return run

    def continues(self):
        """Whether a writer without faults can add rows."""
        run = self.write(3)
        return self.test.expect(run.status == 0, f"cannot be written any more ({run.status}): {run.errors}")

    def check(self):
        """Compares the stored rows with the expected ones."""
        run = self.test.run(["verify"])
        stored = rows(run.output, "ROW")
        found = dict(stored)
        wrong = [
            ("unreadable", [f"status {run.status}: {run.errors}"] if run.fault or run.status else []),
            ("lost", [id for id in self.acknowledged if id not in found]),
            ("changed", [id for id in found if self.acknowledged.get(id, found[id]) != found[id]]),
            ("invented", [id for id in found if id not in self.tried]),
            ("duplicate", [id for id, count in collections.Counter(id for id, _ in stored).items() if count > 1]),
        ]
        faults = [f"{len(ids)} {kind}: {ids[:3]}" for kind, ids in wrong if ids]
        return self.test.expect(not faults, "; ".join(faults))


class Test:
    """What all tests share: the command, its folder, and the faults that were found."""

    def __init__(self, options, work):
        self.options, self.random = options, random.Random(options.seed)
        self.folder, self.whole, self.record = (f"{work}/{name}" for name in ("store", "whole", "record"))
        self.failfs = f"{work}/failfs.so"
        self.environment = {"HOME": work, "PATH": os.environ["PATH"]}
        self.command = [shutil.which(options.command[0]) or options.command[0]] + options.command[1:]
        self.trials, self.counts, self.faults = 0, collections.Counter(), []

    def run(self, words, environment={}):
        store = ["--store", f"{self.options.storage}:{self.folder}"]
        return Run([*self.command, words[0], *store, *words[1:]], self.environment | environment)

    def expect(self, is_right, fault):
        if not is_right:
            self.faults.append(f"{self.trial}: {fault}")
            if len(self.faults) == 1:
                kept = tempfile.mkdtemp(prefix="faults-")
                shutil.copytree(self.folder, kept, dirs_exist_ok=True)
                print(f"{self.faults[0]}\n  (the folder is kept in {kept})", flush=True)
        return is_right

    def begin(self, trial):
        self.trials += 1
        self.trial = trial

    def recorded(self):
        """Reads the record of the calls of a run, and removes it."""
        calls, header = [], struct.Struct("<c??xIQq")
        if not os.path.exists(self.record):
            return calls
        with open(self.record, "rb") as file:
            while head := file.read(header.size):
                kind, is_durable, is_folder, count, inode, offset = header.unpack(head)
                calls.append(Call(kind.decode(), is_durable, is_folder, inode, offset, file.read(count)))
        os.remove(self.record)
        return calls

    def sample(self, trials):
        if self.options.trials and self.options.trials < len(trials):
            return sorted(self.random.sample(trials, self.options.trials))
        return trials

    def kills(self):
        store = Store(self)
        for number in range(self.options.trials or 300):
            # Half of them early, while the store is opened and recovers from the kill before.
            call = self.random.randint(1, self.random.choice([20, 400]))
            action = self.random.choice(["kill", "torn", "torn", "killafter"])
            self.begin(f"kill {number}, {action} at call {call}")
            run = store.write(400, rule=f"*:{call}:{action}")
            was_killed = self.expect(run.status == -signal.SIGKILL, f"the writer ends by itself: {run.errors}")
            self.counts["acknowledged"] += len(rows(run.output, "ACK"))
            if not store.check() or not was_killed:
                store = Store(self)
        self.trial = "after all kills"
        _ = store.continues() and store.check()

    def failing_calls(self):
        for rows_before in (0, 20):
            first = self.prepare(rows_before)
            first.write(10, record=self.record)
            calls = collections.Counter(call.kind for call in self.recorded())
            rules = [
                f"{kind}:{number}{action}" for kind in "OCWFTRLXMP" for number in range(1, calls[kind] + 1)
                for action in [":EIO", "+:EIO", ":ENOSPC", "+:ENOSPC"] + [":short"] * (kind == "W")
            ]
            for rule in self.sample(rules):
                store = self.prepare(rows_before)
                self.begin(f"{rule} after {rows_before} rows")
                run = store.write(10, rule=rule, record=self.record)
                self.counts["met"] += any(call.kind == "I" for call in self.recorded())
                self.counts["reported"] += run.status != 0
                self.expect(not run.fault, f"the writer {run.fault}")
                _ = store.check() and store.continues() and store.check()

    def prepare(self, count):
        """A store with a number of rows, written once and copied from then on."""
        store, whole = Store(self), f"{self.whole}-{count}"
        if not count:
            return store
        if not os.path.exists(whole):
            self.trial = "the first rows"
            run = store.write(count)
            self.expect(run.status == 0 and store.check(), f"cannot be written: {run.errors}")
            shutil.copytree(self.folder, whole)
            self.first = run.output
        store.note(self.first)
        shutil.copytree(whole, self.folder, dirs_exist_ok=True)
        return store

    def power_cuts(self):
        store, disk, seen = Store(self), Disk(), set()
        self.begin("the recorded run")
        run = store.write(60, record=self.record)
        calls = self.recorded()
        self.expect(run.status == 0 and store.acknowledged, f"the recorded run fails: {run.errors}")
        for call in calls:
            disk.apply(call)
        is_complete = lasting(disk.image(1, self.random, None)) == lasting(contents(self.folder))
        self.expect(is_complete, "the files differ from the recorded calls")
        disk, output = Disk(), b""
        cuts = set(self.sample([place for place, call in enumerate(calls) if call.kind in "CWFTRLXM"]))
        for place, call in enumerate(calls + [None]):
            for variant in range(4) if place in cuts or call is None else []:
                self.begin(f"cut {place} of {len(calls)}, variant {variant}")
                files = lasting(disk.image(variant, random.Random(f"{self.options.seed} {place} {variant}"), call))
                if (key := (hash(frozenset(files.items())), len(output))) in seen:
                    continue
                seen.add(key)
                store = Store(self)
                store.note(output)
                save(files, self.folder)
                _ = store.check() and place % 10 == 0 and store.continues() and store.check()
            if call and call.kind == "A":
                output += call.data
            elif call:
                disk.apply(call)
        self.counts["different folders"] = len(seen)

    def damage(self):
        for number in range(self.options.trials or 2000):
            store = self.prepare(200)
            files = sorted((path, data) for path, data in contents(self.folder).items() if data)
            path, data = self.random.choice(files)
            data = bytearray(data)
            self.begin(f"copy {number}, {path}, {damage(data, self.random)}")
            save({path: data}, self.folder)
            run = self.run(["verify"])
            if run.status:
                self.counts["refused"] += 1
                self.expect(not run.fault, run.fault)
                self.expect(run.status in REFUSALS and self.folder in run.errors, f"{run.status}: {run.errors}")
            elif sorted(rows(run.output, "ROW")) == sorted(store.acknowledged.items()):
                self.counts["right"] += 1
            else:
                self.counts["unnoticed"] += 1
                self.expect(self.options.unchecked, "other rows, without an error")


def damage(data, random):
    """Damages a file's bytes in place and returns a description."""
    size, place = len(data), random.randrange(len(data))
    length = min(random.choice([1, 4, 16, 64, 512, 4096]), size - place)
    other = random.randrange(size - length + 1)
    kind = random.choice("bit bit bit random zero cut longer removed inserted copied number".split())
    match kind:
        case "bit":
            data[place] ^= 1 << random.randrange(8)
        case "random":
            data[place:place + length] = random.randbytes(length)
        case "zero":
            data[place:place + length] = bytes(length)
        case "cut":
            del data[place:]
        case "longer":
            data += random.randbytes(length)
        case "removed":
            del data[place:place + length]
        case "inserted":
            data[place:place] = random.randbytes(length)
        case "copied":
            data[place:place + length] = data[other:other + length]
        case "number":
            width = random.choice([2, 4, 8])
            number = random.choice([0, 1, 2 ** (8 * width) - 1, 2 ** (8 * width - 1)])
            start = place // width * width
            data[start:start + width] = number.to_bytes(width, random.choice(["little", "big"]))[:size - start]
    return f"{kind} at {place}, {length} bytes"


class Disk:
    """The files of a recorded run: those surely on the disk, and the changes that may get lost."""

    def __init__(self):
        # A file is a number, because inodes are used again. A name without a file is a folder.
        self.flushed, self.changes, self.of_inode = {}, {}, {}
        self.names, self.flushed_names, self.name_changes = {}, {}, []

    def apply(self, call):
        file, path = self.of_inode.get(call.inode), call.data.decode() if call.kind in "CMXRLF" else ""
        match call.kind:
            case "C":
                file = self.of_inode[call.inode] = len(self.flushed) + 1
                self.flushed[file], self.changes[file] = bytearray(), []
                self.rename(("C", path, file))
            case "M":
                self.rename(("C", path, None))
            case "X":
                self.rename(("X", path, None))
            case "R":
                self.rename(("R", *path.split("\0")))
            case "L":
                old, new = path.split("\0")
                self.rename(("C", new, self.names.get(old)))
            case "W" | "T" if file:
                self.changes[file].append(call)
            case "F" if call.is_folder:
                kept = []
                for change in self.name_changes:
                    is_flushed = path in [parent(name) for name in change[1:] if isinstance(name, str)]
                    change_name(self.flushed_names, change) if is_flushed else kept.append(change)
                self.name_changes = kept
            case "F" if file:
                for change in self.changes[file]:
                    change_bytes(self.flushed[file], change)
                self.changes[file] = []

    def rename(self, change):
        change_name(self.names, change)
        self.name_changes.append(change)

    def image(self, variant, random, running):
        """Returns the folder after a power cut while a call is running, as bytes by path; None is a folder."""
        names = dict(self.flushed_names)
        for change in self.name_changes:
            if variant == 1 or variant > 1 and random.random() < 0.5:
                change_name(names, change)
        files = {}
        for path, file in sorted(names.items()):
            if parent(path) in files or not parent(path):
                files[path] = None if file is None else bytes(self.contents(file, variant, random, running))
        return files

    def contents(self, file, variant, random, running):
        data, changes = bytearray(self.flushed[file]), list(self.changes[file])
        if running and running.kind in "WT" and self.of_inode.get(running.inode) == file:
            changes.append(running._replace(is_durable=False))
        prefix = random.randint(0, len(changes))
        for number, change in enumerate(changes):
            chance = random.random()
            if variant == 2:
                chance = 0 if number < prefix else 0.5 if number == prefix else 1
            if change.is_durable or variant == 1 or variant > 1 and chance < 0.4:
                change_bytes(data, change)
            elif variant > 1 and chance < 0.7 and change.kind == "W":
                # Some of the sectors of a write.
                start, end = change.offset, change.offset + len(change.data)
                while start < end:
                    part = change.data[start - change.offset:][:SECTOR - start % SECTOR]
                    if random.random() < 0.5:
                        change_bytes(data, change._replace(offset=start, data=part))
                    start += len(part)
        return data


def contents(folder):
    """The bytes of each file by its path in the folder; None for a folder."""
    files = {}
    for place, folders, names in os.walk(folder):
        inside = place[len(folder):]
        files |= {f"{inside}/{name}": None for name in folders}
        for name in names:
            with open(f"{place}/{name}", "rb") as file:
                files[f"{inside}/{name}"] = file.read()
    return files


def lasting(files):
    return {path: data for path, data in files.items() if not path.endswith(REBUILT)}


def save(files, folder):
    for path, data in files.items():
        if data is None:
            os.mkdir(folder + path)
        else:
            with open(folder + path, "wb") as file:
                file.write(data)


def parent(path):
    return path.rpartition("/")[0]


def change_name(names, change):
    kind, path, target = change
    if kind == "C":
        names[path] = target
    elif kind == "X":
        names.pop(path, None)
    else:
        for name in [name for name in names if name == path or name.startswith(path + "/")]:
            names[target + name[len(path):]] = names.pop(name)


def change_bytes(data, change):
    end = change.offset + len(change.data)
    if len(data) < end:
        data += bytes(end - len(data))
    if change.kind == "T":
        del data[end:]
    else:
        data[change.offset:end] = change.data


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tests = {"kills": Test.kills, "failing-calls": Test.failing_calls, "power-cuts": Test.power_cuts,
             "damage": Test.damage}
    parser.add_argument("test", choices=tests)
    parser.add_argument("storage")
    parser.add_argument("--trials", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unchecked", action="store_true")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="faults-") as work:
        test = Test(options, os.path.realpath(work))
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "failfs.c")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", test.failfs, source], check=True)
        tests[options.test](test)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    test.trial = "at the end"
    test.expect(memory <= MEMORY_MIB_MAX, f"a command used {memory} MiB")
    counts = "".join(f", {count} {kind}" for kind, count in sorted(test.counts.items()))
    print(f"{options.storage}, {options.test}: {test.trials} trials{counts}, {memory} MiB: {len(test.faults)} faults")
    for fault in test.faults[1:6]:
        print(f"  {fault}")
    sys.exit(1 if test.faults or not test.trials else 0)


if __name__ == "__main__":
    main()
