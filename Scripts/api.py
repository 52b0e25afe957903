#!/usr/bin/env python3
"""Maintains Docs/API, the lists of everything public, and finds changes that break programs.

    python3 Scripts/api.py --write          # writes the lists, from the modules of the build for tests
    python3 Scripts/api.py [--since TAG]    # checks the lists, and their changes since a tag (default: the last one)

There is a list for each audience: for programs that use a gateway, for rows and storages, and for what sends and
answers requests. A declaration is in the list that names its type below; otherwise in the first list that names a type
which it mentions, unless programs only pass values of that type from one call to another; otherwise in Use.txt. Each
list has a budget of lines, so the API grows only by a change of this file.

Programs that use Patchbay break when a declaration is removed or changed, and when a protocol gains a requirement or
an enumeration a case. Each such change must be named in the section "Unreleased" of CHANGELOG.md, as `Type.member`. If
there is no tag yet, nothing is compared.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "Docs" / "API"
# For each list: its budget of declarations, what it is for, and its types.
LISTS = {
    "Storage": (
        360,
        "for programs that keep rows of their own, and for authors of storages",
        """
        Storage StorageReader StorageWriter StorageOpening StorageFeatures StorageIdentity StoragePlace StorageFault
        StorageDescription Durability Migration BlockingExecutor MemoryStorage StorageConformance Promise
        Schema CollectionSchema Field FieldSet FieldType Index Query Bounds KeyRange Step
        RowView RowBuilder RowColumn ColumnValue Optional StoredRecord Store Reading Writing Verification
        """,
    ),
    "Source": (
        205,
        "for authors of sources, networkings and servings",
        """
        Source SourceAPI SourceContext ConfiguredSource PictureSource ResourceFeed RESTHooks RESTAnswer
        ListQuestion ItemRequest ItemPage ItemBuilder Fetched Validator VoidCursor
        FeedConformance FeedPromise SourceFeatures
        Networking Response PercentEncoding Serving Responder ServerRequest ServerReply ServerResponse
        """,
    ),
    "Use": (1_037, "for programs that use a gateway, and for all kinds of plugins", ""),
}
TYPES = {each: name for name, (_, _, types) in LISTS.items() for each in types.split()}
# Types whose values programs pass from one call to another.
PASSED_ON = {
    *("Storage", "Store", "Schema", "Source", "SourceAPI", "ConfiguredSource"),
    *("Networking", "Serving", "Responder"),
}
# Conformances that the compiler adds.
IMPLIED = {"Swift.SendableMetatype", "Swift.Copyable", "Swift.Escapable", "Swift.BitwiseCopyable"}
# Conformances that another one contains.
CONTAINED = {
    "Swift.Hashable": {"Swift.Equatable"},
    "Swift.Comparable": {"Swift.Equatable"},
    "Swift.Error": {"Swift.Sendable"},
    "Swift.LosslessStringConvertible": {"Swift.CustomStringConvertible"},
    "Swift.OptionSet": {
        "Swift.Equatable",
        "Swift.ExpressibleByArrayLiteral",
        "Swift.RawRepresentable",
        "Swift.SetAlgebra",
    },
    "Swift.ExpressibleByStringLiteral": {
        "Swift.ExpressibleByExtendedGraphemeClusterLiteral",
        "Swift.ExpressibleByUnicodeScalarLiteral",
    },
    "_Concurrency.Actor": {"Swift.Sendable"},
    "_Concurrency.SerialExecutor": {"Swift.Sendable", "_Concurrency.Executor"},
}
# Members that are part of Equatable, Comparable or Hashable, whether the compiler writes them or not.
COMPARING = {"==(_:_:)", "<(_:_:)", "hash(into:)"}
HEAD = "# Public declarations {purpose}; at most {budget}.\n# A line each: module, kind, name, form. Written by `make api`.\n"


def graphs(folder):
    subprocess.run([ROOT / "Scripts" / "symbol-graphs.sh", folder], check=True, cwd=ROOT)
    for path in sorted(pathlib.Path(folder).glob("*/*.symbols.json")):
        yield path.parent.name, json.loads(path.read_text())


def declaration(symbol):
    form = "".join(piece["spelling"] for piece in symbol["declarationFragments"])
    return re.sub(r"\s+", " ", form)


def lines_of(module, graph):
    required = {edge["source"] for edge in graph["relationships"] if edge["kind"] == "requirementOf"}
    names = {symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"]) for symbol in graph["symbols"]}

    def owner(identifier):
        return names.get(identifier, "").rpartition(".")[0]

    # A default in a refined protocol is not a default for every conforming type.
    default = {
        edge["target"]
        for edge in graph["relationships"]
        if edge["kind"] == "defaultImplementationOf" and owner(edge["source"]) == owner(edge["target"])
    }
    for symbol in graph["symbols"]:
        if symbol["pathComponents"][-1] in COMPARING:
            continue
        kind = symbol["kind"]["identifier"].removeprefix("swift.")
        identifier = symbol["identifier"]["precise"]
        if identifier in required and identifier not in default:
            kind = "requirement"
        yield f"{module}\t{kind}\t{'.'.join(symbol['pathComponents'])}\t{declaration(symbol)}"
    conformances = collections.defaultdict(set)
    for edge in graph["relationships"]:
        if edge["kind"] == "conformsTo" and edge["source"] in names:
            conformances[names[edge["source"]]].add(names.get(edge["target"], edge.get("targetFallback", "")))
    for name, protocols in conformances.items():
        for protocol in protocols - IMPLIED - set().union(*(CONTAINED.get(each, set()) for each in protocols)):
            yield f"{module}\tconformance\t{name}\t{name}: {protocol}"


def list_of(line):
    """Returns the name of the list that a declaration belongs to."""
    _, kind, name, form = line.split("\t")
    owner = re.match(r"\w+", name).group()
    if owner in TYPES:
        return TYPES[owner]
    # A nested type may have the name of another type.
    mentioned = set() if kind in ("class", "enum", "struct") else set(re.findall(r"(?<![.\w])[A-Z]\w*", form))
    lists = {TYPES[each] for each in mentioned & TYPES.keys() - PASSED_ON}
    return next((name for name in LISTS if name in lists), "Use")


def public_api():
    """Returns the text of each list by its path."""
    with tempfile.TemporaryDirectory() as folder:
        lines = {line for module, graph in graphs(folder) for line in lines_of(module, graph)}
    unknown = TYPES.keys() - {line.split("\t")[2] for line in lines} - {"Optional"}
    if unknown:
        sys.exit(f"Scripts/api.py names types that are not public: {', '.join(sorted(unknown))}")
    texts = {}
    for name, (budget, purpose, _) in LISTS.items():
        own = sorted(line for line in lines if list_of(line) == name)
        if len(own) > budget:
            sys.exit(
                f"Docs/API/{name}.txt would have {len(own)} declarations, and {budget} are allowed; make some "
                "`package`, or raise the budget in Scripts/api.py and give the reason in the commit"
            )
        head = HEAD.format(purpose=purpose, budget=f"{budget:,}")
        texts[FOLDER / f"{name}.txt"] = head + "".join(line + "\n" for line in own)
    return texts


def entries(text):
    return {tuple(line.split("\t")) for line in text.splitlines() if not line.startswith("#")}


def breaks(old, new):
    """Returns the differences that may break a program written for the old list."""
    gone = [entry for entry in old - new if (entry[0], "requirement", *entry[2:]) not in new]
    known = {entry[:3] for entry in old}
    owners = {entry[2] for entry in old}
    gained = [
        entry
        for entry in new - old
        if entry[1] in ("requirement", "enum.case")
        and entry[:3] not in known
        and entry[2].rpartition(".")[0] in owners
    ]
    return sorted(gone, key=str) + sorted(gained, key=str)


def unreleased():
    text = (ROOT / "CHANGELOG.md").read_text()
    part = re.search(r"^## Unreleased\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    return part.group(1) if part else ""


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)


def check(tag):
    texts = public_api()
    if any(not path.exists() or path.read_text() != text for path, text in texts.items()):
        sys.exit("Docs/API is out of date; run `make api` and review the changes")
    new = "".join(texts.values())
    tag = tag or git("describe", "--tags", "--abbrev=0").stdout.strip()
    if not tag:
        print("Docs/API is up to date; there is no tag yet to compare it with")
        return
    # A declaration may move to another list.
    old = "".join(git("show", f"{tag}:{path.relative_to(ROOT)}").stdout for path in texts)
    if not old:
        print(f"Docs/API is up to date; {tag} does not contain it, so nothing is compared")
        return
    told = unreleased()
    found = breaks(entries(old), entries(new))
    untold = [entry for entry in found if f"`{entry[2]}`" not in told]
    for module, kind, name, form in untold:
        is_new = (module, kind, name, form) in entries(new)
        print(f"{module}: {'gained' if is_new else 'lost'} {kind} {name}\n    {form}", file=sys.stderr)
    if untold:
        sys.exit(
            f"{len(untold)} declarations differ from {tag} in a way that breaks programs; undo the changes, or name "
            "each as `Type.member` in the section Unreleased of CHANGELOG.md"
        )
    print(f"nothing is broken since {tag}" + (f" except {len(found)} changes named in CHANGELOG.md" if found else ""))


def main():
    parser = argparse.ArgumentParser(description="Maintains the lists of everything public.")
    parser.add_argument("--write", action="store_true", help="write Docs/API")
    parser.add_argument("--since", metavar="TAG", help="compare with this tag instead of the last one")
    arguments = parser.parse_args()
    if arguments.write:
        FOLDER.mkdir(exist_ok=True)
        for path, text in public_api().items():
            path.write_text(text)
    else:
        check(arguments.since)


if __name__ == "__main__":
    main()
