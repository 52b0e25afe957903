"""Resumption: syncs that are killed, and lists that change before the next one."""

import json
import os
import signal

from lists import POSITIONAL, STYLES, PagedList, definition, rows
from trial import scenario
from world import Answer


def start(t, style="page", count=45, lines=(), **options):
    items = PagedList(style, rows(count), **options)
    t.define(definition(t.serve(items), style, *lines))
    return items


@scenario(each=STYLES)
def killed_at_each_page(t, style):
    """SIGKILL when the n-th request arrives, for every n, each in a new store."""
    items = start(t, style, 35)
    for number in range(1, 5):
        t.new_store()
        t.kill_at(number)
        t.sync()
        t.judge_sync(items.rows, must="right")


@scenario(each=STYLES)
def killed_after_answers(t, style):
    """SIGKILL some milliseconds after an answer was sent: during the commit, before the next request."""
    items = start(t, style, 35)
    for number in range(1, 5):
        t.kill_after(number, t.random.uniform(0, 0.012))
        t.sync()
    t.judge_sync(items.rows, must="right")


@scenario(each=STYLES)
def deletion_before_resuming(t, style):
    """A row that was read is deleted before the sync resumes: the rows after it move forward."""
    items = start(t, style)
    t.kill_at(3)
    t.sync()
    items.delete(3)
    t.judge_sync(items.rows, either=[3])


@scenario(each=POSITIONAL)
def insertion_before_resuming(t, style):
    items = start(t, style)
    t.kill_at(3)
    t.sync()
    items.insert(100)
    t.judge_sync(items.rows, either=[100])
    t.judge_sync(items.rows, must="right")


@scenario(each=["page", "link"])
def deletions_before_each_resuming(t, style):
    """Killed, changed and resumed several times."""
    items = start(t, style, tags="weak")
    deleted = []
    for number in (2, 3, 2, 3):
        t.kill_at(number)
        t.sync()
        victim = items.rows[t.random.randrange(5)]["id"]
        deleted.append(victim)
        items.delete(victim)
    t.judge_sync(items.rows, either=deleted)
    t.sync()
    t.judge_sync(items.rows, must="right")


@scenario
def values_before_resuming(t):
    """A row of a stored page changes before the sync resumes; the next complete sync has it."""
    items = start(t, "page", tags="strong")
    t.kill_at(3)
    t.sync()
    items.change(3)
    t.sync()
    t.judge_sync(items.rows, must="right")


@scenario
def cursor_expired(t):
    """The stored cursor is void, and the definition says which error means that: the list starts over."""
    items = start(t, "cursor", lines=["error.text = error", "error.restart = invalid_cursor"])
    t.kill_at(3)
    t.sync()
    items.delete(2)
    # Cursors of the former run are refused; the first page and its successors are not.
    def refusing(request):
        is_old = "cursor" in request.query and not any("cursor" not in each.query for each in t.world.requests)
        return Answer({"error": "invalid_cursor"}, 400) if is_old else None
    t.fail("each", refusing)
    t.judge_sync(items.rows, either=[2], must="right")


@scenario
def cursor_expired_undeclared(t):
    items = start(t, "cursor")
    t.kill_at(3)
    t.sync()
    t.fail("each", lambda request: Answer({"error": "bad"}, 400) if "cursor" in request.query else None)
    t.judge_sync(items.rows)
    t.sync("items", "--restart")
    t.judge(items.rows, must="right")


@scenario
def definition_changed_before_resuming(t):
    """The definition reads another member after the kill. Rows of both kinds must not mix."""
    items = start(t, "page")
    for each in items.rows:
        each["title"] = f"t{each['id']}"
    t.kill_at(3)
    t.sync()
    t.define(definition(t.world.servers[0].address, "page", fields=("id = integer", "name = text title")))
    t.sync()
    t.judge([{"id": each["id"], "name": each["title"]} for each in items.rows], must="right")


@scenario
def interrupted(t):
    """SIGINT ends a sync after a stored page."""
    items = start(t, "link")
    t.at(3, lambda: t.process.send_signal(signal.SIGINT))
    t.sync()
    t.judge_sync(items.rows, must="right")


@scenario
def killed_second_sync(t):
    """A second sync is killed. What it has not read is neither gone nor lost."""
    items = start(t, "page")
    t.sync()
    items.insert(100)
    items.change(44)
    t.kill_at(3)
    t.sync()
    found, _ = t.listed()
    t.require(len(found) >= 45, f"{len(found)} rows after a killed sync")
    t.sync()
    t.judge_sync(items.rows, must="right")


@scenario
def stopped_by_requests(t):
    """One request per run, until the list is complete."""
    items = start(t, "link")
    for _ in range(8):
        t.sync("items", "--max-requests", "1")
    t.judge(items.rows, must="right", allow="max-requests")


@scenario
def deletion_between_single_requests(t):
    """One request per run, and the list moves by one row between two of them."""
    items = start(t, "offset")
    t.sync("items", "--max-requests", "2")
    items.delete(3)
    for _ in range(12):
        t.sync("items", "--max-requests", "2")
    t.judge_sync(items.rows, pending=[3])


@scenario
def import_of_older_rows(t):
    """An import stores what the file contains, and the next sync what the source contains."""
    items = start(t, "page")
    t.sync()
    path = os.path.join(t.folder, "rows.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(items.rows, file)
    items.change(4)
    t.judge_sync(items.rows, must="right")
    t.last = t.run("import", "items", path)
    t.judge(rows(45), must="right")
    t.judge_sync(items.rows, must="right")


@scenario
def everything_stopped_by_requests(t):
    """One request per run over two lists: the first one does not begin again before the second one is complete."""
    items, others = PagedList("page", rows(25)), PagedList("page", rows(25), path="/others")
    address = t.serve(lambda request: (others if request.path == "/others" else items)(request))
    text = definition(address, "page")
    more = [line for line in text.splitlines() if line.startswith("items.")]
    t.define(text + "\n".join(more).replace("items", "others") + "\n")
    for _ in range(8):
        t.sync("--max-requests", "1")
    t.judge(items.rows, must="right", allow="max-requests|continues")
    t.judge(others.rows, resource="others", must="right", allow="max-requests|continues")
