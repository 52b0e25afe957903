#!/usr/bin/env python3
"""Syncs unedited drafts with mock servers made from the same descriptions, and reports which rows arrive.

    Scripts/draft-mocks.py PATCHBAY FOLDER [--list FILE] [--only WORD] [--rows] [--seconds N] [--page N]

FOLDER and the list are those of draft-corpus.py (here draft-mocks.txt). A mock has three pages of rows for each list
that takes a parameter for pages, or whose answers are described with a Link header, the address of the next page, a
cursor (also in a header that the words of its parameter name), or whether there is more; the last page has one row.
Other lists have one page. A page has as many rows as a request asks for, up to --page (250), or two. Lists that belong
to the third and further rows of another list have one row.

A mock takes the parameters that are described, and no others, except one that has the value of a cursor that it has
sent, because some descriptions leave that parameter out. It fills in every member of an answer that is described and
concerns pages. Lists that only say that there is more cannot be complete; their losses must be loud.

A list is complete if all of its rows are stored and the sync says so; a loss is loud if the sync does not, and silent
if it does. The exit status is 1 after a silent one. "told by answers" counts the complete lists that have no parameter
for pages. Lists for which the seconds of a description do not suffice are counted as not run. Needs PyYAML for
descriptions in YAML.
"""

import argparse
import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

SIZE, SIZE_USUAL, SIZE_MAX = 2, 100, 250
SECONDS = 60
# Numbers of the addresses of lists, so that their rows differ.
OWNERS = {}
LIMITS = {
    "limit",
    "perpage",
    "pagesize",
    "maxresults",
    "first",
    "top",
    "count",
    "size",
    "pagelen",
    "max",
    "resultsperpage",
    "itemsperpage",
    "numperpage",
    "pagelimit",
    "maxitems",
    "rows",
    "num",
}
PAGES = {"page", "pagenumber", "pageno", "pageindex", "p", "pagenum", "currentpage"}
OFFSETS = {"offset", "skip", "skipcount", "start", "startindex", "startat", "pageoffset", "from", "firstresult"}
CURSORS = {
    "cursor",
    "after",
    "startingafter",
    "pagetoken",
    "nextpagetoken",
    "nexttoken",
    "next",
    "pagecursor",
    "pageafter",
    "marker",
    "continuationtoken",
    "nextcursor",
    "pagestart",
    "startcursor",
    "nextmarker",
    "aftercursor",
    "bookmark",
}
TOTALS = {
    "total",
    "totalcount",
    "totalresults",
    "totalitems",
    "totalrecords",
    "totalrows",
    "totalelements",
    "totalsize",
}
MORE = {
    "hasmore",
    "more",
    "hasmorepages",
    "hasmoreresults",
    "hasnext",
    "hasnextpage",
    "hasmoreitems",
    "moreitems",
    "istruncated",
    "moreresults",
    "nextpage",
}
# What follows "next" in the name of a member that names the next page.
NEXTS = {"", "page", "link", "url", "uri", "href", "pageurl", "pagelink", "pageuri", "pagehref", "results", "offset"}
# The parameter in addresses of next pages of lists without a described one.
PLACE = "mock-place"
LAST = {"islast", "islastpage", "lastpage", "done", "last", "isfinished"}
ROW_NAMES = ["data", "items", "results", "values", "records", "entries", "elements", "resources", "list", "rows"]


def folded(name):
    return re.sub(r"[^a-z0-9]", "", name.lower())


def shaped(example):
    """Returns the schema that an example suggests; an empty one for a value that is no example."""
    if isinstance(example, dict):
        return {"type": "object", "properties": {name: shaped(value) for name, value in example.items()}}
    if isinstance(example, list):
        return {"type": "array", "items": shaped(example[0]) if example else {}}
    if example is None:
        return {}
    kinds = {bool: "boolean", int: "integer", float: "number"}
    return {"type": kinds.get(type(example), "string"), "example": example}


