"""Keys: what identifies a row, byte for byte."""

import json

from lists import PagedList, definition, row, rows
from trial import scenario
from world import Answer


def start(t, content, type="text", key="id", lines=(), style="page", extra=()):
    items = PagedList(style, content)
    t.define(definition(t.serve(items), style, *lines, key=key, fields=(f"id = {type}", "name = text", *extra)))
    t.sync()
    return items


def raw(t, text, type="text"):
    """A list of one page, with exactly these bytes."""
    body = text.encode("utf-8", "surrogatepass")
    t.define(definition(t.serve(lambda request: Answer(body)), "none", fields=(f"id = {type}", "name = text")))
    t.sync()


def named(*keys):
    return [{"id": key, "name": f"n{place}"} for place, key in enumerate(keys)]


@scenario
def repeated_on_a_page(t):
    """The same key with other values on one page: the rows are not overwritten in silence."""
    content = rows(8) + [{"id": 3, "name": "other"}]
    start(t, content, "integer")
    t.judge(content, must="told")
    found, _ = t.listed()
    t.require({"id": 3, "name": "n3"} in [{"id": each["id"], "name": each["name"]} for each in found],
              "the first row with a repeated key was overwritten")


@scenario
def repeated_for_all_rows(t):
    """A member that is the same in all rows is declared as the key."""
    content = [{"id": "x", "name": f"n{number}"} for number in range(13)]
    start(t, content)
    t.judge(content, must="told")


@scenario
def repeated_on_other_pages(t):
    content = rows(25)
    for each in content[12:15]:
        each["id"] -= 10
    start(t, content, "integer")
    t.judge(content, must="told")


@scenario
def repeated_with_same_values(t):
    content = rows(8)
    items = start(t, content + [dict(content[2])], "integer")
    t.judge(content, must="right")
    items.rows[:] = content
    t.sync()
    t.judge(content, must="right")


@scenario(each=["missing", "null", "empty", "object"])
def row_without_key(t, kind):
    """One row of page 2 has no usable key. Page 1 is kept, and the message names row and member."""
    content = [row(number) for number in range(1, 26)]
    for each in content:
        each["id"] = f"k{each['id']}"
    truth = [dict(each) for each in content]
    value = {"null": None, "empty": "", "object": {"a": 1}, "missing": None}[kind]
    content[13]["id"] = value
    if kind == "missing":
        del content[13]["id"]
    start(t, content)
    t.judge(truth, must="told", words="id")
    found, _ = t.listed()
    t.require(len(found) >= 10, f"{len(found)} rows are kept of page 1", "TOLD-NEEDLESSLY")


@scenario
def numbers_and_texts(t):
    """Ids that are numbers in some rows and texts in others, in a text key."""
    start(t, [{"id": 1, "name": "a"}, {"id": "2", "name": "b"}, {"id": "03", "name": "c"}, {"id": 3, "name": "d"}])
    t.judge([{"id": "1", "name": "a"}, {"id": "2", "name": "b"}, {"id": "03", "name": "c"}, {"id": "3", "name": "d"}],
            must="right")


@scenario
def number_and_text_alike(t):
    """1 and "1" are the same text, so two rows would become one."""
    content = [{"id": 1, "name": "a"}, {"id": "1", "name": "b"}]
    start(t, content)
    t.judge([{"id": "1", "name": "a"}, {"id": "1", "name": "b"}], must="told")


@scenario
def huge_integers_as_text(t):
    ids = [9_007_199_254_740_993, 9_007_199_254_740_992, 2**63 - 1, 2**63, 2**64 + 1, -(2**63) - 1]
    start(t, named(*ids))
    t.judge(named(*map(str, ids)), must="right")


@scenario
def neighbours_beyond_doubles(t):
    """Integers that a double cannot distinguish."""
    ids = [2**53, 2**53 + 1, 2**53 + 2, 2**63 - 1, 2**63 - 2, -(2**63)]
    start(t, named(*ids), "integer")
    t.judge(named(*ids), must="right")


@scenario
def integer_over_64_bits(t):
    start(t, named(1, 2**63, 2**63 + 1), "integer")
    t.judge(named(1, 2**63, 2**63 + 1), must="told")


