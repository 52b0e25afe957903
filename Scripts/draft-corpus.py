#!/usr/bin/env python3
"""Drafts a definition from each description of a corpus and reports what the drafts contain.

    Scripts/draft-corpus.py PATCHBAY FOLDER [--list FILE] [--rows]

FOLDER has a copy of each repository of the list as OWNER+NAME; the list (draft-corpus.txt, or draft-manifests.txt with
connectors of Airbyte) has a repository and a path in it on each line. The copies are not part of Patchbay. Each draft has 60 seconds. Standard library only.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time


def run(command, seconds):
    """Returns the exit status, standard output, standard error, seconds and the largest resident memory in MB."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors)
        deadline = start + seconds
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                process.kill()
                os.wait4(process.pid, 0)
                process.returncode = -9
                return -9, "", "timed out", seconds, 0
            time.sleep(0.005)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        text, complaint = (file.read().decode("utf-8", "replace") for file in (out, errors))
    return process.returncode, text, complaint, time.monotonic() - start, usage.ru_maxrss / 1024


def survey(text):
    """Counts the lists of a definition, those whose pages are known, and keys by place."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    pairs = dict(line.split(" = ", 1) for line in lines if " = " in line)
    # A field may have the name path: NAME.field.path.
    lists = [key[:-5] for key in pairs if key.endswith(".path") and key.count(".") == 1]
    counts = {"lists": len(lists), "paged": 0, "place": 0, "place below": 0}
    for name in lists:
        counts["paged"] += f"{name}.next" in pairs
        key = pairs.get(f"{name}.key", "").split()
        fields = {field: pairs.get(f"{name}.field.{field}", "") for field in key}
        by_place = any(value.endswith("@place") for value in fields.values())
        counts["place"] += by_place
        is_below = re.search(r"\{[^}]*\.[^}]*\}", pairs[f"{name}.path"]) is not None
        has_owner = any("{" in value for value in fields.values())
        counts["place below"] += by_place and is_below and not has_owner
    return counts, pairs.get("auth", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patchbay", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--list", type=pathlib.Path, default=pathlib.Path(__file__).with_suffix(".txt"))
    parser.add_argument("--rows", action="store_true", help="print a line for each description")
    options = parser.parse_args()
    total, accepted, slowest, largest = {}, 0, (0, ""), (0, "")
    entries = [line.split(" ", 1) for line in options.list.read_text().splitlines() if line and line[0] != "#"]
    for address, path in entries:
        owner, name = address.rstrip("/").split("/")[-2:]
        file = options.folder / f"{owner}+{name}" / path
        if not file.exists():
            sys.exit(f"{file} is missing; copy {address} there")
        status, text, errors, seconds, memory = run([options.patchbay, "definition", "draft", file], 60)
        counts, auth = survey(text)
        complaint = errors.partition("left out: ")[2].splitlines()[:1]
        counts["with notes"] = int(status == 0 and bool(complaint))
        if status == 0:
            with tempfile.NamedTemporaryFile("w", suffix=".conf") as draft:
                draft.write(text)
                draft.flush()
                checked = run([options.patchbay, "definition", "check", draft.name], 60)[0]
            accepted += checked == 0
            counts["faulty"] = int(checked != 0)
            counts["auth"] = int(auth not in ("", "none"))
        slowest, largest = max(slowest, (seconds, path)), max(largest, (memory, path))
        for key, count in counts.items():
            total[key] = total.get(key, 0) + count
        if options.rows:
            result = " ".join(f"{key} {count}" for key, count in counts.items()) if status == 0 else errors.strip()
            result += "".join(f"; left out: {text}" for text in complaint)
            print(f"{owner}/{name} {path}: {result[:240]} [{auth}] {seconds:.2f} s {memory:.0f} MB", flush=True)
    print(f"{accepted} of {len(entries)} drafted and valid")
    print(", ".join(f"{key}: {count}" for key, count in total.items()))
    print(f"slowest: {slowest[0]:.1f} s ({slowest[1]}); largest: {largest[0]:.0f} MB ({largest[1]})")


if __name__ == "__main__":
    main()