class Description:
    def __init__(self, file):
        text = file.read_text("utf-8", "replace")
        if text.lstrip()[:1] == "{":
            self.root = json.loads(text)
        else:
            import yaml

            loader = type("Loader", (getattr(yaml, "CSafeLoader", yaml.SafeLoader),), {})
            loader.add_constructor("tag:yaml.org,2002:timestamp", lambda loader, node: node.value)
            self.root = yaml.load(text, loader)
        self.file, self.schemas = file, {}

    def found(self, value, file=None):
        """Returns the value that a reference names, and the file that it is in."""
        for _ in range(20):
            if not isinstance(value, dict) or not isinstance(value.get("$ref"), str):
                break
            name, _, pointer = value["$ref"].partition("#")
            if name:
                return {}
            value = self.root
            for part in filter(None, pointer.split("/")):
                part = urllib.parse.unquote(part).replace("~1", "/").replace("~0", "~")
                value = value[int(part)] if isinstance(value, list) else value.get(part, {})
        return value if isinstance(value, dict) else {}

    def schema(self, value, depth=0):
        """Returns a schema with the properties of its parts."""
        known = self.schemas.get((id(value), depth))
        if known is None:
            # The value is kept, because another one may get the number of one that is gone.
            known = self.schemas[(id(value), depth)] = (value, self.joined(value, depth))
        return known[1]

    def joined(self, value, depth):
        value = dict(self.found(value))
        properties = dict(value.get("properties") or {})
        for key in ("allOf", "oneOf", "anyOf"):
            parts = [part for part in value.get(key) or [] if self.found(part).get("type") != "null"]
            for part in parts if key == "allOf" else parts[:1]:
                if depth < 8:
                    part = self.schema(part, depth + 1)
                    properties.update(
                        {name: kept for name, kept in part["properties"].items() if name not in properties}
                    )
                    for name in ("type", "items", "enum", "format", "example", "additionalProperties"):
                        # A part that states no type is read as a text, as is a value without any.
                        if name in part and name not in value and part[name] != "string":
                            value[name] = part[name]
        value["properties"] = properties
        if not properties and value.get("type") in (None, "object", "array") and "items" not in value:
            # A free-form answer may have an example.
            value.update(shaped(value.get("example")))
            properties = value.setdefault("properties", {})
        kinds = value.get("type") or ("object" if properties else "array" if "items" in value else "string")
        kinds = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind != "null"]
        value["type"] = kinds[0] if kinds else "string"
        return value

    def lists(self):
        for path, item in (self.root.get("paths") or {}).items():
            item = self.found(item)
            operation = self.found(item.get("get") or {})
            if not operation or not path.startswith("/"):
                continue
            parameters = [
                self.found(one) for one in (item.get("parameters") or []) + (operation.get("parameters") or [])
            ]
            for status, answer in (operation.get("responses") or {}).items():
                if str(status) not in ("200", "2XX", "201", "202", "default"):
                    continue
                answer = self.found(answer)
                content = answer.get("content") or {}
                usual = next((kept for name, kept in content.items() if name.startswith("application/json")), None)
                media = self.found(usual or next((kept for name, kept in content.items() if "json" in name), {}))
                schema = answer.get("schema") or media.get("schema")
                place = self.rows(schema, path) if schema else None
                if place is None:
                    schema = shaped(self.example(media, answer))
                    place = self.rows(schema, path) if schema else None
                if place is not None:
                    yield List(self, path, parameters, schema, place, answer.get("headers") or {})
                break

    def example(self, media, answer):
        """Returns the example of an answer: that of OpenAPI 3, or that of Swagger 2."""
        named = media.get("examples") or {}
        named = [self.found(one).get("value") for one in named.values()] if isinstance(named, dict) else named
        old = answer.get("examples")
        old = [one for name, one in old.items() if "json" in name] if isinstance(old, dict) else []
        return next((one for one in [media.get("example"), *named, *old] if isinstance(one, (dict, list))), None)

    def rows(self, schema, path):
        """Returns the place of the rows: the array of objects that is named as the address, or the first one."""
        found, queue = [], [((), schema)]
        while queue:
            place, schema = queue.pop(0)
            schema = self.schema(schema)
            if schema["type"] == "array":
                item = self.schema(schema.get("items") or {})
                if item["type"] == "object" and item["properties"]:
                    found.append(place)
            elif len(place) < 2:
                inner = schema["properties"].items()
                queue += [(place + (name,), kept) for name, kept in inner if folded(name) != "errors"]
        if not found:
            return None
        words = [folded(word) for word in path.split("/") if word and "{" not in word]
        named = [place for place in found if place and words and folded(place[-1]) == words[-1]]
        usual = [place for name in ROW_NAMES for place in found if place and place[-1] == name]
        return (named or [place for place in found if not place] or usual or found)[0]


