"""Increments: `since`, while rows change before, during and after a run."""

import calendar
import datetime
import re

from lists import PagedList, definition, row
from trial import scenario
from world import Answer

HOUR, DAY = 3600, 86400


class Changes(PagedList):
    """Rows with the time of their last change, in pages of 5, filtered by `since`."""

    def __init__(self, t, style="page", count=12, form="%Y-%m-%dT%H:%M:%SZ", order="id", is_exclusive=False, **options):
        self.clock, self.form, self.order, self.is_exclusive = t.clock, form, order, is_exclusive
        self.asked = []
        content = [row(number, at=t.clock.seconds - DAY + number * 60) for number in range(1, count + 1)]
        super().__init__(style, content, size=5, **options)

    def text(self, seconds):
        if self.form == "seconds":
            return seconds
        return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime(self.form)

    def time(self, word):
        if word is None:
            return None
        if re.fullmatch(r"\d+(\.\d+)?", word):
            return float(word)
        numbers = [int(part) for part in re.findall(r"\d+", word)][:6]
        return calendar.timegm(tuple(numbers + [0] * (6 - len(numbers))) + (0, 0, 0))

    def __call__(self, request):
        since = self.time(request.query.get("since"))
        self.asked.append(request.query.get("since"))
        seen = [each for each in self.rows if each["at"] <= self.clock.seconds or each["at"] > 4e9]
        if since is not None:
            grain = DAY if self.form == "%Y-%m-%d" else 1
            seen = [each for each in seen
                    if (each["at"] > since if self.is_exclusive else each["at"] // grain * grain >= since)]
        if self.order == "newest":
            seen = sorted(seen, key=lambda each: -each["at"])
        if self.order == "oldest":
            seen = sorted(seen, key=lambda each: each["at"])
        page = PagedList(self.style, [{"id": each["id"], "name": each["name"], "changed": self.text(each["at"])}
                                      for each in seen], self.size, tags=self.tags, fields=self.fields)
        page.address = self.address
        return page(request)

    def touch(self, number, seconds=0):
        self.change(number, at=self.clock.seconds + seconds)

    def add(self, number, seconds=0):
        self.insert(number, at=len(self.rows))
        self.rows[-1]["at"] = self.clock.seconds + seconds

    def truth(self):
        return [{"id": each["id"], "name": each["name"]} for each in self.rows]


def start(t, rule="since changed", type="time", lines=(), **options):
    items = Changes(t, **options)
    t.define(definition(t.serve(items), items.style, f"items.since = {rule}", *lines,
                        fields=("id = integer", "name = text", f"changed = {type}")))
    return items


def change_between_pages(t, items):
    """Row 1 changes after page 1 was read; a row of page 3 changes later still, before it is read."""
    def change():
        t.clock.pass_by(5)
        items.touch(1)
        t.clock.pass_by(100)
        items.touch(11)
    t.at(2, change)


def judge_later(t, items):
    """Some time passes, and another row changes, so that the newest value moves. The next sync must be right."""
    t.clock.pass_by(HOUR)
    items.touch(12)
    t.judge_sync(items.truth, must="right")


@scenario(each=["page", "offset", "link", "cursor"])
def change_during_first_run(t, style):
    items = start(t, style=style)
    change_between_pages(t, items)
    t.judge_sync(items.truth, either=[1])
    judge_later(t, items)


@scenario
def change_during_increment(t):
    items = start(t)
    t.sync()
    t.clock.pass_by(HOUR)
    for number in range(1, 12):
        items.touch(number, number)
    t.clock.pass_by(60)
    change_between_pages(t, items)
    t.sync()
    judge_later(t, items)


@scenario
def change_during_slow_run(t):
    """Half an hour passes between pages, longer than any overlap."""
    items = start(t)

    def change():
        t.clock.pass_by(60)
        items.touch(1)
        t.clock.pass_by(HOUR // 2)
        items.touch(12)
    t.at(2, change)
    t.sync()
    judge_later(t, items)


@scenario
def newest_first(t):
    """The list is in the order of change, so a change moves a row to a page that was read."""
    items = start(t, order="newest")

    def change():
        t.clock.pass_by(200)
        items.touch(2)
    t.at(2, change)
    t.sync()
    judge_later(t, items)


@scenario
def replica_behind(t):
    """Changes become visible 20 s after their time, out of order with others."""
    items = start(t)
    t.sync()
    t.clock.pass_by(HOUR)
    items.touch(3)
    t.clock.pass_by(10)
    items.touch(4)
    # Another replica answers this row at once.
    hidden = items.rows[2].copy()
    items.rows[2].update(at=hidden["at"] - DAY, name="n3")
    t.sync()
    items.rows[2].update(hidden)
    t.clock.pass_by(10)
    t.judge_sync(items.truth, must="right")


@scenario
def row_of_2099(t):
    """One row is dated 2099. It must not stop the increments, and it is reported."""
    items = start(t)
    items.rows[4]["at"] = 4_070_908_800
    t.judge_sync(items.truth, words="future|2099", allow="future|2099")
    for number in (2, 9):
        t.clock.pass_by(HOUR)
        items.touch(number)
        t.judge_sync(items.truth, allow="future|2099")


@scenario
def same_second(t):
    """A row changes in the second of the newest value, after the run."""
    items = start(t)
    items.touch(12)
    t.sync()
    items.touch(11)
    t.clock.pass_by(HOUR)
    t.judge_sync(items.truth, must="right")


@scenario
def days(t):
    """The API states only dates: a row changes later on the same day."""
    items = start(t, form="%Y-%m-%d")
    items.touch(12)
    t.sync()
    items.touch(3)
    t.clock.pass_by(60)
    t.judge_sync(items.truth, must="right")


@scenario
def all_at_one_time(t):
    items = start(t)
    for each in items.rows:
        each["at"] = t.clock.seconds - 500
    t.sync()
    items.add(13, -500)
    t.clock.pass_by(HOUR)
    t.judge_sync(items.truth, must="right")


@scenario(each=["ahead", "behind"])
def clocks_differ(t, way):
    """The server's clock differs from ours by three hours."""
    t.clock.pass_by(3 * HOUR if way == "ahead" else -3 * HOUR)
    items = start(t)
    change_between_pages(t, items)
    t.sync()
    judge_later(t, items)
    for number in (2, 7):
        t.clock.pass_by(HOUR)
        items.touch(number)
        t.judge_sync(items.truth, must="right")


@scenario
def clock_goes_back(t):
    """The server's clock was a day ahead and is corrected. Times of the future do not move the mark."""
    items = start(t)
    t.clock.pass_by(DAY)
    items.touch(5)
    t.sync()
    t.clock.pass_by(-DAY)
    items.touch(6)
    t.sync()
    t.clock.pass_by(HOUR)
    items.touch(7)
    t.sync()
    # The changes between the two clocks are older than the mark of the first run. Row 5 has a time in the future, and
    # the server leaves it out of two whole lists.
    t.judge([each for each in items.truth() if each["id"] != 5], allow="future|clock")


@scenario
def no_date(t):
    """Without a Date the newest value is the mark, and a sync says that changes during a run may be missed."""
    items = start(t)
    app = t.world.servers[0].app
    t.world.servers[0].app = lambda request: undated(app(request))
    t.judge_sync(items.truth, words="Date|date|missed", allow="Date|date|missed")
    t.clock.pass_by(HOUR)
    items.touch(4)
    t.judge_sync(items.truth, allow="Date|date|missed")


def undated(answer):
    answer.date = None
    return answer


@scenario(each=["1", "2", "3"])
def killed_increment(t, word):
    """An increment is killed before its mark; rows change before it is resumed."""
    items = start(t)
    t.sync()
    t.clock.pass_by(HOUR)
    for number in range(1, 13):
        items.touch(number, number)
    t.clock.pass_by(60)
    t.kill_at(int(word))
    t.sync()
    t.clock.pass_by(HOUR)
    items.touch(2)
    t.sync()
    judge_later(t, items)


@scenario
def resumed_run_keeps_its_start(t):
    """A first run is killed; a row that it has read changes; the run is resumed an hour later."""
    items = start(t)
    t.kill_at(3)
    t.sync()
    t.clock.pass_by(HOUR // 2)
    items.touch(1)
    t.clock.pass_by(HOUR // 2)
    items.touch(12)
    t.sync()
    judge_later(t, items)


@scenario
def killed_between_page_and_mark(t):
    """Kills at random moments after the last answers; each sync after it must be right."""
    items = start(t)
    t.sync()
    for turn in range(5):
        t.clock.pass_by(HOUR)
        items.touch(1 + turn)
        t.kill_after(1 + turn % 2, t.random.uniform(0, 0.02))
        t.sync()
    t.clock.pass_by(HOUR)
    t.judge_sync(items.truth, must="right")


@scenario
def nothing_new(t):
    """When nothing is new, address and validator stay, so that the answer is a 304."""
    items = start(t, tags="strong")
    t.sync()
    t.clock.pass_by(HOUR)
    for _ in range(3):
        run = t.sync()
        t.clock.pass_by(HOUR)
    t.judge(items.truth, must="right")
    t.require(run.requests and run.requests[0].status == 304,
              f"no 304: {[(each.target, each.status) for each in run.requests]}", "TOLD-NEEDLESSLY")


@scenario
def exclusive_since(t):
    """The API returns only rows after the time that it is asked for."""
    items = start(t, is_exclusive=True)
    items.touch(12)
    t.sync()
    items.touch(11)
    t.clock.pass_by(HOUR)
    t.judge_sync(items.truth, must="right")


@scenario
def seconds(t):
    items = start(t, rule="since changed seconds", form="seconds")
    change_between_pages(t, items)
    t.sync()
    judge_later(t, items)


@scenario
def restart_finds_deletions(t):
    """An increment concludes no deletion; two complete runs do."""
    items = start(t)
    t.sync()
    t.clock.pass_by(HOUR)
    items.delete(4)
    items.touch(5)
    t.judge_sync(items.truth, either=[4])
    t.sync("items", "--restart")
    t.judge(items.truth, pending=[4])
    t.sync("items", "--restart")
    t.judge(items.truth, must="right")


@scenario
def increment_moves_nothing_gone(t):
    """An increment lists few rows; the others stay."""
    items = start(t)
    t.sync()
    for _ in range(3):
        judge_later(t, items)


@scenario
def failed_increment(t):
    """Page 2 of an increment fails. Its rows come with the next sync."""
    items = start(t)
    t.sync()
    t.clock.pass_by(HOUR)
    for number in range(1, 13):
        items.touch(number, number)
    t.clock.pass_by(60)
    for number in range(2, 9):
        t.fail(number, Answer({"message": "oops"}, 500))
    t.judge_sync(items.truth)
    t.clock.pass_by(HOUR)
    t.judge_sync(items.truth, must="right")


@scenario
def printed_once(t):
    """A row that an increment brought again is printed once, also in a long listing."""
    items = start(t)
    t.sync()
    judge_later(t, items)
    run = t.run("list", "items", "--offline", "--format", "jsonl", "-n", 10000)
    count = len(run.out.splitlines())
    t.require(count == len(items.rows), f"{count} rows are printed of {len(items.rows)}")
