#!/usr/bin/env python3
"""Draws what commands print on a terminal: python3 Scripts/picture.py PATCHBAY FILE.svg

Each command of COMMANDS runs on a terminal of its own (a pseudo-terminal of COLUMNS columns) in one new home folder, so
the picture holds what somebody sees who types them one after another, standard error included.
"""

import html
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

COLUMNS = 106
COMMANDS = [
    "patchbay users list --limit 5 --storage lmdb",
    "patchbay users edit Marlow-Quern --name 'Marlow of the ferries' --storage lmdb",
    "patchbay storage copy --from lmdb:$HOME/.local/share/patchbay/sample.lmdb --to flatfile:users --verify",
    "patchbay users list --limit 2 --offline --storage flatfile --set storage.path=users",
    "jq -r 'select(.login).login' users/github_users.jsonl | head -2",
]
LINE_HEIGHT = 19
CHARACTER_WIDTH = 8.4
MARGIN = 16


def output_of(command, environment, home):
    """What a command writes to its terminal, control sequences left out."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        ["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environment, cwd=home
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # what Linux says when the last writer is gone
            break
        if not piece:
            break
        written += piece
    os.close(ours)
    if process.wait() != 0:
        sys.exit(f"{command} ended with {process.returncode}: {written.decode()}")
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.decode()).replace("\r\n", "\n")
    # A progress bar writes over its line; what stays is what follows the last return.
    return [line.rpartition("\r")[2] for line in text.splitlines()]


def session(patchbay):
    with tempfile.TemporaryDirectory() as home:
        folder = pathlib.Path(home, "bin")
        folder.mkdir()
        (folder / "patchbay").symlink_to(patchbay)
        environment = {
            "HOME": home,
            "PATH": f"{folder}:{os.environ['PATH']}",
            "COLUMNS": str(COLUMNS),
            "TERM": "xterm",
            "LANG": "C.UTF-8",
        }
        for command in COMMANDS:
            yield "prompt", command
            for line in output_of(command, environment, home):
                yield "output", line


def svg(lines):
    width = MARGIN * 2 + max(COLUMNS, max(len(text) + 2 for _, text in lines)) * CHARACTER_WIDTH
    height = MARGIN * 2 + len(lines) * LINE_HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="{width:.0f}" height="{height}" role="img">',
        "<title>What patchbay prints on a terminal</title>",
        "<style>text{font:14px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#d8dee9;"
        "white-space:pre}.prompt{fill:#a3be8c}</style>",
        '<rect width="100%" height="100%" rx="8" fill="#1f2430"/>',
    ]
    for number, (kind, text) in enumerate(lines):
        y = MARGIN + (number + 0.75) * LINE_HEIGHT
        shown = ("$ " if kind == "prompt" else "") + text
        length = f' textLength="{len(shown) * CHARACTER_WIDTH:.1f}"' if shown else ""
        parts.append(f'<text class="{kind}" x="{MARGIN}" y="{y:.1f}"{length}>{html.escape(shown)}</text>')
    return "\n".join(parts) + "\n</svg>\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(svg(list(session(pathlib.Path(sys.argv[1]).resolve()))))


if __name__ == "__main__":
    main()