class List:
    sizeUsual, sizeMax = SIZE, SIZE_MAX

    def __init__(self, description, path, parameters, schema, place, headers):
        self.description, self.path, self.schema, self.place = description, path, schema, place
        query = {one.get("name"): one for one in parameters if one.get("in") == "query"}
        self.parameters = query
        self.required = [name for name, one in query.items() if one.get("required") and "default" not in one]
        by = lambda names: next(
            (name for name in query if name and folded(name) in names and not self.isTime(query[name])), None
        )
        self.page, self.offset, self.cursor = by(PAGES), by(OFFSETS), by(CURSORS)
        if self.page and description.schema(query[self.page].get("schema") or query[self.page])["type"] == "string":
            self.cursor, self.page = self.cursor or self.page, None
        if self.offset and not self.isNumber(query[self.offset]):
            self.cursor, self.offset = self.cursor or self.offset, None
        for name in ("offset", "page"):
            if self.cursor is None and getattr(self, name) is None and name in map(folded, query):
                self.cursor = next(one for one in query if folded(one) == name)
        self.limit = by(LIMITS)
        self.ids, self.counts = {}, {}
        self.first = self.firstNumber(query.get(self.page) or {})
        offset = query.get(self.offset) or {}
        self.firstRow = self.firstNumber(offset) if self.saysFirst(offset) else 0
        self.hasLink = any(name.lower() == "link" for name in headers) or any(
            re.search(r"(?i)\blink\b[^.]{0,40}\bheader\b|\bheader\b[^.]{0,40}\blink\b", self.words(query[name]))
            for name in {self.page, self.offset, self.cursor, self.limit} - {None}
        )
        self.header = self.cursorHeader(headers)
        self.issued, self.tells = {}, set()
        self.continues = bool(self.page or self.offset or self.cursor or self.hasLink)
        # Whether only answers show that there are further pages.
        self.isTold = not (self.page or self.offset or self.cursor)
        # An answer with more pages shows what the description says about them.
        known, self.continues, self.size, self.total = self.continues, True, SIZE, 2 * SIZE + 1
        self.state = dict(start=0, more=True, count=SIZE, address="", query=[], owner="")
        self.filled(self.schema, (), [])
        self.issued, self.continues = {}, known or bool(self.tells)
        if not (self.tells or self.page or self.offset or self.hasLink or self.header):
            # Only the number of its rows shows that a page is not the last one, so it is a usual one.
            self.sizeMax, self.sizeUsual = SIZE_MAX, SIZE_USUAL
        self.isTold = self.isTold and self.continues
        pattern = re.sub(r"\\\{[^/]*?\\\}", "([^/]+)", re.escape(path.rstrip("/")).replace("\\{", "\\{"))
        self.pattern = re.compile(pattern + "/?$")

    def isTime(self, parameter):
        """Whether a parameter is a time rather than a place in the list: `from`, `after`."""
        schema = self.description.schema(parameter.get("schema") or parameter)
        isPlace = re.search(r"cursor|page|paginat", self.words(parameter)) or schema["type"] in ("integer", "number")
        words = re.search(r"\b(dates?|timestamps?|iso.?8601|rfc.?3339)\b", self.words(parameter))
        return str(schema.get("format")).startswith("date") or bool(words and not isPlace)

    def isNumber(self, parameter):
        """Whether a parameter is a number, also one that is described as a text."""
        schema = self.description.schema(parameter.get("schema") or parameter)
        example = schema.get("example", parameter.get("example", schema.get("default", "")))
        return schema["type"] in ("integer", "number") or str(example).isdigit()

    def words(self, parameter):
        schema = self.description.schema(parameter.get("schema") or parameter)
        return str(parameter.get("description") or schema.get("description") or "").lower()

    def cursorHeader(self, headers):
        """Returns the header with the cursor, which is described or named in the words about its parameter."""
        words = self.words(self.parameters[self.cursor]) if self.cursor else ""
        named = re.findall(r"[a-z]\w*(?:-\w+)+", words) if "header" in words else []
        isNext = lambda name: re.search(r"cursor|token", name.lower()) and not re.search(r"prev|before", name.lower())
        return next(filter(isNext, [*headers, *named] if self.cursor else []), None)

    def saysFirst(self, parameter):
        """Whether an offset counts from 1, because that is its default or its description says so."""
        schema = self.description.schema(parameter.get("schema") or parameter)
        return schema.get("default") == 1 or re.search(r"\b(1|one).based|\bfrom 1\b", self.words(parameter))

    def firstNumber(self, parameter):
        schema = self.description.schema(parameter.get("schema") or parameter)
        words = self.words(parameter)
        isZero = (
            schema.get("default") == 0
            or schema.get("minimum") == 0
            or re.search(r"zero.based|starts? (at|from|with) 0", words)
        )
        return 0 if isZero and schema.get("default") != 1 else 1

    def answer(self, owner, query, address):
        """Returns the status, header fields and body for a request."""
        names = [name for name, _ in query]
        known = set(self.parameters) | {name + "[]" for name in self.parameters}
        unknown = [name for name in names if name not in known and name.split("[")[0] not in known]
        isSent = lambda name, value: (owner, value) in self.issued and (name in unknown or re.match(r"t\d", value))
        sent = [name for name, value in query if isSent(name, value)]
        unknown = [name for name in unknown if name not in sent[:1]]
        missing = [name for name in self.required if name not in names and name + "[]" not in names]
        if unknown or missing:
            return 400, {}, {"message": f"unknown {unknown}, missing {missing}"}
        place = next((self.issued[(owner, value)] for name, value in query if name in sent), 0)
        sent, start = dict(query), place
        size = self.sizeUsual
        if self.limit in sent and sent[self.limit].isdigit():
            size = max(1, min(int(sent[self.limit]), self.sizeMax))
        if owner not in self.counts:
            isFull = "{" not in self.path or len(self.counts) < 2
            self.counts[owner] = (2 * size + 1 if self.continues else 5) if isFull else 1
        self.size, self.total = size if self.continues else self.counts[owner], self.counts[owner]
        if self.cursor in sent and sent[self.cursor] not in ("", "*"):
            value = sent[self.cursor]
            last = [row for row in range(self.total) if str(self.identity(owner, row)) == value]
            if re.fullmatch(r"t\d+", value):
                start = int(value[1:])
            elif (owner, value) in self.issued:
                start = self.issued[(owner, value)]
            elif value.isdigit() and not last:
                start = int(value)
            elif last:
                start = last[0] + 1
            else:
                return 400, {}, {"message": f"bad cursor {value}"}
        elif self.page in sent:
            start = (int(sent[self.page]) - self.first) * self.size
        elif self.offset in sent:
            start = int(sent[self.offset]) - self.firstRow
        rows = range(max(0, start), max(0, min(start + self.size, self.total)))
        self.state = dict(
            start=start,
            more=start + self.size < self.total,
            count=len(rows),
            address=address,
            query=[(name, value) for name, value in query if name in known or name.split("[")[0] in known],
            owner=owner,
        )
        more = self.state["more"]
        body = self.filled(self.schema, (), [self.row(owner, row) for row in rows])
        fields = {"Link": f'<{self.next_address()}>; rel="next"'} if self.hasLink and more else {}
        if self.header and more:
            fields[self.header] = self.cursor_sent(f"t{self.state['start'] + self.size}")
        return 200, fields, body

    def next_address(self):
        query = [
            (name, value) for name, value in self.state["query"] if name not in (self.cursor, self.page, self.offset)
        ]
        after = self.state["start"] + self.size
        if self.cursor:
            query.append((self.cursor, f"t{after}"))
        elif self.page:
            query.append((self.page, str(after // self.size + self.first)))
        elif self.offset:
            query.append((self.offset, str(after + self.firstRow)))
        else:
            query.append((PLACE, self.cursor_sent(f"t{after}")))
        return self.state["address"] + "?" + urllib.parse.urlencode(query)

    def cursor_sent(self, value):
        """Notes that the place of the next page was sent as a value."""
        self.issued[(self.state["owner"], str(value))] = self.state["start"] + self.size
        return value

    def isNext(self, word):
        """Whether a member has the name of a cursor or of an address of the next page."""
        rest = word.removeprefix("next") if word.startswith("next") else None
        return word in CURSORS or rest in NEXTS | CURSORS or rest in map(folded, self.parameters)

    def filled(self, schema, place, rows):
        """Returns an answer with rows at their place, and members about pages."""
        if place == self.place:
            return rows
        schema = self.description.schema(schema)
        if schema["type"] == "array":
            return []
        if schema["type"] != "object" or len(place) > 3:
            return None
        values = {}
        for name, kept in schema["properties"].items():
            inner = place + (name,)
            if self.place[: len(inner)] == inner:
                values[name] = self.filled(kept, inner, rows)
            else:
                value = self.paging(name, self.description.schema(kept), place, kept)
                if value is not ...:
                    values[name] = value
        return values

    def paging(self, name, schema, place, kept):
        word, state = folded(name), self.state
        more, kind = state["more"], schema["type"]
        if kind == "object":
            if "next" in word and not more:
                return None
            if word in ("next",) and "href" in schema["properties"]:
                self.tells.add("text")
                return {"href": self.next_address()}
            return self.filled(kept, place + (name,), [])
        if kind == "array":
            return []
        if word.startswith("prev"):
            return ...
        if kind == "boolean":
            if word in MORE and more and self.continues:
                self.tells.add("flag")
            return more if word in MORE else not more if word in LAST else False
        if kind in ("integer", "number"):
            if word in TOTALS:
                return self.total
            if word in ("totalpages", "pages", "pagecount", "numpages", "lastpage"):
                return -(-self.total // self.size)
            if word in ("count", "size", "numberofelements", "resultcount"):
                return state["count"]
            if word in PAGES:
                return state["start"] // self.size + self.first
            if word in OFFSETS:
                return state["start"]
            if word in ("nextpage",):
                if more:
                    self.tells.add("number")
                return self.cursor_sent(state["start"] // self.size + self.first + 1) if more else None
            if word in CURSORS and folded(self.cursor or "next") in CURSORS:
                if more:
                    self.tells.add("number")
                return self.cursor_sent(state["start"] + self.size) if more else None
            if word in ("nextoffset",):
                return state["start"] + self.size + self.firstRow if more else None
            if word in ("perpage", "limit", "pagesize", "maxresults"):
                return self.size
            return 0
        example = str(
            schema.get("example") or (schema.get("examples") or [""])[0]
            if not isinstance(schema.get("examples"), dict)
            else ""
        )
        isAddress = (
            schema.get("format") in ("uri", "url")
            or example.startswith(("http", "/"))
            or word.endswith(("url", "uri", "link", "href"))
        )
        isAddress = isAddress or (place and folded(place[-1]) in ("links", "link") and word == "next")
        isNext = any("next" in folded(one) for one in place)
        if "next" in word or word in CURSORS or isNext:
            if not more or not self.continues:
                return None
            if self.isNext(word) or isNext and word in ("href", "url", "uri", "link"):
                self.tells.add("text")
            if word == "path":
                return urllib.parse.urlsplit(self.next_address())._replace(scheme="", netloc="").geturl()
            rest = word.removeprefix("next")
            isCursor = word in CURSORS - {"next"} or rest in CURSORS or rest in map(folded, self.parameters)
            if isAddress or not self.cursor and not isCursor:
                return self.next_address()
            return self.cursor_sent(f"t{state['start'] + self.size}")
        if word == "endcursor":
            return f"t{state['start'] + state['count']}"
        return example or name

    def identity(self, owner, row):
        return self.ids.get((owner, row))

    def row(self, owner, number):
        schema = self.description.schema(self.schema)
        for name in self.place:
            schema = self.description.schema(schema["properties"][name])
        item = self.description.schema(schema.get("items") or {})
        row = {name: self.value(name, kept, owner, number, 0) for name, kept in item["properties"].items()}
        for name in ("id", "sid", "uuid", "gid", "key"):
            if name in row:
                self.ids[(owner, number)] = row[name]
                break
        return row

    def value(self, name, schema, owner, number, depth):
        schema = self.description.schema(schema)
        kind, word = schema["type"], folded(name)
        unique = (OWNERS.setdefault(owner, len(OWNERS)) + 1) * 1_000 + number
        if schema.get("enum"):
            values = [value for value in schema["enum"] if value is not None] or [None]
            return values[number % len(values)]
        if kind == "object":
            if depth > 2:
                return {}
            return {key: self.value(key, kept, owner, number, depth + 1) for key, kept in schema["properties"].items()}
        if kind == "array":
            return []
        if kind == "boolean":
            return number % 2 == 0
        if kind in ("integer", "number"):
            return unique if word.endswith("id") or word == "number" else number
        form = schema.get("format")
        example = schema.get("example") or next(iter(schema.get("examples") or [""]), "")
        if isinstance(example, str) and re.match(r"\d{4}-\d\d-\d\d|https?://", example):
            return example
        if form == "date-time":
            return f"2024-01-{number % 28 + 1:02}T00:00:00Z"
        if form == "date":
            return f"2024-01-{number % 28 + 1:02}"
        if form == "uuid":
            return f"00000000-0000-4000-8000-{unique:012}"
        if form in ("int64", "int32"):
            return str(unique)
        return f"{name}{unique}"


class Mock:
    def __init__(self, description, base):
        servers = [server.get("url", "") for server in description.root.get("servers") or []]
        servers.append("http://host" + str(description.root.get("basePath") or ""))
        paths = [re.sub(r"^[a-z]+://[^/]*|\{[^}]*\}", "", server).rstrip("/") for server in servers]
        self.bases, self.asked = sorted({base, *paths}, key=len, reverse=True), {}
        self.lists = sorted(description.lists(), key=lambda one: one.path.count("{"))
        # Lists with the same cursor continue in the same way.
        linked = {one.cursor for one in self.lists if one.hasLink} - {None}
        for one in self.lists:
            one.hasLink = one.hasLink or one.cursor in linked
        self.lock = threading.Lock()

    def answer(self, target, host):
        parts = urllib.parse.urlsplit(target)
        query = urllib.parse.parse_qsl(parts.query, keep_blank_values=True)
        paths = [parts.path] + [parts.path[len(base) :] for base in self.bases if parts.path.startswith(base + "/")]
        for path, one in ((path, one) for path in paths for one in self.lists):
            if one.pattern.match(path):
                with self.lock:
                    status, fields, body = one.answer(path, query, f"http://{host}{parts.path}")
                    if status == 200:
                        self.asked.setdefault(one.path, set()).add(path)
                return status, fields, body
        return 404, {}, {"message": "no such address"}

    def count(self, path, owners):
        one = next(one for one in self.lists if one.path == path)
        return sum(one.counts[owner] for owner in owners)

    def told(self, paths):
        """Whether only answers show that one of the lists has further pages."""
        return any(one.isTold for one in self.lists if one.path in paths)

    def serve(self):
        mock = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *words):
                pass

            def do_GET(self):
                status, fields, body = mock.answer(self.path, self.headers.get("Host"))
                data = json.dumps(body).encode()
                self.send_response(status)
                for name, value in {
                    "Content-Type": "application/json",
                    "Content-Length": str(len(data)),
                    **fields,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server


def resources(text):
    """Returns the lists of a draft, parents first: the name, the address, and the parent."""
    pairs = dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line and line[0] != "#")
    # A field may have the name path: NAME.field.path.
    found = {key[:-5]: value for key, value in pairs.items() if key.endswith(".path") and key.count(".") == 1}
    parent = {}
    for name, path in found.items():
        owner = re.search(r"\{([a-z0-9-]+)\.[^}]*\}", path)
        parent[name] = owner and owner.group(1)
    settings = [key[8:] for key in pairs if key.startswith("setting.")]
    words = lambda path: [word for word in re.findall(r"\{([^}.:]+)\}", path) if word not in settings]
    depth = lambda name, left=5: 0 if not parent.get(name) or not left else 1 + depth(parent[name], left - 1)
    taken = [name for name in found if not words(found[name]) and depth(name) <= 1]
    kept = [name for name in taken if not parent[name] or parent[name] in taken]
    return sorted(kept, key=depth), found, parent, settings, pairs.get("base-url", ""), len(found)


def judged(patchbay, file, options):
    description = Description(file)
    draft = subprocess.run([patchbay, "definition", "draft", file], capture_output=True, text=True, timeout=120)
    if draft.returncode:
        return None, draft.stderr.strip()
    names, paths, parent, settings, base, count = resources(draft.stdout)
    folder = re.sub(r"^[a-z]+://[^/]*|\{[^}]*\}", "", base).rstrip("/")
    mock = Mock(description, folder)
    server = mock.serve()
    port = server.server_address[1]
    result = {"lists": count, "without arguments": len(names)}
    result.update({"complete": 0, "of these told by answers": 0, "loud": 0, "silent": 0, "failed": 0, "not run": 0})
    end = time.monotonic() + options.seconds
    lines = []
    with tempfile.TemporaryDirectory() as place:
        conf = pathlib.Path(place, "draft.conf")
        conf.write_text(draft.stdout)
        values = [
            f"source.definition={conf}",
            "storage=sqlite",
            f"storage.path={place}/rows.sqlite",
            f"source.base-url=http://127.0.0.1:{port}{folder}",
        ]
        common = ["--source", "rest"] + [word for value in values for word in ("--set", value)]
        if settings:
            common += ["--set", "source.settings=" + " ".join(f"{name}=x" for name in settings)]

        def run(*words):
            try:
                return subprocess.run([patchbay, *words, *common], capture_output=True, text=True, timeout=SECONDS)
            except subprocess.TimeoutExpired:
                return None

        before = {}
        for name in names:
            if time.monotonic() > end:
                result["not run"] += 1
                continue
            before = {path: set(values) for path, values in mock.asked.items()}
            sync = run("sync", name)
            if sync is None:
                result["failed"] += 1
                lines.append(f"  failed {name}: no end after {SECONDS} s")
                continue
            new = {path: values - before.get(path, set()) for path, values in mock.asked.items()}
            expected = sum(mock.count(path, values) for path, values in new.items())
            counted = run("query", f'SELECT count(*) AS n FROM "{name.replace("-", "_")}"', "--format", "json")
            stored = re.search(r'"n"\s*:\s*(\d+)|\[\s*(\d+)\s*\]', counted.stdout)
            stored = int(next(filter(None, stored.groups()))) if stored else -1
            kind = (
                "complete"
                if sync.returncode == 0 and stored == expected and expected
                else "failed" if not expected else "silent" if sync.returncode == 0 and stored < expected else "loud"
            )
            result[kind] += 1
            if kind == "complete" and mock.told([path for path, values in new.items() if values]):
                result["of these told by answers"] += 1
            if kind != "complete":
                words = " ".join(sync.stderr.split())
                lines.append(f"  {kind} {name}: {stored} of {expected} rows, exit {sync.returncode}: {words[-400:]}")
    server.shutdown()
    return result, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patchbay", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--list", type=pathlib.Path, default=pathlib.Path(__file__).with_suffix(".txt"))
    parser.add_argument("--only", default="", help="only descriptions whose address contains this word")
    parser.add_argument("--rows", action="store_true", help="print a line for each list that is not complete")
    parser.add_argument("--seconds", type=int, default=300, help="the time for one description")
    parser.add_argument("--page", type=int, default=SIZE_MAX, help="the maximum rows of a page; fewer are faster")
    options = parser.parse_args()
    List.sizeMax = options.page
    total = {}
    for line in options.list.read_text().splitlines():
        if not line or line[0] == "#" or options.only not in line:
            continue
        address, path = line.split(" ", 1)
        owner, name = address.rstrip("/").split("/")[-2:]
        file = options.folder / f"{owner}+{name}" / path
        if not file.exists():
            sys.exit(f"{file} is missing; copy {address} there")
        result, lines = judged(options.patchbay.resolve(), file, options)
        if result is None:
            print(f"{owner}/{name} {path}: {lines}", flush=True)
            continue
        print(f"{owner}/{name} {path}: " + ", ".join(f"{key} {value}" for key, value in result.items()), flush=True)
        if options.rows:
            print("\n".join(lines), flush=True)
        for key, value in result.items():
            total[key] = total.get(key, 0) + value
    print(", ".join(f"{key}: {value}" for key, value in total.items()))
    sys.exit(1 if total.get("silent") else 0)


if __name__ == "__main__":
    main()
