"""Other commands than `sync`: `list` that fetches, `show`, `import`."""

import json
import os

from lists import PagedList, definition, rows
from trial import scenario
from world import Answer


def start(t, style="page", count=25, lines=("items.show = /items/{key}",), **options):
    items = PagedList(style, rows(count), **options)
    t.define(definition(t.serve(items), style, *lines))
    return items


def imported(t, *content):
    path = os.path.join(t.folder, "rows.jsonl")
    with open(path, "w", encoding="ascii") as file:
        file.writelines(json.dumps(each) + "\n" for each in content)
    t.last = t.run("import", "items", path)


def fetched(t, *arguments):
    """Lists 100 rows from the source; returns the run, the rows and the `answer` of JSON."""
    run = t.last = t.run("list", "items", "-n", 100, "--format", "json", *arguments)
    document = json.loads(run.out or "null") or {"items": [], "answer": {}}
    return run, [{"id": each["id"], "name": each["name"]} for each in document["items"]], document["answer"]


@scenario
def list_fetches(t):
    items = start(t)
    run, found, answer = fetched(t)
    t.require(found == items.rows and answer.get("complete"), f"{len(found)} rows, status {run.status}")


@scenario
def list_without_source(t):
    """The source fails: stored rows, and JSON and `--strict` say that they are not confirmed."""
    items = start(t)
    t.sync()
    before = items.copy()
    items.change(3)
    t.fail("each", Answer({"message": "oops"}, 500))
    run, found, answer = fetched(t, "--strict")
    t.require(run.status == 19 and answer.get("state") == "failed", f"status {run.status}, {answer}")
    t.require(found == before, f"{len(found)} rows are printed of the {len(before)} stored ones")


@scenario
def list_fails_in_the_middle(t):
    """Page 2 fails in a first `list`: page 1 is printed, and JSON says that it is not all."""
    start(t)
    for number in range(2, 9):
        t.fail(number, Answer({"message": "oops"}, 500))
    run, found, answer = fetched(t)
    t.require(answer.get("complete") is False and run.err.strip(), f"{len(found)} rows, {answer}")


@scenario
def list_without_next(t):
    """A `list` of an API that has more pages than the definition reads is not complete."""
    items = PagedList(None, rows(25), extra=lambda content, at, more: {"total": len(content)})
    t.define(definition(t.serve(items), None))
    run, found, answer = fetched(t)
    t.require(answer.get("complete") is False, f"{len(found)} rows of 25, status {run.status}, {answer}")


@scenario
def show_of_a_missing_row(t):
    """A 404 at a row's address does not take it out of a list that still contains it."""
    items = start(t)
    t.sync()
    t.fail("each", Answer({"message": "Not Found"}, 404))
    t.run("show", "items", 3)
    t.judge_sync(items.rows, must="right", allow="3")


@scenario
def show_of_another_row(t):
    """The address of row 3 returns row 4."""
    items = start(t)
    t.sync()
    t.fail("each", Answer({"id": 4, "name": "four"}))
    run = t.run("show", "items", 3, "--format", "json", "--refresh")
    shown = json.loads(run.out)["items"] if run.out.strip() else []
    t.require(run.status != 0 or not any(each["name"] == "four" for each in shown), f"row 4 is shown as 3: {shown}")


@scenario
def show_of_a_changed_row(t):
    items = start(t, tags="strong")
    t.sync()
    items.change(3)
    t.run("show", "items", 3)
    t.judge_sync(items.rows, must="right")


@scenario
def import_of_repeated_keys(t):
    """Two rows of a file have one key and other values."""
    start(t)
    imported(t, {"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 1, "name": "c"})
    t.judge([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 1, "name": "c"}], must="told")


@scenario
def import_of_inexact_keys(t):
    items = PagedList("page", [])
    t.define(definition(t.serve(items), "page", fields=("id = text", "name = text")))
    imported(t, {"id": "a\0", "name": "n0"}, {"id": "a\ufffd", "name": "n1"})
    t.judge([{"id": "a\0", "name": "n0"}, {"id": "a\ufffd", "name": "n1"}], must="told")


@scenario
def import_before_sync(t):
    """Imported rows that the source does not list: they leave the list after two complete runs."""
    items = start(t)
    imported(t, {"id": 500, "name": "other"})
    t.judge_sync(items.rows, pending=[500])
    t.judge_sync(items.rows, must="right")


@scenario(each=["page", "link", "cursor"])
def list_while_shifting(t, style):
    """A `list` whose pages shift while they are fetched takes no other row out of the list."""
    items = start(t, style, lines=[])
    t.sync()
    t.at(2, lambda: items.delete(1))
    fetched(t, "--refresh")
    kept = {each["id"] for each in t.listed()[0]}
    t.require(kept >= {each["id"] for each in items.rows}, f"missing {sorted(set(range(2, 26)) - kept)}")
