"""Children: lists that belong to rows of another list."""

from lists import row
from trial import scenario
from world import Answer

HOUR = 3600


class Shops:
    """Parents with children: `/shops`, `/shops/ID/items`; `changed` of a parent says when its items changed."""

    def __init__(self, t, count=3, size=4, unique=True):
        self.clock, self.unique = t.clock, unique
        self.shops = {number: f"shop{number}" for number in range(1, count + 1)}
        self.changed = dict.fromkeys(self.shops, t.clock.seconds - 10 * 86400)
        self.items = {number: [self.item(number, place) for place in range(1, size + 1)] for number in self.shops}
        self.refused = {}

    def item(self, shop, place):
        number = shop * 100 + place if self.unique else place
        return {**row(number), "name": f"n{shop}-{place}", "at": self.clock.seconds - 86400 + place}

    def __call__(self, request):
        parts = request.path.strip("/").split("/")
        if len(parts) == 1:
            shops = [{"id": number, "slug": slug, "changed": self.moment(self.changed[number])}
                     for number, slug in self.shops.items()]
            return Answer({"data": shops})
        found = [number for number, slug in self.shops.items() if parts[1] in (slug, str(number))]
        if not found:
            return Answer({"message": "Not Found"}, 404)
        if found[0] in self.refused:
            return self.refused[found[0]]
        since = request.query.get("since")
        rows = [{"id": each["id"], "name": each["name"], "changed": self.moment(each["at"])}
                for each in self.items[found[0]] if not since or self.moment(each["at"]) >= since]
        return Answer({"data": rows})

    def moment(self, seconds):
        return self.clock.text(seconds - self.clock.seconds)

    def change(self, shop, place, seconds=0):
        each = self.items[shop][place - 1]
        each["name"] += "+"
        each["at"] = self.changed[shop] = self.clock.seconds + seconds

    def truth(self, shop):
        return [{"id": each["id"], "name": each["name"]} for each in self.items[shop]]


def start(t, *lines, key="id", path="/shops/{shops.id}/items", handle="slug", **options):
    shops = Shops(t, **options)
    t.define("\n".join([
        "api = torture", f"base-url = {t.serve(shops)}",
        "shops.path = /shops", "shops.rows = data", "shops.key = id", f"shops.handle = {handle}",
        "shops.field.id = integer", "shops.field.slug = text", "shops.field.changed = time",
        f"items.path = {path}", "items.rows = data", f"items.key = {key}",
        "items.field.id = integer", "items.field.name = text", "items.field.changed = time",
        "items.field.shop-id = integer {shops.id}", "items.within = shop-id", *lines]) + "\n")
    return shops


def both(t, *arguments):
    t.sync("shops", *arguments)
    return t.sync("items", *arguments)


def judge(t, shops, **options):
    for number, slug in shops.shops.items():
        t.judge(shops.truth(number), slug, **options)


@scenario
def whole(t):
    shops = start(t, "items.key-scope = api")
    for _ in range(2):
        both(t)
        judge(t, shops, must="right")


@scenario
def key_of_parent_and_row(t):
    """Ids are unique in a shop only; the key contains the shop."""
    shops = start(t, key="shop-id id", unique=False)
    both(t)
    judge(t, shops, must="right")


@scenario
def key_unique_per_parent_only(t):
    """Ids are unique in a shop only, and the key does not contain the shop: rows of one overwrite another's."""
    shops = start(t, unique=False)
    both(t)
    judge(t, shops, must="told")


@scenario
def mark_of_each_parent(t):
    """The newest time of one parent is not the mark of another."""
    shops = start(t, "items.since = since changed", key="shop-id id")
    both(t)
    t.clock.pass_by(10 * HOUR)
    shops.change(1, 1)
    both(t)
    judge(t, shops, must="right")
    shops.change(2, 1, -5 * HOUR)
    both(t)
    judge(t, shops, must="right")
    shops.change(3, 2, -9 * HOUR)
    shops.change(1, 2)
    both(t)
    judge(t, shops, must="right")


@scenario(each=["same", "ahead", "behind"])
def changed(t, way):
    """A list is requested again if its parent reports a change, whatever our clock says."""
    t.clock.pass_by({"same": 0, "ahead": 3 * HOUR, "behind": -3 * HOUR}[way])
    shops = start(t, "items.changed = {shops.changed}", key="shop-id id")
    both(t)
    judge(t, shops, must="right")
    t.clock.pass_by(HOUR)
    shops.change(2, 1)
    t.clock.pass_by(60)
    both(t)
    judge(t, shops, must="right")
    t.clock.pass_by(HOUR)
    run = both(t)
    t.clock.pass_by(HOUR)
    run = both(t)
    t.require(len(run.requests) == 0, f"{len(run.requests)} requests for lists without changes", "TOLD-NEEDLESSLY")
    judge(t, shops, must="right")


