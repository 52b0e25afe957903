"""Lists that move in every run, newest first, as they are read: no row that exists is taken for a deleted one."""

from lists import PagedList, definition, rows
from trial import scenario

RUNS, QUIET, COUNT = 10, 3, 60


def move(t, items, deleted, run, kinds):
    """Deletes the row of a random place, or puts a new or an old row first."""
    kind = t.random.choice(kinds)
    victim = t.random.choice(items.rows)
    if kind == "delete":
        items.delete(victim["id"])
        deleted[victim["id"]] = run
    elif kind == "insert":
        items.insert(max(each["id"] for each in items.rows) + 1)
    else:
        items.rows.remove(victim)
        items.rows.insert(0, {**victim, "name": victim["name"] + "+"})


@scenario(each=[f"{style}-{kinds}" for style in ("page", "offset", "link", "cursor") for kinds in ("deletions", "all")]
          + ["cursor-all-with-addresses"])
def ten_runs(t, word):
    """Rows are deleted, added and moved to the front before a part of the requests and between the runs."""
    style, _, kinds = word.partition("-")
    items = PagedList(style, rows(COUNT))
    lines = ["items.handle = id", "items.show = /items/{handle}"] if kinds.endswith("addresses") else []
    t.define(definition(t.serve(items), style, *lines))
    t.deadline += 60
    t.sync()
    known, deleted, waits, wrong = set(range(1, COUNT + 1)), {}, [], set()
    chosen = ["delete"] if kinds == "deletions" else ["delete", "insert", "touch"]
    for run in range(1, RUNS + QUIET + 1):
        if run <= RUNS:
            move(t, items, deleted, run, chosen)
            for number in range(1, 8):
                if t.random.random() < 0.3:
                    t.at(number, lambda: move(t, items, deleted, run, chosen))
        t.sync()
        found = {each["id"] for each in t.listed()[0]}
        exist = {each["id"] for each in items.rows}
        wrong |= (known & exist) - found
        known |= found
        waits += [run - deleted.pop(number) + 1 for number in list(deleted) if number in known and number not in found]
        for number in [number for number in deleted if number not in known]:
            del deleted[number]
    t.require(not wrong, f"rows taken for deleted ones: {sorted(wrong)}")
    t.judge(items.rows, must="right", allow="came twice|total of")
    if t.verdict == "RIGHT":
        counts = ", ".join(f"{waits.count(each)} after {each}" for each in sorted(set(waits)))
        t.note = f"wrongly gone: 0; rows gone: {counts} runs"
