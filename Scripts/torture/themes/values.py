"""Values: every spelling of a value that JSON and HTTP allow, and values of another type."""

import gzip
import json
import zlib

from lists import PagedList, definition, row, rows
from trial import scenario
from world import Answer


def start(t, text, *fields):
    """A list of one page, with exactly this body."""
    body = text if isinstance(text, bytes) else text.encode()
    t.define(definition(t.serve(lambda request: Answer(body)), "none", fields=("id = integer", *fields)))
    t.sync()


@scenario
def whole_numbers(t):
    """A whole number as 47.0, 4.7e1 and "47.0"."""
    start(t, '{"data": [{"id": 1, "size": 47.0}, {"id": 2, "size": 4.7e1}, {"id": 3, "size": "47.0"}, '
             '{"id": 4, "size": 47}, {"id": 5, "size": "47"}]}', "size = integer")
    t.judge([{"id": number, "size": 47} for number in range(1, 6)], must="right")


@scenario
def whole_numbers_of_optional_fields(t):
    """The same in a field that may be null: the value is not dropped."""
    start(t, '{"data": [{"id": 1, "size": 47.0}, {"id": 2, "size": 4.7e1}, {"id": 3, "size": null}]}',
          "size = integer?")
    t.judge([{"id": 1, "size": 47}, {"id": 2, "size": 47}, {"id": 3, "size": None}], must="right")


@scenario(each=["integer", "text"])
def other_type_becomes_null(t, type):
    """A `?` field with a value of another type becomes null; that is counted and reported."""
    value = '"many"' if type == "integer" else "{}"
    start(t, f'{{"data": [{{"id": 1, "size": {value}}}, {{"id": 2, "size": null}}]}}', f"size = {type}?")
    t.judge([{"id": 1, "size": None}, {"id": 2, "size": None}], words="size", allow="size")


@scenario
def fractions_are_not_whole(t):
    start(t, '{"data": [{"id": 1, "size": 1.5}]}', "size = integer")
    t.judge([{"id": 1, "size": 1.5}], must="told")


@scenario
def times_in_lower_case(t):
    """RFC 3339 allows lower-case t and z."""
    start(t, '{"data": [{"id": 1, "at": "2008-01-14t04:33:35z"}, {"id": 2, "at": "2008-01-14T04:33:35Z"}, '
             '{"id": 3, "at": "2008-01-14t06:33:35+02:00"}]}', "at = time")
    t.require(t.last.status == 0, t.line(), "TOLD-NEEDLESSLY")
    found, _ = t.listed()
    times = {each["at"] for each in found}
    t.require(t.last.status != 0 or len(found) == 3 and len(times) == 1, f"times {times}")


@scenario
def times_of_optional_fields(t):
    start(t, '{"data": [{"id": 1, "at": "2008-01-14t04:33:35z"}, {"id": 2, "at": null}]}', "at = time?")
    found, _ = t.listed()
    t.require(len(found) == 2 and found[0]["at"], f"the time became null: {t.line()}")


@scenario
def null_for_required(t):
    """Null on page 2 where the definition promises a value: page 1 is kept."""
    items = PagedList("page", rows(25))
    truth = items.copy()
    items.rows[13]["name"] = None
    t.define(definition(t.serve(items), "page"))
    t.sync()
    found, _ = t.listed()
    t.require(len(found) >= 10, f"{len(found)} rows are kept of page 1", "TOLD-NEEDLESSLY")
    truth[13]["name"] = None
    t.judge(truth)


@scenario
def type_changes_later(t):
    """A number becomes a text in a later sync. The stored rows stay, and the sync fails."""
    items = PagedList("page", [row(number, size=number) for number in range(1, 9)])
    t.define(definition(t.serve(items), "page", fields=("id = integer", "size = integer")))
    t.sync()
    truth = [{"id": each["id"], "size": each["size"]} for each in items.rows]
    t.judge(truth, must="right")
    items.rows[2]["size"] = "large"
    t.sync()
    t.judge([{**each, "size": "large"} if each["id"] == 3 else each for each in truth], must="told")
    found, _ = t.listed()
    t.require(len(found) == 8, f"{len(found)} rows are left of 8")


@scenario
def new_member_appears(t):
    """A member that the definition does not know appears later. It is mentioned once."""
    items = PagedList("page", rows(8))
    t.define(definition(t.serve(items), "page"))
    t.judge_sync(items.rows, must="right")
    truth = items.copy()
    for each in items.rows:
        each["colour"] = "blue"
    t.sync()
    t.judge(truth, words="colour", allow="colour")
    t.sync()
    t.judge(truth, allow="colour")


