#!/usr/bin/env python3
"""Shows that the tests of faults.py can fail: python3 Scripts/faults/selftest.py

Runs them on a small store in this file, which must pass, and on the same store with one defect at a time, which must be
caught by the test for it.
"""

import os
import sys
import zlib

# A defect, and the tests that must find it.
DEFECTS = {
    "none": [],
    "acknowledges-first": ["kills", "failing-calls", "power-cuts"],
    "writes-in-place": ["kills", "failing-calls"],
    "flushes-no-file": ["power-cuts"],
    "flushes-no-folder": ["power-cuts"],
    "ignores-errors": ["failing-calls"],
    "crashes-on-errors": ["failing-calls"],
    "checks-nothing": ["damage"],
}
TRIALS = {"kills": 12, "failing-calls": 16, "power-cuts": 8, "damage": 8}


class Store:
    """A store in one file: a checksum, and a row in each further line. Each write replaces the file."""

    def __init__(self, place):
        self.defect, self.folder = place.split(":", 1)
        self.path, self.rows = self.folder + "/rows", []
        if os.path.exists(self.path):
            with open(self.path, "rb") as file:
                checksum, _, text = file.read().partition(b"\n")
            if self.defect != "checks-nothing" and checksum != self.checksum(text):
                sys.exit(refusal(5, f"{self.path} is damaged"))
            self.rows = text.decode(errors="replace").splitlines()

    @staticmethod
    def checksum(text):
        return b"%08x" % zlib.crc32(text)

    def save(self):
        text = "".join(row + "\n" for row in self.rows).encode()
        text = self.checksum(text) + b"\n" + text
        is_in_place = self.defect == "writes-in-place"
        name = self.path if is_in_place else self.path + ".new"
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        while text:
            text = text[os.write(file, text):]
        if self.defect != "flushes-no-file":
            os.fsync(file)
        os.close(file)
        if not is_in_place:
            os.rename(name, self.path)
        if self.defect != "flushes-no-folder":
            folder = os.open(self.folder, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)

    def write(self, start, count):
        for id in range(start, start + count):
            row = f"{id} {id * 7919:x}"
            os.write(1, f"TRY {id}\n".encode())
            self.rows.append(row)
            if self.defect == "acknowledges-first":
                os.write(1, f"ACK {row}\n".encode())
            try:
                self.save()
            except OSError:
                if self.defect != "ignores-errors":
                    raise
            if self.defect != "acknowledges-first":
                os.write(1, f"ACK {row}\n".encode())


def refusal(status, message):
    print(message, file=sys.stderr)
    return status


def main():
    if len(sys.argv) > 1:
        arguments = dict(zip(sys.argv[2::2], sys.argv[3::2]))
        try:
            store = Store(arguments["--store"])
            if sys.argv[1] == "write":
                store.write(int(arguments["--start"]), int(arguments["--count"]))
            else:
                print("".join(f"ROW {row}\n" for row in store.rows), end="")
        except OSError as error:
            if "crashes-on-errors" in arguments["--store"]:
                raise
            sys.exit(refusal(6, f"cannot use {arguments['--store']}: {error.strerror}"))
        return
    # Imported only here, because that takes longer than all that a store does in one of its many runs.
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(1 if check(folder) else 0)


def check(folder):
    """Runs the tests, prints their results, and returns how many are wrong."""
    import subprocess
    faults = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faults.py")
    store = [sys.executable, "-IS", os.path.abspath(__file__)]
    wrong = 0
    for defect, finders in DEFECTS.items():
        for test in finders or TRIALS:
            run = subprocess.run(
                [sys.executable, faults, test, defect, "--trials", str(TRIALS[test]), "--", *store],
                stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": folder})
            summary = [line for line in run.stdout.splitlines() if line.startswith(f"{defect}, {test}: ")]
            is_right = bool(summary) and run.returncode == (1 if finders else 0)
            wrong += not is_right
            print("as expected:" if is_right else "WRONG:", *summary or [run.stdout], flush=True)
    return wrong


if __name__ == "__main__":
    main()