@scenario
def whole_numbers_with_point(t):
    """47.0 is the integer 47."""
    raw(t, '{"data": [{"id": 47.0, "name": "a"}, {"id": 4.8e1, "name": "b"}, {"id": 49, "name": "c"}]}', "integer")
    t.judge([{"id": 47, "name": "a"}, {"id": 48, "name": "b"}, {"id": 49, "name": "c"}], must="right")


@scenario(each=["zero", "surrogate", "both", "pair-halves"])
def cannot_be_exact(t, kind):
    r"""`a\u0000` and lone surrogates cannot be stored as they are: refused, never repaired into one another."""
    texts = {"zero": ["a\\u0000", "a\\ufffd"], "surrogate": ["a\\ud800", "a\\udfff"],
             "both": ["a\\u0000", "a\\ud800", "a\\ufffd"], "pair-halves": ["a\\ud83d", "a\\ude00"]}[kind]
    rows = [f'{{"id": "{text}", "name": "n{place}"}}' for place, text in enumerate(texts)]
    raw(t, f'{{"data": [{", ".join(rows)}]}}')
    t.judge(named(*(json.loads(f'"{text}"') for text in texts)), must="told")


@scenario
def replacement_character(t):
    """U+FFFD is a character as any other."""
    raw(t, '{"data": [{"id": "a\\ufffd", "name": "n0"}, {"id": "a", "name": "n1"}, {"id": "\\ufffda", "name": "n2"}]}')
    t.judge(named("a\ufffd", "a", "\ufffda"), must="right")


@scenario
def invalid_utf8(t):
    """A key with bytes that are not UTF-8."""
    body = b'{"data": [{"id": "a\xff", "name": "n0"}, {"id": "a\xfe", "name": "n1"}]}'
    t.define(definition(t.serve(lambda request: Answer(body)), "none", fields=("id = text", "name = text")))
    t.sync()
    t.judge(named("a\udcff", "a\udcfe"), must="told")


@scenario
def composed_and_decomposed(t):
    start(t, named("caf\u00e9", "cafe\u0301", "\u212b", "\u00c5", "A\u030a"))
    t.judge(named("caf\u00e9", "cafe\u0301", "\u212b", "\u00c5", "A\u030a"), must="right")


@scenario
def case_and_space(t):
    keys = ["a", "A", " a", "a ", "a\t", "\u00df", "ss", "\u0130", "i", "I", "a\u200b", "a\u00a0"]
    start(t, named(*keys))
    t.judge(named(*keys), must="right")


@scenario
def odd_texts(t):
    keys = ["/", "a/b", "a//b", ".", "..", "%2F", "%", "?", "#", "'", '"', "\\", "\u007f", "\u0001", "null", "-1",
            "\U0001f600", "\u202e", "0", "00", "a,b", "a;b", "--", "-n", "\r\n"]
    start(t, named(*keys))
    t.sync()
    t.judge(named(*keys), must="right")


@scenario
def long_keys(t):
    """Keys that agree in their first thousand bytes."""
    keys = ["k" * 1000 + str(number) for number in range(4)]
    start(t, named(*keys))
    t.judge(named(*keys), allow="")


@scenario
def compound_keys(t):
    """Parts that give the same text when joined."""
    content = [{"id": "a/b", "name": "c"}, {"id": "a", "name": "b/c"}, {"id": "a", "name": "b"},
               {"id": "", "name": "a"}, {"id": "a", "name": ""}]
    start(t, content, key="id name")
    t.judge(content, must="right")


@scenario
def signs_and_zero(t):
    start(t, named(0, -1, 1, -9_223_372_036_854_775_808), "integer")
    t.judge(named(0, -1, 1, -9_223_372_036_854_775_808), must="right")


@scenario
def key_changes_its_value(t):
    """A row gets another id: the former one is gone after two runs."""
    items = start(t, rows(8), "integer")
    items.rows[3]["id"] = 80
    t.judge_sync(items.rows, pending=[4])
    t.judge_sync(items.rows, must="right")
