#!/usr/bin/env python3
"""Measures `patchbay query` and `patchbay find` over 1,000,000 invented posts, beside other programs.

    python3 Scripts/question-bench.py PATCHBAY [--rows 1000000] [--storage sqlite,lmdb,flatfile] [--folder FOLDER]

- The time to make the index of words, beside `sqlite-utils enable-fts` on a table with the same texts.
- 100 pairs of words, drawn by the number of their posts, over HTTP from a running `patchbay serve`.
- The first search after 100 posts have changed, and the size of the index.
- Aggregates, joins, and look-ups by key, beside the module sqlite3 on the file of the SQLite storage, and DuckDB on an
  export. The answers are compared.

Programs and modules that are missing are left out: pip install sqlite-utils duckdb. The figures are those of a release
build. With 1,000,000 rows it takes about a quarter of an hour and 6 GB.
"""

import argparse
import http.client
import itertools
import json
import os
import random
import resource
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

DEFINITION = """\
api = notes
base-url = https://notes.example.org
posts.path = /posts
posts.next = none
posts.key = id
posts.title = title
posts.find = title body
posts.index.by-author = author
posts.field.id = integer
posts.field.title = text
posts.field.body = text
posts.field.state = text
posts.field.author = text
posts.field.comments = integer
posts.field.updated-at = time
authors.path = /authors
authors.next = none
authors.key = name
authors.field.name = text
authors.field.team = text
"""
SECONDS_MAX = 10
QUERIES = {
    "count, sum, average": "SELECT count(*), sum(comments), avg(comments) FROM {posts}",
    "group by state": "SELECT state, count(*), sum(comments) FROM {posts} GROUP BY state ORDER BY state",
    "group by author": "SELECT author, count(*) AS n FROM {posts} GROUP BY author ORDER BY n DESC, author LIMIT 10",
    "sum of lengths": "SELECT sum(length(body)) FROM {posts}",
    "rows by index": "SELECT count(*), max(comments) FROM {posts} WHERE author = '{author}'",
    "count(*) of all rows": "SELECT count(*) FROM {posts_all}",
    "join by key": "SELECT team, count(*), sum(comments) FROM {posts} JOIN {authors} ON name = author "
                   "GROUP BY team ORDER BY team",
    "join by index": "SELECT count(*), sum(comments) FROM {authors} JOIN {posts} ON author = name WHERE team = 'team 7'",
}
# The names of the tables in a statement, in the file of the SQLite storage, and in DuckDB.
TABLES = {"posts": "posts", "posts_all": "posts_all", "authors": "authors"}
STORED = {"posts": "(SELECT * FROM notes_posts WHERE gone_at_ms IS NULL)", "posts_all": "notes_posts", "authors": "notes_authors"}
EXPORTED = {"posts": "posts", "posts_all": "posts", "authors": "authors"}


def made_rows(count, folder):
    """Writes posts of words whose numbers follow Zipf's law, and their authors; returns the words, the most frequent
    one first."""
    syllables = "ka lo mi ter van sho pre qui ble ton ra del fi nus or gat em ply wex zu".split()
    words = ["".join(parts) for n in (1, 2, 3, 4) for parts in itertools.islice(
        itertools.product(syllables, repeat=n), 0, 100_000)][:100_000]
    random.seed(7)
    random.shuffle(words)
    weights = list(itertools.accumulate(1 / (place + 2.7) for place in range(len(words))))
    with open(f"{folder}/authors.jsonl", "w") as file:
        for place in range(5_001):
            file.write(json.dumps({"name": words[place], "team": f"team {place % 50}"}) + "\n")
    with open(f"{folder}/posts.jsonl", "w") as file:
        for number in range(1, count + 1):
            some = random.choices(words, cum_weights=weights, k=6 + random.randint(10, 70))
            file.write(json.dumps({
                "id": number, "title": " ".join(some[:6]), "body": " ".join(some[6:]),
                "state": random.choice(("open", "closed")), "author": words[random.randint(0, 5_000)],
                "comments": random.randint(0, 40),
                "updated_at": f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}T00:00:00Z",
            }) + "\n")
    return words


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix domain socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=600)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(600)
        self.sock.connect(self.path)

    def ask(self, path, **values):
        self.request("GET", f"/-/{path}?{urllib.parse.urlencode(values)}")
        answer = self.getresponse()
        body = json.loads(answer.read())
        if answer.status != 200:
            raise SystemExit(f"{path} {values}: {body}")
        return body


