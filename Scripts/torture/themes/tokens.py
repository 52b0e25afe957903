"""Tokens: where they go, and what happens when they are refused."""

import os

from lists import PagedList, definition, row, rows
from trial import scenario
from world import Answer

TOKEN = "tok-5Fq81LzWm02bXeRt7"


def start(t, style="page", count=25, auth="bearer", **options):
    items = PagedList(style, rows(count), **options)
    t.define(definition(t.serve(items), style, auth=auth))
    t.token(TOKEN)
    return items


def other_host(t):
    """Another server; returns its address and the list of what it was sent."""
    seen = []

    def app(request):
        seen.append([request.target, *request.fields.values()])
        return {"data": [row(900)]}
    return t.serve(app), seen


def require_unseen(t, seen):
    t.require(not any(TOKEN in text for request in seen for text in request), "the token went to another host")


@scenario
def refused_in_the_middle(t):
    """Page 2 is a 401. Page 1 is kept; the next sync completes the list."""
    items = start(t)
    for number in range(2, 9):
        t.fail(number, Answer({"message": "Bad credentials"}, 401))
    t.judge_sync(items.rows)
    found, _ = t.listed()
    t.require(len(found) == 10, f"{len(found)} rows are kept of page 1", "TOLD-NEEDLESSLY")
    t.judge_sync(items.rows, must="right")


@scenario
def expired_between_syncs(t):
    items = start(t)
    t.sync()
    items.change(3)
    for _ in range(2):
        t.fail("each", Answer({"message": "token expired"}, 401))
        t.judge_sync(items.rows)
    t.judge_sync(items.rows, must="right")


@scenario
def expired_and_fewer_rows(t):
    """Without a valid token the API returns only public rows. Those of the other token are not gone at once."""
    items = start(t)
    t.sync()
    items.where = lambda content, request: [
        each for each in content if TOKEN in request.fields.get("authorization", "") or each["id"] % 2]
    t.token("tok-another-person-000")
    t.sync()
    t.token(TOKEN)
    t.judge_sync(items.rows, must="right")


@scenario
def refused_once(t):
    """A single 401 at random, as some APIs send it."""
    items = start(t)
    t.fail(2, Answer({"message": "try again"}, 401))
    t.judge_sync(items.rows)
    t.judge_sync(items.rows, must="right")


@scenario(each=["301", "302", "307", "308"])
def redirect_to_another_host(t, status):
    items = start(t)
    address, seen = other_host(t)
    t.fail(2, Answer(b"", int(status), {"Location": address + "/items?page=2"}))
    t.sync()
    require_unseen(t, seen)
    found, _ = t.listed()
    t.require(not any(each["id"] == 900 for each in found) or t.last.status == 0,
              "rows of another host beside a failure")
    t.sync()
    t.judge_sync(items.rows, either=[900], allow="")


@scenario(each=["link", "url"])
def next_at_another_host(t, style):
    items = start(t, style)
    address, seen = other_host(t)
    items.address = lambda request, page: f"{address}/items?page={page}"
    t.sync()
    require_unseen(t, seen)
    t.judge(items.rows)


@scenario
def next_with_kept_base_url(t):
    """The next page is rewritten to the configured host, so the other one is sent nothing."""
    items = start(t, "link")
    address, seen = other_host(t)
    items.address = lambda request, page: f"{address}/items?page={page}"
    t.settings["source.keep-base-url"] = "on"
    t.sync()
    t.require(not seen, "the other host was asked")
    t.judge(items.rows, must="right")


@scenario
def next_with_user_in_address(t):
    """An address that only looks like the configured host."""
    items = start(t, "url")
    address, seen = other_host(t)
    host = t.world.servers[0].address.removeprefix("http://")
    items.address = lambda request, page: f"http://{host}@{address.removeprefix('http://')}/items?page={page}"
    t.sync()
    require_unseen(t, seen)
    t.judge(items.rows)


@scenario(each=["bearer", "query key", "header X-Key", "basic"])
def written_nowhere(t, auth):
    """Neither output nor store contains the token, whatever the source repeats."""
    items = start(t, "url", auth=auth)
    items.address = lambda request, page: f"{request.host}/items?page={page}" + (
        f"&key={TOKEN}" if auth.startswith("query") else "")
    t.sync("items", "--log", "--stats")
    t.judge(items.rows, must="right", allow="GET http")
    for text in (t.last.out, t.last.err):
        t.require(TOKEN not in text, "the token is printed")
    t.fail("each", Answer({"message": f"bad token {TOKEN}"}, 400))
    t.sync()
    t.require(TOKEN not in t.last.out + t.last.err, "the token is printed with an error")
    for folder, _, names in os.walk(t.store):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                t.require(TOKEN.encode() not in file.read(), f"the token is stored in {name}")
