"""Lists with known content, in pages of every kind that a definition knows, and their definitions."""

import base64
import hashlib
import json

from world import Answer, conditional

POSITIONAL = ("page", "offset", "link", "url", "cursor")
STYLES = POSITIONAL + ("key",)


def row(number, **more):
    return {"id": number, "name": f"n{number}", **more}


def rows(count, **more):
    return [row(number, **more) for number in range(1, count + 1)]


class PagedList:
    """Rows that a scenario changes, in pages of `size`."""

    def __init__(self, style, content, size=10, path="/items", tags=None, extra=None, fields=None, where=None):
        self.style, self.rows, self.size, self.path, self.tags = style, content, size, path, tags
        self.extra, self.fields, self.where = extra, fields, where

    def __call__(self, request):
        if not request.path == self.path:
            return self.detail(request)
        content = self.rows if self.where is None else self.where(self.rows, request)
        start = self.start(request, content)
        part = content[start:start + self.size]
        has_more = start + self.size < len(content)
        body, fields = {"data": part}, []
        if self.style == "link" and has_more:
            fields.append(("Link", f'<{self.address(request, page=start // self.size + 2)}>; rel="next"'))
        if self.style == "url":
            body["next"] = self.address(request, page=start // self.size + 2) if has_more else None
        if self.style == "cursor":
            word = base64.b64encode(f"at {start + self.size}".encode()).decode()
            body["next_cursor"] = word if has_more else None
        body.update(self.extra(content, start, has_more) if self.extra else {})
        fields += self.fields(request) if self.fields else []
        answer = Answer(body, fields=fields)
        if not self.tags:
            return answer
        digest = hashlib.sha256(answer.body + request.target.encode()).hexdigest()[:12]
        return conditional(answer, request, f'"{digest}"' if self.tags == "strong" else f'W/"{digest}"')

    def detail(self, request):
        """Returns one row at its own address."""
        word = request.path.removeprefix(self.path + "/")
        found = [each for each in self.rows if str(each.get("id")) == word]
        return Answer(found[0]) if found else Answer({"message": "Not Found"}, 404)

    def start(self, request, content):
        if self.style == "offset":
            return request.integer("offset", 0)
        if self.style == "key":
            after = request.integer("after", 0)
            return sum(1 for each in content if each["id"] <= after)
        if self.style == "cursor" and "cursor" in request.query:
            return int(base64.b64decode(request.query["cursor"]).decode().split()[1])
        return (request.integer("page", 1) - 1) * self.size

    def address(self, request, **more):
        query = {**request.query, **{name: str(value) for name, value in more.items()}}
        return request.host + self.path + "?" + "&".join(f"{name}={value}" for name, value in query.items())

    # What happens to the rows.

    def delete(self, *numbers):
        self.rows[:] = [each for each in self.rows if each["id"] not in numbers]

    def insert(self, number, at=0, **more):
        self.rows.insert(at, row(number, **more))

    def change(self, number, **more):
        for each in self.rows:
            if each["id"] == number:
                each.update({"name": each["name"] + "+", **more})

    def copy(self):
        return json.loads(json.dumps(self.rows))


NEXT = {
    "page": "page page", "offset": "offset offset", "link": "link", "url": "url next",
    "cursor": "cursor cursor next_cursor", "key": "last after id", "none": "none", None: None,
}


def definition(address, style=None, *lines, path="/items", key="id", fields=("id = integer", "name = text"),
               auth=None):
    """Returns the definition of the resource `items`; `style` is nil for no line about paging."""
    text = ["api = torture", f"base-url = {address}"]
    if auth:
        text.append(f"auth = {auth}")
    text += [f"items.path = {path}", "items.rows = data", f"items.key = {key}"]
    text += [f"items.field.{field}" for field in fields]
    if NEXT[style]:
        text.append(f"items.next = {NEXT[style]}")
    return "\n".join([*text, *lines]) + "\n"
