"""Limits and failures that pass: waiting is right, asking early or giving up is not."""

import time

from lists import PagedList, definition, rows
from trial import scenario
from world import Answer


def start(t, lines=(), style="page"):
    items = PagedList(style, rows(25))
    t.define(definition(t.serve(items), style, *lines))
    return items


def limited(t, fields, status=429, body=None, seconds=1):
    """Page 2 is refused until `seconds` have passed, and asking earlier is counted."""
    items = start(t)
    state = {}

    def refusing(request):
        if request.number == 1:
            return None
        now = time.monotonic()
        if "until" not in state:
            state["until"] = now + seconds
        elif now >= state["until"] - 0.05:
            return None
        else:
            state["early"] = True
        return Answer(body or {"message": "slow down"}, status, fields() if callable(fields) else fields)
    t.fail("each", refusing)
    t.judge_sync(items.rows, must="right")
    t.require("early" not in state, "asked again before the time that the server named")


@scenario
def retry_after_seconds(t):
    limited(t, {"Retry-After": "2"}, seconds=2)


@scenario
def retry_after_date(t):
    limited(t, lambda: {"Retry-After": t.clock.http(2)}, seconds=1)


@scenario(each=["lines", "list"])
def retry_after_twice(t, kind):
    """Two values of Retry-After: the later one counts."""
    fields = [("Retry-After", "0"), ("Retry-After", "2")] if kind == "lines" else [("Retry-After", "2, 0")]
    limited(t, fields, seconds=2)


@scenario
def retry_after_fraction(t):
    limited(t, {"Retry-After": "1.5"}, seconds=1.5)


@scenario
def milliseconds(t):
    limited(t, {"retry-after-ms": "2000"}, seconds=2)


@scenario
def reset_after(t):
    limited(t, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "2"}, seconds=2)


@scenario
def structured_field(t):
    limited(t, {"RateLimit": '"default";r=0;t=2'}, seconds=2)


@scenario
def reset_time(t):
    limited(t, lambda: {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(t.clock.seconds + 2)}, seconds=1)


@scenario
def forbidden_without_remaining(t):
    """GitHub's form: a 403 with nothing left."""
    limited(t, lambda: {"X-RateLimit-Remaining": "0", "X-RateLimit-Limit": "60",
                        "X-RateLimit-Reset": str(t.clock.seconds + 2)}, 403, seconds=1)


@scenario
def unavailable_with_time(t):
    limited(t, {"Retry-After": "2"}, 503, seconds=2)


@scenario
def long_wait(t):
    """An hour is longer than a request may wait: page 1 is kept, and a later sync resumes."""
    items = start(t)
    for number in range(2, 9):
        t.fail(number, Answer({"message": "slow down"}, 429, {"Retry-After": "3600"}))
    run = t.sync()
    t.judge(items.rows)
    t.require(len(run.requests) == 2, f"{len(run.requests)} requests", "TOLD-NEEDLESSLY")
    found, _ = t.listed()
    t.require(len(found) == 10, f"{len(found)} rows are kept of page 1", "TOLD-NEEDLESSLY")


@scenario(each=["500", "502", "503", "504"])
def failure_passes(t, status):
    """One failure of the server on page 2, then success."""
    items = start(t)
    t.fail(2, Answer(b"<html>oops</html>", int(status), {"Content-Type": "text/html"}))
    t.judge_sync(items.rows, must="right")


@scenario
def error_in_a_body(t):
    """Status 200 and `ok: false`: a limit in Slack's manner."""
    items = start(t, ["error = not ok", "error.text = error", "error.rate-limited = ratelimited"])
    items.extra = lambda content, at, more: {"ok": True}
    t.fail(2, Answer({"ok": False, "error": "ratelimited"}, 200, {"Retry-After": "1"}))
    t.judge_sync(items.rows)
    time.sleep(1)
    t.judge_sync(items.rows, must="right")


@scenario
def error_in_a_body_undeclared(t):
    """Status 200 with an error beside an empty list, in the middle."""
    items = start(t, ["error = error", "error.text = error"], "cursor")
    t.sync()
    t.fail(2, Answer({"data": [], "error": "internal"}))
    t.judge_sync(items.rows, must="told")
    t.judge_sync(items.rows, must="right")


@scenario
def connection_closed(t):
    """The server closes the connection without an answer, once."""
    items = start(t)
    t.fail(2, lambda request: Answer(b"x" * 100, cut=99))
    t.judge_sync(items.rows, must="right")


@scenario
def slow_answer(t):
    """An answer that takes two seconds is waited for."""
    items = start(t)
    t.at(2, lambda: time.sleep(2))
    t.judge_sync(items.rows, must="right")


@scenario
def never_answers(t):
    """No answer to page 2: the deadline ends the sync, and page 1 is kept."""
    items = start(t)
    t.settings["source.deadline-seconds"] = 3
    t.at(2, lambda: time.sleep(5))
    t.judge_sync(items.rows)
