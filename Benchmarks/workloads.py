"""The workloads, their names in the C meter, and their targets."""

import dataclasses

STORAGES = ("sqlite", "lmdb", "flatfile")


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    # The compared figure, in seconds or microseconds; smaller is better.
    figure: str
    # The workload of the C meter, or None.
    meter: str | None
    # The highest acceptable ratio to the bare engine for sqlite, lmdb and flatfile, or None.
    targets: tuple = (None, None, None)
    # Whether the target is in microseconds instead.
    is_absolute: bool = False

    @property
    def makes_records(self):
        return self.name.endswith(".record")

    def target(self, storage):
        return self.targets[STORAGES.index(storage)]

    @property
    def unit(self):
        return "s" if self.figure == "secs" else "us"


_LOAD = (1 / 0.7,) * 3
_GET = (1.2, 1.3, 1.6)
_LOGIN = (1.25, 1.4, 1.6)
_PAGE = (1.25, 1.2, 1.5)
_PAGE_RECORDS = (1.2, 1.5, 1.5)
_WALK = (1.3,) * 3

WORKLOADS = {
    workload.name: workload
    for workload in (
        Workload("load", "secs", "load", _LOAD),
        Workload("load.index-last", "secs", "load", _LOAD),
        Workload("open", "p50_us", "open.warm", (600, 200, 50_000), is_absolute=True),
        Workload("get.id", "p50_us", "get.id", _GET),
        Workload("get.id.record", "p50_us", None, _GET),
        Workload("get.login", "p50_us", "get.login", _LOGIN),
        Workload("get.login.record", "p50_us", None, _LOGIN),
        Workload("page.20", "p50_us", "page.20", _PAGE),
        Workload("page.20.record", "p50_us", None, _PAGE_RECORDS),
        Workload("page.back.20", "p50_us", "page.back.20", _PAGE),
        Workload("page.back.20.record", "p50_us", None, _PAGE_RECORDS),
        Workload("page.100", "p50_us", "page.100", _PAGE),
        Workload("page.100.record", "p50_us", None, _PAGE_RECORDS),
        Workload("prefix.20", "p50_us", "prefix.20", _WALK),
        Workload("prefix.20.record", "p50_us", None, _PAGE_RECORDS),
        Workload("scan", "secs", "scan", _WALK),
        Workload("mixed.1", "us_each", "mixed.1", (1.25,) * 3),
        Workload("toggle", "p50_us", "toggle", (1.15,) * 3),
        Workload("save.20", "p50_us", "upsert.20", (1.2,) * 3),
    )
}


def selected(names, refuse):
    """Returns the workloads with these names, in the order of execution; all when there are no names."""
    for name in names:
        if name not in WORKLOADS:
            refuse(f'unknown workload "{name}"; known: {", ".join(WORKLOADS)}')
    return [workload for workload in WORKLOADS.values() if not names or workload.name in names]