def timed(body):
    """The median of a few runs in milliseconds, and the last result."""
    times, end = [], time.monotonic() + SECONDS_MAX
    while len(times) < 5 and (not times or time.monotonic() < end):
        start = time.perf_counter()
        result = body()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times), result


def spent():
    """The processor time of all commands that have ended, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Bench:
    def __init__(self, program, folder, storage):
        self.program, self.folder, self.storage = program, folder, storage
        self.store = f"{folder}/store.{storage}"
        self.options = [
            "--storage", storage, "--set", f"storage.path={self.store}", "--set", "storage.durability=off",
            "--source", "rest", "--set", f"source.definition={folder}/notes.conf",
        ]
        self.environment = {"HOME": folder, "PATH": os.environ["PATH"]}

    def run(self, *words):
        start = time.perf_counter()
        done = subprocess.run(
            [self.program, *words, *self.options], env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{words}: {done.stderr}")
        return time.perf_counter() - start

    def serving(self):
        path = f"{self.folder}/{self.storage}.sock"
        process = subprocess.Popen(
            [self.program, "serve", "--listen", f"unix:{path}", *self.options], env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                connection = Connection(path)
                connection.connect()
                return process, connection
            except OSError:
                time.sleep(0.1)
        raise SystemExit("the server does not listen")


def find(bench, words, rows):
    before = spent()
    built = bench.run("find", "absentword")
    processor = spent() - before
    again = bench.run("find", "absentword")
    index = f"{bench.store}.find"
    print(f"{bench.storage}: index made in {built - again:.1f} s, of the processor {processor:.1f} s, "
          f"{os.path.getsize(index) >> 20} MB")
    with sqlite3.connect(index) as database:
        texts = database.execute("SELECT sum(length(title) + length(body)) FROM words_rows").fetchone()[0]
    process, connection = bench.serving()
    try:
        random.seed(1)
        found = []
        for reach in (3_000, 300, 30):
            for _ in range(34):
                pair = " ".join(random.sample(words[:reach], 2))
                took, answer = timed(lambda: connection.ask("find", q=pair, limit=20))
                found.append((answer["matches"], took))
        for low, high in ((0, 1_000), (1_001, 29_999), (30_000, 30_000)):
            some = [took for count, took in found if low <= count <= high]
            if some:
                print(f"  {len(some)} pairs with {low} to {high} matches: p50 {statistics.median(some):.2f} ms, "
                      f"longest {max(some):.1f} ms")
        changed = f"{bench.folder}/changed.jsonl"
        with open(changed, "w") as file:
            for number in random.sample(range(1, rows + 1), 100):
                file.write(json.dumps({"id": number, "title": "changedword", "body": "new", "comments": 1}) + "\n")
        # Otherwise, the search waits until the disk has the rows and the index.
        os.sync()
        times = []
        for _ in range(3):
            text = open(changed).read().replace("new", "newer")
            open(changed, "w").write(text)
            if bench.storage == "flatfile":
                # Only one process at a time has flat files open.
                process.terminate()
                process.wait()
            bench.run("import", "posts", changed)
            if bench.storage == "flatfile":
                process, connection = bench.serving()
            start = time.perf_counter()
            answer = connection.ask("find", q="changedword", limit=20)
            times.append((time.perf_counter() - start) * 1000)
            assert answer["matches"] == 100 and answer["complete"], answer
        usual, _ = timed(lambda: connection.ask("find", q="changedword", limit=20))
        print(f"  first search after 100 changes: {statistics.median(times):.0f} ms, later ones {usual:.1f} ms; "
              f"texts {texts >> 20} MB")
    finally:
        process.terminate()
        process.wait()


def query(bench, words, plain, duck):
    process, connection = bench.serving()
    author = words[17]
    try:
        for name, sql in QUERIES.items():
            sql = sql.replace("{author}", author)
            took, answer = timed(lambda: connection.ask("query", sql=sql.format(**TABLES)))
            words_of = [f"{bench.storage} {took:.1f} ms"]
            if plain:
                other, rows = timed(lambda: plain.execute(sql.format(**STORED)).fetchall())
                same = [list(row) for row in rows] == answer["rows"]
                words_of.append(f"sqlite3 {other:.1f} ms, ratio {took / other:.2f}, {'same' if same else 'DIFFERENT'}")
            if duck:
                other, rows = timed(lambda: duck.execute(sql.format(**EXPORTED)).fetchall())
                words_of.append(f"DuckDB {other:.1f} ms")
            print(f"  {name}: {'; '.join(words_of)}")
        keys = random.sample(range(1, 100_000), 500)
        start = time.perf_counter()
        for key in keys:
            connection.ask("query", sql="SELECT title FROM posts WHERE id = :id", id=key)
        one = (time.perf_counter() - start) / len(keys) * 1e6
        batch = ", ".join(map(str, range(1, 2_001)))
        many, _ = timed(lambda: connection.ask("query", sql=f"SELECT count(title) FROM posts WHERE id IN ({batch})"))
        print(f"  by key: {one:.0f} µs with HTTP, {many / 2_000 * 1000:.2f} µs each of 2,000 in one statement")
    finally:
        process.terminate()
        process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--storage", default="sqlite,lmdb,flatfile")
    parser.add_argument("--folder")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    folder = options.folder or tempfile.mkdtemp(prefix="question-bench-")
    os.makedirs(folder, exist_ok=True)
    try:
        with open(f"{folder}/notes.conf", "w") as file:
            file.write(DEFINITION)
        words = made_rows(options.rows, folder)
        print(f"{options.rows} posts, {os.path.getsize(f'{folder}/posts.jsonl') >> 20} MB", flush=True)
        plain = duck = None
        for storage in options.storage.split(","):
            bench = Bench(program, folder, storage)
            print(f"{storage}: imported in {bench.run('import', 'posts', f'{folder}/posts.jsonl'):.0f} s", flush=True)
            bench.run("import", "authors", f"{folder}/authors.jsonl")
            find(bench, words, options.rows)
            sys.stdout.flush()
            if storage == "sqlite":
                tool = shutil.which("sqlite-utils")
                if tool:
                    path = f"{folder}/plain.db"
                    with sqlite3.connect(path) as database:
                        database.execute(f"ATTACH '{bench.store}.find' AS words")
                        database.execute("CREATE TABLE posts(id INTEGER PRIMARY KEY, title TEXT, body TEXT)")
                        database.execute("INSERT INTO posts SELECT key, title, body FROM words_rows")
                    start, before = time.perf_counter(), spent()
                    subprocess.run([tool, "enable-fts", path, "posts", "title", "body"], check=True)
                    print(f"  sqlite-utils enable-fts: {time.perf_counter() - start:.1f} s, of the processor "
                          f"{spent() - before:.1f} s", flush=True)
                plain = sqlite3.connect(f"file:{bench.store}?mode=ro", uri=True)
                try:
                    import duckdb
                    duck = duckdb.connect()
                    for name in ("posts", "authors"):
                        duck.execute(f"CREATE TABLE {name} AS SELECT * FROM '{folder}/{name}.jsonl'")
                except ImportError:
                    pass
            query(bench, words, plain, duck)
            sys.stdout.flush()
    finally:
        if not options.folder:
            shutil.rmtree(folder)


main()
