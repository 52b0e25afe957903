"""Pages: lists that shift while they are read, and ends that the answer contradicts."""

import json

from lists import POSITIONAL, STYLES, PagedList, definition, rows
from trial import scenario
from world import Answer


def start(t, style, count=25, lines=(), **options):
    """A list in pages of 10, not fetched yet."""
    items = PagedList(style, rows(count), **options)
    address = t.serve(items)
    t.define(definition(address, style, *lines))
    return items


@scenario(each=STYLES)
def whole(t, style):
    items = start(t, style)
    for _ in range(2):
        t.judge_sync(items.rows, must="right")


@scenario(each=STYLES)
def deletion_before_position(t, style):
    """A row of page 1 is deleted after page 1 was read. The rows that move must not be lost."""
    items = start(t, style)
    t.sync()
    t.at(2, lambda: items.delete(1))
    t.judge_sync(items.rows, either=[1])
    for _ in range(2):
        t.sync()
    t.judge(items.rows, must="right")


@scenario(each=POSITIONAL)
def insertion_before_position(t, style):
    """A row is inserted at the front, so that the last row of page 1 comes again on page 2."""
    items = start(t, style)
    t.at(2, lambda: items.insert(100))
    t.judge_sync(items.rows, either=[100], must="right")
    t.judge_sync(items.rows, must="right")


@scenario(each=STYLES)
def deletion_at_position(t, style):
    """The last row that was read is deleted before the next page is requested."""
    items = start(t, style)
    t.sync()
    t.at(2, lambda: items.delete(10))
    t.judge_sync(items.rows, either=[10])
    for _ in range(2):
        t.sync()
    t.judge(items.rows, must="right")


@scenario(each=STYLES)
def insertion_after_position(t, style):
    items = start(t, style)
    t.at(3, lambda: items.insert(26, at=25))
    t.judge_sync(items.rows, must="right")


@scenario
def many_shifts(t):
    """Every page moves the list by some rows, in both directions."""
    items = start(t, "page", 95)
    t.sync()
    for number in range(2, 9):
        victim = t.random.randrange(1, 10 * number)
        t.at(number, lambda victim=victim, number=number:
             items.delete(victim) if number % 3 else items.insert(200 + number))
    before = {each["id"] for each in items.rows}
    t.sync()
    after = {each["id"] for each in items.rows}
    t.judge(items.rows, either=(before | after) - (before & after))
    for _ in range(2):
        t.sync()
    t.judge(items.rows, must="right")


@scenario
def shift_in_first_sync_heals(t):
    """A first sync cannot see the row that it skips; the next one finds it."""
    items = start(t, "page")
    t.at(2, lambda: items.delete(3))
    t.sync()
    t.judge_sync(items.rows, pending=[3])


@scenario
def same_row_twice(t):
    """The same row with the same values on two pages is normal."""
    items = start(t, "page")
    items.rows.insert(10, dict(items.rows[9]))
    truth = rows(25)
    t.sync()
    t.judge(truth, must="right")


@scenario
def moved_row_with_newer_value(t):
    """A row changes and moves to the next page: the newer values count."""
    items = start(t, "page")

    def change():
        items.insert(100)
        items.change(10)
    t.at(2, change)
    t.judge_sync(items.rows, either=[100], allow="")
    t.judge_sync(items.rows, must="right")


@scenario(each=["link", "url", "cursor"])
def empty_page_between(t, style):
    items = start(t, style)
    content = items.copy()

    def page(request):
        answer = PagedList(style, content)(request)
        answer.body = json.dumps({**json.loads(answer.body), "data": []}).encode()
        return answer
    t.fail(2, page)
    truth = content[:10] + content[20:]
    t.sync()
    t.judge(truth, must="right")


@scenario
def self_naming_next(t):
    """The last page repeats its own cursor with `has_more: false`. Its rows are kept."""
    items = start(t, "cursor")
    items.extra = lambda content, at, more: {"has_more": more, **(
        {} if more else {"next_cursor": "YXQgMjA="})}
    t.judge_sync(items.rows, must="right", allow="end|itself")


