"""Deletions: a row is gone when the source says so twice, or its own address does; a refusal empties nothing."""

from lists import POSITIONAL, STYLES, PagedList, definition, rows
from trial import scenario
from world import Answer


def start(t, style="page", count=25, lines=(), **options):
    items = PagedList(style, rows(count), **options)
    t.define(definition(t.serve(items), style, *lines))
    t.sync()
    return items


@scenario(each=STYLES)
def gone(t, style):
    """Three rows are deleted between syncs: one on each page."""
    items = start(t, style)
    items.delete(2, 12, 22)
    t.judge_sync(items.rows, pending=[] if style == "key" else [2, 12, 22])
    t.judge_sync(items.rows, must="right")


@scenario(each=POSITIONAL)
def gone_by_unchanged_pages(t, style):
    """The second run that lacks the row gets only 304s, which count as read."""
    items = start(t, style, tags="weak")
    items.delete(23)
    for _ in range(3):
        t.sync()
    t.judge(items.rows, must="right")


@scenario(each=["404", "403", "410", "401", "500", "202", "html", "missing", "null-object", "error"])
def first_page_refused(t, kind):
    """The first page of the second sync is no list. Nothing is marked as gone."""
    items = start(t)
    fault = {
        "404": Answer({"message": "Not Found"}, 404), "403": Answer({"message": "scope lost"}, 403),
        "410": Answer({"message": "gone"}, 410), "401": Answer({"message": "Bad credentials"}, 401),
        "500": Answer({"message": "oops"}, 500), "202": Answer({"data": []}, 202),
        "html": Answer(b"<html></html>", fields={"Content-Type": "text/html"}),
        "missing": Answer({"items": []}), "null-object": Answer({}), "error": Answer({"error": "no scope"}),
    }[kind]
    for _ in range(2):
        t.fail("each", fault)
        t.judge_sync(items.rows, must="told")
    t.judge_sync(items.rows, must="right")


@scenario
def first_page_is_the_end(t):
    """`end = 404`, and the list itself is a 404: a typo in the path, or a lost scope."""
    items = start(t, lines=["items.end = 404"])
    for _ in range(2):
        t.fail("each", Answer({"message": "Not Found"}, 404))
        t.judge_sync(items.rows, must="told")


@scenario
def first_page_is_the_end_at_once(t):
    """`end = 404`, and the very first answer is a 404: that is not an empty list."""
    items = PagedList("page", rows(5))
    t.define(definition(t.serve(items), "page", "items.end = 404"))
    t.fail("each", Answer({"message": "Not Found"}, 404))
    t.judge_sync(items.rows, must="told")


@scenario
def empty_answer_once(t):
    """One 204 where a list was; the rows are there again afterwards."""
    items = start(t)
    t.fail(1, Answer(b"", 204))
    t.judge_sync(items.rows, pending=range(1, 26))
    t.judge_sync(items.rows, must="right")


@scenario
def really_empty(t):
    items = start(t)
    items.rows.clear()
    t.judge_sync([], pending=range(1, 26))
    t.judge_sync([], must="right")


@scenario
def reappears(t):
    """Absent, present, absent: never two runs in a row."""
    items = start(t)
    kept = items.copy()
    for _ in range(2):
        items.delete(7)
        t.judge_sync(items.rows, pending=[7])
        items.rows[:] = [dict(each) for each in kept]
        t.judge_sync(items.rows, must="right")
    items.delete(7)
    t.judge_sync(items.rows, pending=[7])
    found, _ = t.listed()
    t.require(any(each["id"] == 7 for each in found), "a row is gone after one absence")


@scenario
def returns_after_gone(t):
    items = start(t)
    kept = items.copy()
    items.delete(7)
    t.sync()
    t.judge_sync(items.rows, must="right")
    items.rows[:] = kept
    t.judge_sync(items.rows, must="right")


@scenario
def total_shrinks(t):
    """The total shrinks while the list is read, twice: such runs conclude nothing, and the second one says so."""
    items = start(t, extra=lambda content, at, more: {"total": len(content)})
    for victim in (1, 2):
        t.at(2, lambda victim=victim: items.delete(victim))
        t.judge_sync(items.rows, either=[1, 2], allow="a total of 24, then of 23")
    t.sync()
    t.judge_sync(items.rows, must="right")


@scenario
def shifts_in_two_runs(t):
    """Two runs in a row lack another row each, because the list shifts. None is gone."""
    items = start(t)
    for victim in (1, 2):
        t.at(2, lambda victim=victim: items.delete(victim))
        t.judge_sync(items.rows, either=[1, 2])
    t.sync()
    t.judge_sync(items.rows, must="right")


@scenario
def list_with_repeated_row(t):
    """A list that repeats a row in every run cannot conclude deletions, and a sync says so."""
    items = start(t)
    items.rows.insert(10, dict(items.rows[9]))
    for _ in range(3):
        t.sync()
    truth = [each for each in rows(25) if each["id"] != 20]
    items.delete(20)
    for _ in range(3):
        t.sync()
    t.judge(truth, either=[20], allow="1 row came twice")
    found, _ = t.listed()
    if any(each["id"] == 20 for each in found):
        t.require(t.last.warnings, f"a deleted row stays without a word: {t.line()}")


@scenario
def declared_fixed(t):
    """`order-is = fixed`: absence counts at once."""
    items = start(t, lines=["items.order-is = fixed"])
    items.delete(12)
    t.judge_sync(items.rows, must="right")


@scenario
def own_address_says_gone(t):
    """Where rows have an address, a 404 there decides at once."""
    items = start(t, lines=["items.show = /items/{key}"])
    items.delete(12)
    t.judge_sync(items.rows, pending=[12])
    t.judge_sync(items.rows, must="right")


@scenario
def own_address_says_there(t):
    """The list leaves a row out in every run, but the row's own address still returns it."""
    items = start(t, lines=["items.show = /items/{key}"])
    truth = items.copy()
    items.where = lambda content, request: [each for each in content if each["id"] != 12]
    for _ in range(3):
        t.sync()
    t.judge(truth, allow="")


@scenario
def many_gone_with_addresses(t):
    """Thirty rows are gone: at most 20 requests for their addresses in one run."""
    items = start(t, count=60, lines=["items.show = /items/{key}"])
    items.delete(*range(11, 41))
    for _ in range(2):
        t.sync()
        asked = sum(1 for each in t.last.requests if each.path.startswith("/items/"))
        t.require(asked <= 20, f"{asked} requests for rows", "TOLD-NEEDLESSLY")
    t.judge_sync(items.rows, must="right")


@scenario
def not_gone_by_partial_sync(t):
    """`--max-requests` ends a sync before its last page."""
    items = start(t)
    items.delete(1)
    t.sync("items", "--max-requests", "1")
    t.sync("items", "--max-requests", "1")
    found, _ = t.listed()
    t.require(len(found) >= 24, f"{len(found)} rows of 24 after partial syncs")
    for _ in range(3):
        t.sync()
    t.judge(items.rows, must="right")
