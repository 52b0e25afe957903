"""Recorded exchanges of HAR files as a server on loopback, for scripts that compare Patchbay with the API itself."""

import glob
import json
import os
from urllib.parse import parse_qsl, urlsplit

import serving

# Parameters that choose the size, order and selection of a page. The recordings have one of each list.
FREE = {"per_page", "state", "sort", "direction"}


def key(address):
    """The path of an address and the parameters that name its content; the first page has none."""
    parts = urlsplit(address)
    pairs = [(name, value) for name, value in parse_qsl(parts.query) if name not in FREE and (name, value) != ("page", "1")]
    return parts.path, tuple(sorted(pairs))


def next_page(answer):
    """The address of the page after an answer, without the server; None at the end."""
    for part in (answer["link"] or "").split(", <"):
        address, _, relation = part.partition(">; rel=")
        if relation == '"next"':
            return address.lstrip("<").replace(answer["host"], "")
    return None


class Recorded:
    """The newest successful answer at each address of an API.

    A list ends where its recording does; the links of those in `broken` lead on to pages that are not there.
    """

    def __init__(self, *paths, broken=frozenset()):
        self.answers = {}
        for path in paths:
            for file in sorted(glob.glob(os.path.join(path, "*.har"))) if os.path.isdir(path) else [path]:
                with open(file, encoding="utf-8") as text:
                    for entry in json.load(text)["log"]["entries"]:
                        self.add(entry)
        for (path, _), answer in self.answers.items():
            if path not in broken and (following := next_page(answer)) and key(following) not in self.answers:
                answer["link"] = None

    def add(self, entry):
        request, response = entry["request"], entry["response"]
        address = urlsplit(request["url"])
        if request["method"] != "GET" or response["status"] != 200 or not address.netloc.startswith("api.github."):
            return
        content = response["content"]
        if content.get("encoding") or not content.get("text"):
            return
        time = entry["startedDateTime"]
        place = key(request["url"])
        if place in self.answers and self.answers[place]["time"] > time:
            return
        fields = {field["name"].lower(): field["value"] for field in response["headers"]}
        self.answers[place] = {"time": time, "host": f"https://{address.netloc}", "text": content["text"],
                               "link": fields.get("link"), "etag": fields.get("etag")}

    def handler(self):
        """A handler for `serving.upstream`, whose `count()` returns answers by status."""
        answers = self.answers

        class Answers(serving.Handler):
            def do_GET(self):
                with self.server.lock:
                    answer = answers.get(key(self.path))
                    status = 200 if answer else 404
                    self.server.counts[status] = self.server.counts.get(status, 0) + 1
                if not answer:
                    return self.reply(b'{"message": "Not Found"}', {"Content-Type": "application/json"}, 404)
                here = "http://" + self.headers["Host"]
                fields = {"Content-Type": "application/json; charset=utf-8"}
                if answer["link"]:
                    fields["Link"] = answer["link"].replace(answer["host"], here)
                self.reply(answer["text"].replace(answer["host"], here).encode(), fields)

        return Answers


class API:
    """Asks the recorded API as a program without Patchbay does, and counts requests and bytes."""

    def __init__(self, recorded):
        self.recorded, self.requests, self.bytes = recorded, 0, 0

    def get(self, path):
        """Returns the content at a path; None if there is none."""
        return self.page(path)[0]

    def page(self, path):
        self.requests += 1
        answer = self.recorded.answers.get(key(path))
        if not answer:
            return None, None
        self.bytes += len(answer["text"].encode())
        return json.loads(answer["text"]), next_page(answer)

    def list(self, path):
        """Returns the rows of all pages, and whether the last one was reached."""
        rows = []
        while path:
            page, path = self.page(path)
            if page is None:
                return rows, False
            rows += page
        return rows, True
