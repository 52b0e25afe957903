"""Validators: what "not modified" proves, and what it does not."""

import hashlib
import json

from lists import PagedList, definition, rows
from trial import scenario
from world import Answer, conditional


def start(t, style="page", count=25, lines=(), **options):
    items = PagedList(style, rows(count), **options)
    t.define(definition(t.serve(items), style, *lines))
    return items


def wrapped(t, change):
    """Passes every answer of the list through `change`."""
    app = t.world.servers[0].app
    t.world.servers[0].app = lambda request: change(app(request), request)


@scenario(each=["strong", "weak"])
def entity_tags(t, kind):
    """Unchanged pages cost a 304; a changed one is read again."""
    items = start(t, tags=kind)
    t.sync()
    items.change(12)
    run = t.sync()
    t.judge(items.rows, must="right")
    count = sum(1 for each in run.requests if each.status == 304)
    t.require(count >= 2, f"{count} pages were unchanged of at least 2", "TOLD-NEEDLESSLY")


@scenario(each=['""', 'W/""', "unquoted", '"*"'])
def odd_entity_tags(t, tag):
    """An empty tag says nothing, so it is not sent back. Others are sent as they came, or not at all."""
    items = start(t, count=8)
    state = {"version": 0}
    wrapped(t, lambda answer, request: conditional(
        answer, request, tag if tag.endswith('""') else f'{tag[:-1]}{state["version"]}{tag[-1]}'))
    t.sync()
    items.change(3)
    state["version"] = 1
    t.judge_sync(items.rows, must="right")


@scenario
def modified_in_the_second_of_the_answer(t):
    """A `Last-Modified` equal to `Date`: a change later in that second stays hidden if it is trusted."""
    items = start(t, count=8)
    state = {"modified": t.clock.http()}
    wrapped(t, lambda answer, request: conditional(answer, request, None, state["modified"]))
    t.sync()
    items.change(3)
    t.clock.pass_by(600)
    t.judge_sync(items.rows, must="right")


@scenario
def modified_before_the_answer(t):
    """A `Last-Modified` of an hour before is sent back and saves the answer."""
    items = start(t, count=8)
    state = {"modified": t.clock.http(-3600)}
    wrapped(t, lambda answer, request: conditional(answer, request, None, state["modified"]))
    t.sync()
    run = t.sync()
    t.judge(items.rows, must="right")
    t.require(any(each.status == 304 for each in run.requests), "no 304", "TOLD-NEEDLESSLY")
    items.change(3)
    state["modified"] = t.clock.http()
    t.clock.pass_by(600)
    t.judge_sync(items.rows, must="right")


@scenario
def unchanged_with_new_link(t):
    """Page 1 is unchanged, and the Link of its 304 names a page that is new."""
    items = start(t, "link", 10)

    def tagged(answer, request):
        changed = conditional(answer, request, f'"{request.query.get("page", "1")}"')
        if changed.status == 304:
            changed.fields += [field for field in answer.fields if field[0] == "Link"]
        return changed
    wrapped(t, tagged)
    t.sync()
    items.insert(11, at=10)
    t.judge_sync(items.rows, must="right")


@scenario(each=["link", "page", "cursor"])
def full_last_page_grows(t, style):
    """A full last page whose tag covers only its rows: "unchanged" does not prove that no page follows."""
    items = start(t, style, 20)

    def tagged(answer, request):
        data = json.dumps(json.loads(answer.body)["data"]).encode()
        return conditional(answer, request, f'W/"{hashlib.sha256(data).hexdigest()[:10]}"')
    wrapped(t, tagged)
    t.sync()
    items.insert(21, at=20)
    t.judge_sync(items.rows, must="right")


@scenario
def definition_changed(t):
    """"Not modified" confirms rows only as they were decoded: a new field is read."""
    items = start(t, tags="strong")
    for each in items.rows:
        each["title"] = f"t{each['id']}"
    t.sync()
    t.define(definition(t.world.servers[0].address, "page",
                        fields=("id = integer", "name = text", "title = text")))
    t.judge_sync(items.rows, must="right")


@scenario
def place_of_rows_changed(t):
    """The rows are read from another member, under the same tags."""
    items = start(t, tags="strong")
    items.extra = lambda content, at, more: {
        "all": [{"id": each["id"] + 100, "name": "other"} for each in content[at:at + 10]]}
    t.sync()
    text = definition(t.world.servers[0].address, "page").replace("items.rows = data", "items.rows = all")
    t.define(text)
    for _ in range(3):
        t.sync()
    t.judge([{"id": each["id"] + 100, "name": "other"} for each in items.rows], must="right")


@scenario
def one_tag_for_all_pages(t):
    """Every page has the tag of the list's version, as version numbers are. It belongs to an address."""
    items = start(t)
    state = {"version": 1}
    wrapped(t, lambda answer, request: conditional(answer, request, f'"{state["version"]}"'))
    t.sync()
    items.change(12)
    state["version"] = 2
    t.judge_sync(items.rows, must="right")


@scenario
def tag_comes_back(t):
    """Content A, B, A: the tag of A names A again."""
    items = start(t, tags="weak", count=8)
    first = items.copy()
    t.sync()
    items.change(3)
    t.judge_sync(items.rows, must="right")
    items.rows[:] = first
    t.judge_sync(items.rows, must="right")


@scenario
def unasked_304(t):
    """A 304 to a request without a condition proves nothing."""
    items = start(t, count=8)
    t.fail("each", Answer(b"", 304))
    t.judge_sync(items.rows, must="told")


@scenario
def another_persons_tag(t):
    """Two tokens see different rows under the same tag. No tag of one is sent for the other."""
    items = start(t, count=8)
    text = definition(t.world.servers[0].address, "page", auth="bearer")
    t.define(text)
    items.where = lambda content, request: [
        {**each, "name": request.fields.get("authorization", "").count("1") * "x"} for each in content]
    wrapped(t, lambda answer, request: conditional(answer, request, '"3"'))
    for ones in (1, 2):
        t.token("secret-" + "1" * ones + "0" * 20)
        t.sync()
        t.judge([{**each, "name": "x" * ones} for each in items.rows], must="right")


@scenario
def list_of_one_page(t):
    """A Link list of one page, without a page size in its address, is asked conditionally."""
    items = start(t, "link", 4, tags="weak")
    t.sync()
    run = t.sync()
    t.judge(items.rows, must="right")
    t.require(run.requests[0].status == 304, "the only page is asked unconditionally", "TOLD-NEEDLESSLY")


@scenario
def shortened_list_of_unchanged_pages(t):
    """The last page disappears; the pages before it are unchanged but for their Link."""
    items = start(t, "link", 25)

    def tagged(answer, request):
        return conditional(answer, request, f'"{request.query.get("page", "1")}"')
    wrapped(t, tagged)
    t.sync()
    items.delete(*range(21, 26))
    for _ in range(3):
        t.sync()
    t.judge(items.rows)
