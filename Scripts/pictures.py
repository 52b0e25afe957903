#!/usr/bin/env python3
"""Draws the pictures of the README from what the command shows, offline: Scripts/pictures.py PATCHBAY FOLDER [NAME...]

    page.png         the page of `patchbay serve` in a headless Chromium
    browse.svg       `patchbay browse users` on a terminal
    comparison.png   the top of the page that `patchbay compare --html` writes, in a headless Chromium

Everything is stored in a temporary home folder. Without Chromium the PNG files are left as they are. A picture of more
than 150 kB is an error. With names (page, browse, comparison) only those pictures are drawn.
"""

import fcntl
import html
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata

import chromium
import serving

LARGEST = 150_000
ROOT = pathlib.Path(__file__).resolve().parent.parent


class Session:
    """Runs the command in a home folder of its own, with the bundled recording."""

    def __init__(self, patchbay, home):
        self.patchbay, self.home = patchbay, home
        self.environment = {
            "HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color",
            "XDG_RUNTIME_DIR": home, "PATCHBAY_RECORDINGS": str(ROOT / "Recordings"),
            # The file that `serving` serves, too.
            "PATCHBAY_STORAGE_PATH": os.path.join(home, "store.sqlite"),
        }

    def run(self, *words):
        subprocess.run([self.patchbay, *words], check=True, env=self.environment, cwd=self.home,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def fill(self):
        """Stores the users of the recording with their details, an edit and two favourites."""
        self.run("sync", "users", "--details")
        self.run("edit", "users", "Marlow-Quern", "name=Marlow of the ferries")
        for login in ("Ottoline-Brack", "hotaru-hoshikuzu"):
            self.run("favourites", "add", "users", login)


# The page.

def page(session, path):
    server = serving.Serving(session.patchbay, session.home, None)
    browser = chromium.Chromium()
    try:
        window = chromium.Window(browser, server.base + "/-/", width=1100, height=560)
        window.until("!!document.querySelector('.canvas .row')")
        time.sleep(1)  # pictures of users arrive after their rows
        window.picture(path)
    finally:
        browser.close()
        server.stop()


# The report of a comparison.

def comparison(session, path):
    report = os.path.join(session.home, "report.html")
    session.run("compare", "--storage", "sqlite,lmdb,flatfile", "--rows", "10000", "--seconds", "20",
                "--workloads", "get-key,page-forward,prefix-search,open,refresh-page,load", "--html", report)
    browser = chromium.Chromium()
    try:
        window = chromium.Window(browser, pathlib.Path(report).as_uri(), width=1100, height=960)
        window.until("document.readyState === 'complete' && document.body.innerText.length > 100")
        time.sleep(0.3)
        window.picture(path)
    finally:
        browser.close()


# The terminal.

COLUMNS, ROWS = 100, 22
CHARACTER_WIDTH, LINE_HEIGHT, MARGIN = 8.4, 19, 14
INK, GROUND = "#d8dee9", "#1f2430"
COLOURS = ["#3b4252", "#e06c75", "#a3be8c", "#e5c07b", "#61afef", "#c792ea", "#56b6c2", "#d8dee9",
           "#7b8496", "#ff8f8f", "#b9d7a0", "#f0d399", "#8cc8ff", "#dbb2f2", "#7fd6e0", "#ffffff"]
SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([@-~])|\x1b[()][A-Z0-9]|\x1b[=>78]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


def palette(number):
    """One of a terminal's 256 colours."""
    if number < 16:
        return COLOURS[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    number -= 16
    return "#" + "".join(f"{0 if part == 0 else 55 + 40 * part:02x}" for part in (number // 36, number // 6 % 6, number % 6))


class Screen:
    """The cells of a terminal: what programs print on it, as far as Patchbay's browser needs it."""

    def __init__(self):
        self.cells = [[(" ", ())] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0
        self.style = {}

    def write(self, text):
        place = 0
        while place < len(text):
            if found := SEQUENCE.match(text, place):
                if found.group(2) and not found.group(1).startswith("?"):
                    self.control([int(word or 0) for word in found.group(1).split(";")], found.group(2))
                place = found.end()
                continue
            self.character(text[place])
            place += 1

    def character(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row = min(self.row + 1, ROWS - 1)
        elif unicodedata.combining(character) or character in "\u200d\ufe0f":
            before = self.cells[self.row][max(self.column - 1, 0)]
            self.cells[self.row][max(self.column - 1, 0)] = (before[0] + character, before[1])
        elif self.column < COLUMNS and character >= " ":
            style = tuple(sorted(self.style.items()))
            self.cells[self.row][self.column] = (character, style)
            self.column += 1
            if unicodedata.east_asian_width(character) in "WF" and self.column < COLUMNS:
                self.cells[self.row][self.column] = ("", style)
                self.column += 1

    def control(self, numbers, letter):
        first = numbers[0]
        if letter in "Hf":
            self.row = min(max(first, 1), ROWS) - 1
            self.column = min(max(numbers[1] if len(numbers) > 1 else 1, 1), COLUMNS) - 1
        elif letter == "A":
            self.row = max(self.row - max(first, 1), 0)
        elif letter == "C":
            self.column = min(self.column + max(first, 1), COLUMNS - 1)
        elif letter == "K":
            start = 0 if first else self.column
            self.cells[self.row][start:] = [(" ", ())] * (COLUMNS - start)
        elif letter == "J":
            start = 0 if first == 2 else self.row
            if not first:
                self.cells[self.row][self.column:] = [(" ", ())] * (COLUMNS - self.column)
                start += 1
            self.cells[start:] = [[(" ", ())] * COLUMNS for _ in range(ROWS - start)]
        elif letter == "m":
            self.rendition(numbers)

    def rendition(self, numbers):
        numbers = list(numbers)
        while numbers:
            number = numbers.pop(0)
            if number == 0:
                self.style = {}
            elif number in (1, 2, 3, 4, 7):
                self.style[{1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse"}[number]] = True
            elif number == 22:
                self.style = {key: value for key, value in self.style.items() if key not in ("bold", "dim")}
            elif number in (23, 24, 27):
                self.style.pop({23: "italic", 24: "underline", 27: "reverse"}[number], None)
            elif 30 <= number <= 37 or 90 <= number <= 97:
                self.style["ink"] = palette(number - 30 if number < 90 else number - 82)
            elif 40 <= number <= 47 or 100 <= number <= 107:
                self.style["ground"] = palette(number - 40 if number < 100 else number - 92)
            elif number in (38, 48) and numbers:
                kind = numbers.pop(0)
                colour = palette(numbers.pop(0)) if kind == 5 else "#" + "".join(f"{numbers.pop(0):02x}" for _ in range(3))
                self.style["ink" if number == 38 else "ground"] = colour
            elif number in (39, 49):
                self.style.pop("ink" if number == 39 else "ground", None)


def browse(session, path):
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(session.home)
        os.execve(session.patchbay, [session.patchbay, "browse", "users"], session.environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    os.kill(pid, signal.SIGWINCH)
    screen, rest = Screen(), b""

    def read(seconds):
        nonlocal rest
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if not select.select([terminal], [], [], left)[0]:
                return
            try:
                rest += os.read(terminal, 65536)
            except OSError:  # the browser has ended
                return
            # A sequence or character may be cut at the end of a piece; it waits for the next one.
            whole = len(rest) - (len(rest) - rest.rfind(b"\x1b") if b"\x1b" in rest[-12:] and not
                                 re.search(rb"\x1b\[[?0-9;]*[@-~]", rest[rest.rfind(b"\x1b"):]) else 0)
            try:
                screen.write(rest[:whole].decode())
                rest = rest[whole:]
            except UnicodeDecodeError:
                pass

    read(2)
    for key in ("j", "j", "j"):
        os.write(terminal, key.encode())
        read(0.3)
    picture = svg(screen)
    os.write(terminal, b"q")
    read(2)
    os.waitpid(pid, 0)
    pathlib.Path(path).write_text(picture)


def colours(style):
    ink, ground = style.get("ink", INK), style.get("ground", GROUND)
    return (ground, ink) if "reverse" in style else (ink, ground)


def svg(screen):
    width, height = MARGIN * 2 + COLUMNS * CHARACTER_WIDTH, MARGIN * 2 + ROWS * LINE_HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="{width:.0f}" height="{height}" role="img">',
        "<title>patchbay browse users, on a terminal</title>",
        "<style>text{font:14px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;white-space:pre}</style>",
        f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>',
    ]
    for row, cells in enumerate(screen.cells):
        column = 0
        while column < COLUMNS:
            style, start = cells[column][1], column
            while column < COLUMNS and cells[column][1] == style:
                column += 1
            parts += run(row, start, [text for text, _ in cells[start:column]], dict(style))
    return "\n".join(parts) + "\n</svg>\n"


def run(row, start, cells, style):
    """The shapes of some cells of one style. Each word has its own place, because fonts differ in their widths."""
    ink, ground = colours(style)
    x, y = MARGIN + start * CHARACTER_WIDTH, MARGIN + row * LINE_HEIGHT
    if ground != GROUND:
        width = len(cells) * CHARACTER_WIDTH
        yield f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{LINE_HEIGHT}" fill="{ground}"/>'
    more = "".join(f' {name}="{value}"' for key, name, value in (
        ("bold", "font-weight", "bold"), ("dim", "opacity", "0.65"), ("italic", "font-style", "italic"),
        ("underline", "text-decoration", "underline")) if key in style)
    for first, last in words(cells):
        text = "".join(cells[first:last])
        width = f' textLength="{(last - first) * CHARACTER_WIDTH:.1f}"' if text.isascii() else ""
        yield (f'<text x="{x + first * CHARACTER_WIDTH:.1f}" y="{y + LINE_HEIGHT * 0.75:.1f}" fill="{ink}"{width}{more}>'
               f"{html.escape(text)}</text>")


def words(cells):
    """The places of texts that two or more blank cells divide: the first cell of each and the one after its last."""
    filled = [place for place, text in enumerate(cells) if text != " "]
    first = None
    for place, following in zip(filled, filled[1:] + [None]):
        first = place if first is None else first
        if following is None or following > place + 2:
            yield first, place + 1
            first = None


PICTURES = {"page": ("page.png", page), "browse": ("browse.svg", browse), "comparison": ("comparison.png", comparison)}


def main():
    if len(sys.argv) < 3 or not set(sys.argv[3:]) <= set(PICTURES):
        sys.exit(__doc__)
    patchbay, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="patchbay-pictures-") as home:
        session = Session(patchbay, home)
        session.fill()
        for name in sys.argv[3:] or PICTURES:
            file, draw = PICTURES[name]
            if file.endswith(".png") and not chromium.find():
                print(f"skipped {file}: no Chromium is installed (Debian: apt-get install chromium)")
                continue
            draw(session, str(folder / file))
            size = (folder / file).stat().st_size
            print(f"{folder / file}: {size:,} bytes")
            if size > LARGEST:
                sys.exit(f"{file} has more than {LARGEST:,} bytes; make it smaller")


if __name__ == "__main__":
    main()