@scenario
def has_more_false_with_cursor(t):
    items = start(t, "cursor", lines=["items.end = not has_more"])
    items.extra = lambda content, at, more: {"has_more": more, **(
        {} if more else {"next_cursor": "YXQgMjA="})}
    t.judge_sync(items.rows, must="right")


@scenario
def has_more_without_rule(t):
    """`has_more: true`, and a definition that names no next page."""
    items = start(t, None)
    items.extra = lambda content, at, more: {"has_more": more}
    t.judge_sync(items.rows)


@scenario
def total_without_rule(t):
    items = start(t, None)
    items.extra = lambda content, at, more: {"total": len(content)}
    t.judge_sync(items.rows)


@scenario
def declared_total(t):
    """The pages end too early, and `total` proves it."""
    items = start(t, "cursor", lines=["items.total = meta/all"])
    items.extra = lambda content, at, more: {"meta": {"all": len(content)},
                                             **({"next_cursor": None} if at == 10 else {})}
    t.judge_sync(items.rows)


@scenario
def declared_total_right(t):
    items = start(t, "cursor", lines=["items.total = meta/all"])
    items.extra = lambda content, at, more: {"meta": {"all": len(content)}}
    t.judge_sync(items.rows, must="right")


@scenario
def total_that_is_right(t):
    """A total that the rows confirm needs no word."""
    items = start(t, "page")
    items.extra = lambda content, at, more: {"total": len(content), "has_more": more}
    t.judge_sync(items.rows, must="right")


@scenario
def full_page_without_next(t):
    """As many rows as the limit in the list's own address, and nothing about a next page."""
    items = PagedList(None, rows(25))
    t.define(definition(t.serve(items), None, path="/items?limit=10"))
    t.judge_sync(items.rows)


@scenario
def no_next_considered(t):
    """`next = none` states that there is one page, so a full one needs no warning."""
    items = PagedList(None, rows(10))
    t.define(definition(t.serve(items), "none", path="/items?limit=10"))
    t.judge_sync(items.rows, must="right")


@scenario
def next_member_without_rule(t):
    items = start(t, None)
    items.extra = lambda content, at, more: {"paging": {"next": "MjU="} if more else {}}
    t.judge_sync(items.rows)


@scenario
def link_beside_other_rule(t):
    """The definition reads a member that stays null, while a Link header names the next page."""
    items = PagedList("link", rows(25), extra=lambda content, at, more: {"next": None})
    t.define(definition(t.serve(items), "url"))
    t.judge_sync(items.rows)


@scenario
def null_cursor_with_more(t):
    items = start(t, "cursor")
    items.extra = lambda content, at, more: {"has_more": more, **({"next_cursor": None} if at == 10 else {})}
    t.judge_sync(items.rows)


@scenario(each=["link", "url"])
def next_at_another_port(t, style):
    """The server names itself by an internal address. The first page is kept."""
    items = start(t, style)
    items.address = lambda request, page: f"http://127.0.0.1:1{items.path}?page={page}"
    t.judge_sync(items.rows)
    found, _ = t.listed()
    t.require(len(found) == 10, f"{len(found)} rows kept of the first page's 10", "TOLD-NEEDLESSLY")


@scenario(each=["link", "url"])
def keep_base_url(t, style):
    items = start(t, style)
    items.address = lambda request, page: f"http://127.0.0.1:1{items.path}?page={page}"
    t.settings["source.keep-base-url"] = "on"
    t.judge_sync(items.rows, must="right")


