"""What the tests of changes share: rows with words in their texts, their changes, and their index."""

import glob
import sqlite3

DEFINITION = """\
api = notes
base-url = https://notes.example.org
posts.path = /posts
posts.next = none
posts.key = id
posts.title = title
posts.edit = title
posts.find = title body
posts.field.id = integer
posts.field.title = text
posts.field.body = text
"""


def texts(row):
    """The texts of a row in a change, with edits."""
    return row["title_override"] or row["title"], row["body"]


def index(folder, cache):
    """The path of the only index: beside the storage in a folder, or in the cache."""
    paths = glob.glob(f"{folder}/store.find") + glob.glob(f"{cache}/patchbay/*.find")
    assert len(paths) == 1, paths
    return paths[0]


def indexed(path):
    """The texts and the words of an index."""
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT key, title, body FROM words_rows ORDER BY key").fetchall()
        database.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, col)")
        words = database.execute("SELECT term, col, doc, cnt FROM vocabulary ORDER BY term, col").fetchall()
    database.close()
    return rows, words