def compressed(t, coding, make):
    items = PagedList("page", rows(25))

    def app(request):
        answer = items(request)
        if coding in ("gzip", "deflate") and coding not in request.fields.get("accept-encoding", ""):
            return answer
        answer.body = make(answer.body)
        answer.fields.append(("Content-Encoding", coding))
        return answer
    t.define(definition(t.serve(app), "page"))
    t.judge_sync(items.rows, must="right")


@scenario(each=["one", "members", "zeros", "empty-member", "mixed-case"])
def gzip_streams(t, kind):
    """Several members, and zero bytes after the stream, are gzip, too (RFC 1952)."""
    half = {
        "one": gzip.compress,
        "members": lambda body: b"".join(gzip.compress(body[at:at + 50]) for at in range(0, len(body), 50)),
        "zeros": lambda body: gzip.compress(body) + b"\0" * 512,
        "empty-member": lambda body: gzip.compress(body) + gzip.compress(b""),
        "mixed-case": gzip.compress,
    }[kind]
    compressed(t, "GZip" if kind == "mixed-case" else "gzip", half)


@scenario(each=["zlib", "raw"])
def deflate_streams(t, kind):
    """If `deflate` is offered, both readings of it are read."""
    def raw(body):
        packer = zlib.compressobj(wbits=-15)
        return packer.compress(body) + packer.flush()
    compressed(t, "deflate", zlib.compress if kind == "zlib" else raw)


@scenario(each=["utf-8", "none", "identity"])
def codings_that_are_none(t, coding):
    """Names that servers write in Content-Encoding for no coding at all."""
    items = PagedList("page", rows(8))
    t.define(definition(t.serve(lambda request: recoded(items(request), coding)), "page"))
    t.judge_sync(items.rows)
    if t.last.status:
        t.require(coding in t.last.err, f"the coding is not named: {t.line()}", "TOLD-NEEDLESSLY")


def recoded(answer, coding):
    answer.fields.append(("Content-Encoding", coding))
    return answer


@scenario
def gzip_cut(t):
    """A gzip stream that ends early is no answer."""
    items = PagedList("page", rows(25))

    def app(request):
        answer = items(request)
        answer.body = gzip.compress(answer.body)[:-12]
        return recoded(answer, "gzip")
    t.define(definition(t.serve(app), "page"))
    t.judge_sync(items.rows, must="told")


@scenario
def byte_order_mark(t):
    start(t, b"\xef\xbb\xbf" + json.dumps({"data": rows(3)}).encode(), "name = text")
    t.judge(rows(3))


@scenario
def zero_in_text(t):
    """U+0000 in a text that is not a key is replaced, and a sync says so."""
    start(t, '{"data": [{"id": 1, "name": "a\\u0000b"}, {"id": 2, "name": "c"}]}', "name = text")
    found, _ = t.listed()
    exact = [each["name"] for each in found] == ["a\0b", "c"]
    t.require(exact or t.last.warnings, f"U+0000 was replaced without a word: {t.line()}")


@scenario
def reals(t):
    start(t, '{"data": [{"id": 1, "size": 0.1}, {"id": 2, "size": 1e-7}, {"id": 3, "size": 3}, '
             '{"id": 4, "size": "199.00"}, {"id": 5, "size": -0.0}, {"id": 6, "size": 1.7976931348623157e308}]}',
          "size = real")
    t.judge([{"id": 1, "size": 0.1}, {"id": 2, "size": 1e-7}, {"id": 3, "size": 3}, {"id": 4, "size": 199},
             {"id": 5, "size": 0}, {"id": 6, "size": 1.7976931348623157e308}], must="right")


@scenario
def repeated_member(t):
    """One object has a member twice with different values, which JSON leaves open."""
    start(t, '{"data": [{"id": 1, "name": "a", "name": "b"}]}', "name = text")
    found, _ = t.listed()
    t.require([each["name"] for each in found] in (["a"], ["b"]) or t.last.status, f"{found}")


@scenario
def texts_unchanged(t):
    """Texts come back as they were sent."""
    texts = ["", " ", "\u00e9", "e\u0301", "\U0001f600", "\\", '"', "\u2028", "\r\n", "\u007f", "\u200d", "null",
             "a" * 70000]
    content = [{"id": number, "name": text} for number, text in enumerate(texts)]
    start(t, json.dumps({"data": content}), "name = text")
    t.judge(content, must="right")


@scenario
def nested_json(t):
    """A json field keeps numbers and order of arrays."""
    value = {"a": [1, 2.5, "x", None, True], "b": {"c": 9007199254740993}}
    start(t, json.dumps({"data": [{"id": 1, "extra": value}]}), "extra = json")
    t.judge([{"id": 1, "extra": value}], must="right")