@scenario(each=["500", "202", "html", "204", "403", "404", "cut", "half"])
def middle_page_fails(t, kind):
    """Page 2 is not a page. What was read is kept, and the next sync completes it."""
    items = start(t, "link")
    items.extra = lambda content, at, more: {"total": len(content)}
    whole = items
    fault = {
        "500": Answer({"message": "oops"}, 500), "202": Answer({}, 202), "204": Answer(b"", 204),
        "403": Answer({"message": "no"}, 403), "404": Answer({"message": "Not Found"}, 404),
        "html": Answer(b"<html>Maintenance</html>", fields={"Content-Type": "text/html"}),
        "half": Answer(b'{"data": [{"id": 11, "name"'),
        "cut": lambda request: Answer(whole(request).body, cut=20),
    }[kind]
    for number in range(2, 9):
        t.fail(number, fault)
    t.judge_sync(items.rows)
    found, _ = t.listed()
    t.require(len(found) >= 10, f"only {len(found)} rows are kept", "TOLD-NEEDLESSLY")
    t.judge_sync(items.rows, must="right")


@scenario
def body_cut_once(t):
    items = start(t, "page")
    t.fail(2, lambda request: Answer(items(request).body, cut=20))
    t.judge_sync(items.rows, must="right")


@scenario
def cursor_goes_round(t):
    items = start(t, "cursor")
    items.extra = lambda content, at, more: {"next_cursor": "YXQgMTA=" if at == 0 else "YXQgMA=="}
    t.judge_sync(items.rows)


@scenario
def parameter_ignored(t):
    """The API does not know the page parameter and sends the same page for ever."""
    items = start(t, "page", 10)
    items.start = lambda request, content: 0
    t.judge_sync(items.rows, must="told")


@scenario
def end_by_status(t):
    """The page after the last one is a 404, which ends the list."""
    items = start(t, "page", 20, lines=["items.end = 404"])
    t.fail(3, Answer({"message": "Not Found"}, 404))
    t.judge_sync(items.rows, must="right")


@scenario
def page_redirected(t):
    items = start(t, "link")
    t.fail(2, lambda request: Answer(b"", 302, {"Location": "/items?page=2&moved=1"}))
    t.judge_sync(items.rows, must="right")


@scenario
def relative_next(t):
    items = start(t, "url")
    items.address = lambda request, page: f"?page={page}"
    t.judge_sync(items.rows, must="right")


@scenario
def nulls_count_in_offsets(t):
    items = start(t, "offset")
    truth = items.copy()
    items.rows.insert(3, None)
    items.rows.insert(14, None)
    t.sync()
    t.judge(truth, must="right")


ERRORS = {
    "error": {"error": "busy"}, "errors": {"errors": [{"message": "late"}]}, "success": {"success": False},
    "status": {"status": "error"}, "timed-out": {"timed_out": True},
}


@scenario(each=ERRORS)
def error_beside_no_rows(t, kind):
    """A page has an error and no rows, with status 200, in two syncs of a list that was complete. No row is gone."""
    items = start(t, "page")
    t.sync()
    for _ in range(2):
        t.fail(2, Answer({"data": [], **ERRORS[kind]}))
        t.judge_sync(items.rows, must="told")
    t.judge_sync(items.rows, must="right")


@scenario
def rows_in_parts(t):
    """The second page has the rest of the first one's rows, as MediaWiki sends it."""
    def answer(request):
        if request.query.get("cursor"):
            return Answer({"data": [{"id": 1}, {"id": 2, "name": "b"}], "next_cursor": None})
        return Answer({"data": [{"id": 1, "name": "a"}, {"id": 2}], "next_cursor": "x"})
    t.define(definition(t.serve(answer), "cursor", fields=("id = integer", "name = text?")))
    t.sync()
    t.judge([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}], must="told")


@scenario
def pages_from_zero(t):
    """The API counts pages from 0 and names the next one; the definition counts from 1."""
    content = rows(25)
    def answer(request):
        at = request.integer("page", 0) * 10
        more = {"next": f"/items?page={at // 10 + 1}"} if at + 10 < len(content) else {}
        return Answer({"data": content[at:at + 10], **more})
    t.define(definition(t.serve(answer), "page"))
    t.sync()
    t.judge(content, must="told")


@scenario(each=["30", "50", "100"])
def usual_page_without_rule(t, count):
    """Neither the definition nor the answer says that the rows are the first of several pages."""
    content = rows(120)
    t.define(definition(t.serve(lambda request: Answer({"data": content[:int(count)]}))))
    t.sync()
    t.judge(content, must="told")
