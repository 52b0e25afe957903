"""Clocks: times of the server are compared with the server's `Date`, not with ours."""

import email.utils

from lists import PagedList, definition, rows
from trial import scenario
from world import Answer

HOUR = 3600


def start(t, skew=0, count=25, style="page", lines=(), **options):
    t.clock.pass_by(skew)
    items = PagedList(style, rows(count), **options)
    t.define(definition(t.serve(items), style, *lines))
    return items




@scenario(each=["ahead", "behind"])
def retry_after_date(t, way):
    """`Retry-After` is a date one second from now, by a clock that differs from ours by three hours."""
    items = start(t, 3 * HOUR if way == "ahead" else -3 * HOUR)
    t.fail(2, lambda request: Answer({}, 429, {"Retry-After": t.clock.http(1)}))
    t.judge_sync(items.rows, must="right")


@scenario(each=["ahead", "behind"])
def limit_reset_time(t, way):
    """`X-RateLimit-Reset` as seconds since 1970, by such a clock."""
    items = start(t, 3 * HOUR if way == "ahead" else -3 * HOUR)
    t.fail(2, lambda request: Answer({}, 429, {
        "X-RateLimit-Remaining": "0", "X-RateLimit-Limit": "60", "X-RateLimit-Reset": str(t.clock.seconds + 1)}))
    t.judge_sync(items.rows, must="right")


@scenario(each=["nonsense", "1970", "local"])
def odd_dates(t, kind):
    """A `Date` that is no date, is of 1970, or is in another zone."""
    items = start(t)
    app = t.world.servers[0].app
    date = {"nonsense": "yesterday", "1970": email.utils.formatdate(0, usegmt=True),
            "local": "Sat, 28 Nov 2026 10:00:00 +0530"}[kind]

    def dated(request):
        answer = app(request)
        answer.date = date
        return answer
    t.world.servers[0].app = dated
    t.judge_sync(items.rows, must="right")
    items.change(3)
    items.delete(12)
    t.sync()
    t.judge_sync(items.rows, must="right")


@scenario(each=["ahead", "behind"])
def fresh_for_an_hour(t, way):
    """Our own pace does not depend on the server's clock: `--max-age` is measured by one clock."""
    items = start(t, 5 * HOUR if way == "ahead" else -5 * HOUR)
    t.sync()
    run = t.sync("items", "--max-age", "1h")
    t.judge(items.rows, must="right")
    t.require(not run.requests, f"{len(run.requests)} requests for a list that is seconds old", "TOLD-NEEDLESSLY")
    items.change(3)
    t.judge_sync(items.rows, must="right")


@scenario
def clock_jumps_during_run(t):
    """The server's clock goes back by a day between two pages."""
    items = start(t)
    t.at(2, lambda: t.clock.pass_by(-24 * HOUR))
    t.judge_sync(items.rows, must="right")
    items.delete(2)
    t.sync()
    t.judge_sync(items.rows, must="right")