@scenario
def changed_while_reading(t):
    """A parent's list changes after it was read, in the same run, before the parent is read again."""
    shops = start(t, "items.changed = {shops.changed}", key="shop-id id")
    t.sync("shops")
    t.at(2, lambda: shops.change(1, 1))
    t.sync("items")
    t.clock.pass_by(HOUR)
    both(t)
    judge(t, shops, must="right")


@scenario
def parent_deleted(t):
    """A parent is deleted; its list is a 404. The other lists are right."""
    shops = start(t, key="shop-id id")
    both(t)
    del shops.shops[2]
    shops.change(3, 1)
    for _ in range(3):
        both(t)
    judge(t, shops, allow="skipped|shop2")


@scenario
def parent_deleted_during_sync(t):
    shops = start(t, key="shop-id id")
    t.sync("shops")
    t.at(2, lambda: shops.shops.pop(2))
    t.sync("items")
    judge(t, shops, allow="skipped|shop2")


@scenario
def parent_renamed(t):
    """A parent gets another name, by which its list is requested. Its rows stay."""
    shops = start(t, key="shop-id id", path="/shops/{shops.slug}/items")
    both(t)
    shops.shops[2] = "renamed"
    shops.change(2, 1)
    both(t)
    judge(t, shops, must="right")


@scenario
def names_exchanged(t):
    """Two parents exchange their names."""
    shops = start(t, key="shop-id id", path="/shops/{shops.slug}/items")
    both(t)
    shops.shops[1], shops.shops[2] = "shop2", "shop1"
    for _ in range(2):
        both(t)
    judge(t, shops, must="right")


@scenario
def new_parent_during_sync(t):
    shops = start(t, key="shop-id id")
    t.sync("shops")

    def add():
        shops.shops[4], shops.changed[4] = "shop4", t.clock.seconds
        shops.items[4] = [shops.item(4, 1)]
    t.at(2, add)
    t.sync("items")
    both(t)
    judge(t, shops, must="right")


@scenario
def one_list_fails(t):
    """The list of one parent is a 500. The others are complete, and the status says that one is not."""
    shops = start(t, key="shop-id id")
    t.sync("shops")
    shops.refused[2] = Answer({"message": "oops"}, 500)
    t.sync("items")
    for number in (1, 3):
        t.judge(shops.truth(number), f"shop{number}", must="told")
    t.judge(shops.truth(2), "shop2")
    shops.refused.clear()
    t.sync("items")
    judge(t, shops, must="right")


@scenario
def one_list_refused(t):
    """The list of one parent is a 404 once. Its rows stay, and come back."""
    shops = start(t, key="shop-id id")
    both(t)
    shops.refused[2] = Answer({"message": "Not Found"}, 404)
    for _ in range(2):
        both(t)
    judge(t, shops, allow="skipped|shop2")
    shops.refused.clear()
    both(t)
    judge(t, shops, must="right")


@scenario
def row_moves_to_another_parent(t):
    """A row with an id of its own moves from one parent to another."""
    shops = start(t, "items.key-scope = api")
    both(t)
    moved = shops.items[1].pop(0)
    shops.items[3].append(moved)
    for _ in range(2):
        both(t)
    judge(t, shops, must="right", allow="")


@scenario
def deletion_in_one_list(t):
    shops = start(t, key="shop-id id")
    both(t)
    shops.items[2].pop(1)
    for _ in range(2):
        both(t)
    judge(t, shops, must="right")


@scenario
def killed_between_lists(t):
    """Killed at each list; the next sync completes the rest."""
    shops = start(t, key="shop-id id", count=5)
    t.sync("shops")
    for number in (1, 2, 3):
        t.kill_at(number)
        t.sync("items")
    t.sync("items")
    judge(t, shops, must="right")


SITES = """api = torture
base-url = %s
items.path = /sites/{site}/items
items.rows = data
items.key = %s
items.field.id = integer
items.field.name = text
"""


def site(request):
    name = request.path.split("/")[2]
    return {"data": [{"id": number, "name": f"{name}{number}"} for number in (1, 2, 3)]}


def site_truth(name):
    return [{"id": number, "name": f"{name}{number}"} for number in (1, 2, 3)]


@scenario
def argument_not_in_key(t):
    """Lists by an argument, with the same ids: rows of one overwrite another's."""
    t.define(SITES % (t.serve(site), "id"))
    for name in ("a", "b"):
        t.sync("items", name)
        t.judge(site_truth(name), name, must="told" if name == "b" else "either", allow="")


@scenario
def argument_in_key(t):
    """The argument is a field and part of the key."""
    t.define(SITES % (t.serve(site), "site id") + "items.field.site = text {site}\n")
    for name in ("a", "b"):
        t.sync("items", name)
    for name in ("a", "b"):
        t.judge(site_truth(name), name, must="right")
