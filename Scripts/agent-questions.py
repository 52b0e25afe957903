#!/usr/bin/env python3
"""Answers questions from the tools of `patchbay mcp` alone, and the same questions from the API itself.

    python3 Scripts/agent-questions.py PATCHBAY [--recordings FOLDER]

The API is a server on loopback with recorded answers. Without a folder of recordings it is the bundled one, with a few
questions about made-up people; the 50 questions about organizations need recordings of theirs. A client that knows only
the tools asks what is stored, lets a refresh fetch what never was, and answers; then again after the server has been
stopped, with another process over the same storage. Every answer must be the one that the API gives, or say that rows
may be missing, and have an age.

Prints a table: requests to the API and bytes of their bodies, for each question by itself; then the calls of tools,
the bytes of their texts and the requests that they caused, in the order of the questions; then the same offline.
"""

import argparse
import collections
import dataclasses
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import typing

import recorded
import serving
from verdict import verdict

# How many rows a page may have, if they fit.
ROWS_MAX = 500
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Tools:
    """The tools of `patchbay mcp`, as a client calls them that knows nothing else."""

    def __init__(self, program, home, settings):
        self.process = subprocess.Popen(
            [program, "mcp", *settings], cwd=home, env={"HOME": home, "PATH": os.environ["PATH"]},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.begin()

    def begin(self):
        """Begins to count for a question."""
        self.calls, self.bytes, self.requests, self.reasons, self.ages = 0, 0, 0, [], []

    def call(self, tool, /, **arguments):
        self.number += 1
        self.process.stdin.write(json.dumps({
            "jsonrpc": "2.0", "id": self.number, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}}).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())["result"]
        content = answer["structuredContent"]
        self.calls += 1
        self.bytes += len(answer["content"][0]["text"].encode())
        self.requests += content["requests_sent"]
        if "age_seconds" in content:
            self.ages.append(content["age_seconds"])
        return content

    def needs(self, resource, *of, list=None, details=False):
        """Lets the tools fetch a list whose beginning is not stored, or whose rows lack details."""
        chosen = {"resource": resource, **({"of": [*of]} if of else {}), **({"list": list} if list else {})}
        stored = self.call("rows", **chosen, limit=1)
        lacks = details and not any(row.get("has_detail") for row in stored["rows"])
        if not stored["complete"] or lacks:
            self.call("refresh", **chosen, **({"details": True} if details else {}))

    def pages(self, **arguments):
        """Returns the rows of all pages, each as large as an answer may be."""
        answer = self.call("rows", **arguments, limit=ROWS_MAX)
        rows = answer["rows"]
        while "cursor" in answer:
            answer = self.call("rows", **arguments, limit=ROWS_MAX, cursor=answer["cursor"])
            rows += answer["rows"]
        return rows

    def sql(self, statement, /, **values):
        content = self.call("query", sql=statement, **({"values": values} if values else {}))
        if "rows" not in content:
            raise SystemExit(f"{statement}: {content['message']}")
        if not content["complete"]:
            self.reasons.append(content["reason"])
        return [row[0] if len(row) == 1 else tuple(row) for row in content["rows"]]

    def row(self, resource, handle):
        """Returns a row with its details."""
        answer = self.call("row", resource=resource, handle=handle)
        if not answer.get("complete"):
            fetched = self.call("refresh", resource=resource, row=handle)
            answer = fetched if "row" in fetched else answer
        return answer.get("row")

    def end(self):
        self.process.stdin.close()
        if self.process.wait(20) != 0:
            raise SystemExit(f"patchbay mcp has ended with {self.process.returncode}")


@dataclasses.dataclass
class Question:
    text: str
    api: typing.Callable
    tools: typing.Callable


def of_organization(name, answer):
    """Asks the API for an organization's repositories."""
    return lambda api: answer(api.list(f"/orgs/{name}/repos?per_page=100")[0])


def stored(name, statement):
    """Asks the tools for an organization's repositories, selected by `{repos}`."""
    def ask(tools):
        tools.needs("repos", name, list="org")
        return tools.sql(statement.replace("{repos}", "repos WHERE owner_login = :name"), name=name)
    return ask


def organizations(api):
    return [api.get(f"/orgs/{row['login']}") for row in api.list("/organizations?per_page=100")[0]]


def listed(statement):
    def ask(tools):
        tools.needs("organizations", details=True)
        return tools.sql(statement)
    return ask


def refinery(answer):
    return lambda api: answer(api.list("/repos/refinery/refinerycms/issues?state=all&per_page=100")[0])


def issues(statement):
    def ask(tools):
        tools.needs("issues", "refinery/refinerycms")
        return tools.sql(statement.replace("{issues}", "issues WHERE path LIKE 'refinery/refinerycms/%'"))
    return ask


def counted(values):
    return sorted(collections.Counter(values).items(), key=lambda pair: (-pair[1], pair[0] or ""))


def mocks(api):
    rows = [row for name in ["rspec", "cloudbeers", "rails"] for row in api.list(f"/orgs/{name}/repos")[0]]
    return sorted(row["full_name"] for row in rows if "mock" in (row["description"] or "").lower())


def stored_mocks(tools):
    for name in ["rspec", "cloudbeers", "rails"]:
        tools.needs("repos", name, list="org")
    return tools.sql("SELECT full_name FROM repos WHERE owner_login IN ('rspec', 'cloudbeers', 'rails') "
                     "AND description LIKE '%mock%' ORDER BY 1")


def pulls(tools):
    tools.needs("pulls", "cloudbeers/yolo")
    return tools.sql("SELECT number, user_login FROM pulls WHERE path LIKE 'cloudbeers/yolo/%' AND state = 'open' ORDER BY 1")


def detail(resource, handle, *fields):
    def ask(tools):
        row = tools.row(resource, handle)
        return tuple(row.get(field) for field in fields)
    return ask


# Written before the tools were tried.
ORGANIZATIONS = [
    Question("How many repositories does rspec have?",
             of_organization("rspec", lambda rows: [len(rows)]), stored("rspec", "SELECT count(*) FROM {repos}")),
    Question("Which repository of rspec has the most stars?",
             of_organization("rspec", lambda rows: [max((row["stargazers_count"], row["name"]) for row in rows)]),
             stored("rspec", "SELECT stargazers_count, name FROM {repos} ORDER BY 1 DESC LIMIT 1")),
    Question("Which three repositories of rspec have the most open issues?",
             of_organization("rspec", lambda rows: [(row["name"], row["open_issues_count"]) for row in sorted(
                 rows, key=lambda row: -row["open_issues_count"])[:3]]),
             stored("rspec", "SELECT name, open_issues_count FROM {repos} ORDER BY 2 DESC LIMIT 3")),
    Question("How many open issues do the repositories of rspec have together?",
             of_organization("rspec", lambda rows: [sum(row["open_issues_count"] for row in rows)]),
             stored("rspec", "SELECT sum(open_issues_count) FROM {repos}")),
    Question("Which repositories of rspec are larger than 1 MB?",
             of_organization("rspec", lambda rows: sorted(row["name"] for row in rows if row["size"] > 1_000)),
             stored("rspec", "SELECT name FROM {repos} AND size > 1000 ORDER BY 1")),
    Question("When was rspec-core created, and what is its default branch?",
             of_organization("rspec", lambda rows: [(row["created_at"], row["default_branch"]) for row in rows
                                                    if row["name"] == "rspec-core"]),
             stored("rspec", "SELECT created_at, default_branch FROM {repos} AND name = 'rspec-core'")),
    Question("Which repositories of cloudbeers are forks?",
             of_organization("cloudbeers", lambda rows: sorted(row["name"] for row in rows if row["fork"])),
             stored("cloudbeers", "SELECT name FROM {repos} AND fork ORDER BY 1")),
    Question("Which languages do the repositories of cloudbeers use, and how many use each?",
             of_organization("cloudbeers", lambda rows: counted(row["language"] for row in rows)),
             stored("cloudbeers", "SELECT language, count(*) FROM {repos} GROUP BY 1 ORDER BY 2 DESC, 1")),
    Question("Which repositories of cloudbeers are private?",
             of_organization("cloudbeers", lambda rows: sorted(row["name"] for row in rows if row["private"])),
             stored("cloudbeers", "SELECT name FROM {repos} AND private ORDER BY 1")),
    Question("Which repository of cloudbeers was pushed to last?",
             of_organization("cloudbeers", lambda rows: [max((row["pushed_at"], row["name"]) for row in rows)]),
             stored("cloudbeers", "SELECT pushed_at, name FROM {repos} ORDER BY 1 DESC LIMIT 1")),
    Question("Which repository of rails has the most stars, as far as its list can be read?",
             of_organization("rails", lambda rows: [max((row["stargazers_count"], row["name"]) for row in rows)]),
             stored("rails", "SELECT stargazers_count, name FROM {repos} ORDER BY 1 DESC LIMIT 1")),
    Question("Which repositories of these three mention mocks in their descriptions?", mocks, stored_mocks),
    Question("Which website and location does the organization collectiveidea have?",
             lambda api: (lambda row: (row["blog"], row["location"]))(api.get("/orgs/collectiveidea")),
             detail("organizations", "collectiveidea", "blog", "location")),
    Question("Which of the first ten organizations has the most public repositories?",
             lambda api: [max((row["public_repos"], row["login"]) for row in organizations(api))],
             listed("SELECT public_repos, login FROM organizations ORDER BY 1 DESC LIMIT 1")),
    Question("Which of the first ten organizations were created in January 2008?",
             lambda api: sorted(row["login"] for row in organizations(api) if row["created_at"].startswith("2008-01")),
             listed("SELECT login FROM organizations WHERE created_at LIKE '2008-01%' ORDER BY 1")),
    Question("Which of the first ten organizations are verified?",
             lambda api: sorted(row["login"] for row in organizations(api) if row["is_verified"]),
             listed("SELECT login FROM organizations WHERE is_verified ORDER BY 1")),
    Question("Which three issues of refinery/refinerycms have the most comments?",
             refinery(lambda rows: [(row["number"], row["comments"]) for row in sorted(
                 rows, key=lambda row: -row["comments"])[:3]]),
             issues("SELECT number, comments FROM {issues} ORDER BY 2 DESC LIMIT 3")),
    Question("Who opened the most issues of refinery/refinerycms, and how many?",
             refinery(lambda rows: counted(row["user"]["login"] for row in rows)[:1]),
             issues("SELECT user_login, count(*) FROM {issues} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1")),
    Question("Which issues of refinery/refinerycms mention turbolinks?",
             refinery(lambda rows: sorted(row["number"] for row in rows if "turbolinks" in (
                 row["title"] + (row["body"] or "")).lower())),
             issues("SELECT number FROM {issues} AND title || coalesce(body, '') LIKE '%turbolinks%' ORDER BY 1")),
    Question("Which pull requests of cloudbeers/yolo are open, and whose are they?",
             lambda api: sorted((row["number"], row["user"]["login"]) for row in api.list(
                 "/repos/cloudbeers/yolo/pulls?state=all")[0] if row["state"] == "open"), pulls),
]

# Written afterwards, by a reader of the recordings.
LATER = [
    Question("Whose repositories besides its own are in the list of rails?",
             of_organization("rails", lambda rows: sorted({row["owner"]["login"] for row in rows} - {"rails"})),
             lambda tools: sorted({row["owner_login"] for row in tools.call(
                 "rows", resource="repos", list="org", of=["rails"], fields=["owner_login"])["rows"]} - {"rails"})),
    Question("What is the homepage of rspec/rspec-rails?",
             of_organization("rspec", lambda rows: tuple(row["homepage"] for row in rows if row["name"] == "rspec-rails")),
             lambda tools: (tools.call("row", resource="repos", handle="rspec/rspec-rails",
                                       fields=["homepage"])["row"]["homepage"],)),
    Question("How many stars do the repositories of cloudbeers have together?",
             of_organization("cloudbeers", lambda rows: [sum(row["stargazers_count"] for row in rows)]),
             stored("cloudbeers", "SELECT sum(stargazers_count) FROM {repos}")),
    Question("Which repository of rspec is the youngest?",
             of_organization("rspec", lambda rows: [max((row["created_at"], row["name"]) for row in rows)]),
             stored("rspec", "SELECT created_at, name FROM {repos} ORDER BY 1 DESC LIMIT 1")),
    Question("Which of the first ten organizations was updated last?",
             lambda api: [max((row["updated_at"], row["login"]) for row in organizations(api))],
             listed("SELECT updated_at, login FROM organizations ORDER BY 1 DESC LIMIT 1")),
    Question("Which issues of refinery/refinerycms did anitagraham open?",
             refinery(lambda rows: sorted(row["number"] for row in rows if row["user"]["login"] == "anitagraham")),
             issues("SELECT number FROM {issues} AND user_login = 'anitagraham' ORDER BY 1")),
    Question("How many of the listed issues of refinery/refinerycms are pull requests?",
             refinery(lambda rows: [sum("pull_request" in row for row in rows)]),
             issues("SELECT count(pull_request) FROM {issues}")),
    Question("Which issues have Rails 5 in their titles?",
             refinery(lambda rows: [row["title"] for row in rows if "Rails 5" in row["title"]]),
             lambda tools: [row["title"] for row in tools.call("find", text='"rails 5"', resources=["issues"])["rows"]
                            if "Rails 5" in row["title"]]),
    Question("Which of the first ten organizations have no location?",
             lambda api: sorted(row["login"] for row in organizations(api) if not row.get("location")),
             listed("SELECT login FROM organizations WHERE coalesce(location, '') = '' ORDER BY 1")),
    Question("Which organization has the website https://planning.center?",
             lambda api: [row["login"] for row in organizations(api) if row.get("blog") == "https://planning.center"],
             listed("SELECT login FROM organizations WHERE blog = 'https://planning.center'")),
]

def repositories(owner, answer):
    """Asks the API for a user's repositories."""
    return lambda api: answer(api.list(f"/users/{owner}/repos?per_page=30")[0])


def owned(owner, statement):
    """Asks the tools for a user's repositories, selected by `{repos}`."""
    def ask(tools):
        tools.needs("repos", owner)
        return tools.sql(statement.replace("{repos}", "repos WHERE owner_login = :owner"), owner=owner)
    return ask


def common_names(api):
    one, other = [{row["name"] for row in api.list(f"/users/{owner}/repos?per_page=30")[0]}
                  for owner in ["bitwiseman", "kohsuke"]]
    return sorted(one & other)


def stored_common_names(tools):
    for owner in ["bitwiseman", "kohsuke"]:
        tools.needs("repos", owner)
    return tools.sql("SELECT a.name FROM repos a JOIN repos b ON b.name = a.name "
                     "WHERE a.owner_login = 'bitwiseman' AND b.owner_login = 'kohsuke' ORDER BY 1")


def mentions_maven(row):
    return re.search(r"\bmaven\b", row["full_name"] + " " + (row["description"] or ""), re.IGNORECASE)


def found_maven(tools):
    tools.needs("repos", "kohsuke")
    rows = tools.call("find", text="maven", resources=["repos"], limit=100)["rows"]
    return sorted(row["handle"] for row in rows if row["handle"].startswith("kohsuke/"))


def first_users(tools):
    """Returns the first ten users with their details."""
    tools.needs("users")
    rows = tools.call("rows", resource="users", limit=10)["rows"]
    lacking = [row["login"] for row in rows if not row.get("has_detail")]
    if lacking:
        tools.call("refresh", resource="users", rows=lacking)
        rows = tools.call("rows", resource="users", limit=10)["rows"]
    return rows


def follow_each_other(api):
    followers, following = [{row["login"] for row in api.list(f"/users/rtyler/{name}")[0]}
                            for name in ["followers", "following"]]
    return sorted(followers & following)


def stored_follow_each_other(tools):
    for name in ["followers", "following"]:
        tools.needs(name, "rtyler")
    return tools.sql("SELECT login FROM followers JOIN following USING (user_id, id, login) "
                     "WHERE user_id = (SELECT id FROM users WHERE login = 'rtyler') ORDER BY 1")


def authors(tools):
    tools.needs("commits", "PyGithub/PyGithub")
    return tools.sql("SELECT author_login, count(*) FROM commits WHERE repository_id = "
                     "(SELECT id FROM repos WHERE full_name = 'PyGithub/PyGithub') GROUP BY 1 ORDER BY 2 DESC LIMIT 1")


def public_owners(tools):
    tools.needs("repos", list="public")
    rows = tools.pages(resource="repos", list="public", fields=["owner_login", "owner_type"])
    return counted(row["owner_login"] for row in rows if row["owner_type"] == "Organization")[:1]


# Written last, with their answers, by a reader of the recordings and of the page about agents, which lists the
# questions above, before this script was read.
FRESH = [
    Question("How many repositories does bitwiseman have, and how many of them are not forks?",
             repositories("bitwiseman", lambda rows: [(len(rows), sum(not row["fork"] for row in rows))]),
             owned("bitwiseman", "SELECT count(*), sum(NOT fork) FROM {repos}")),
    Question("Which three languages do most repositories of bitwiseman have?",
             repositories("bitwiseman", lambda rows: counted(row["language"] for row in rows if row["language"])[:3]),
             owned("bitwiseman", "SELECT language, count(*) FROM {repos} AND language IS NOT NULL GROUP BY 1 "
                                 "ORDER BY 2 DESC LIMIT 3")),
    Question("Which repository of kohsuke has the most stars, as far as its list is recorded?",
             repositories("kohsuke", lambda rows: [max((row["stargazers_count"], row["name"]) for row in rows)]),
             owned("kohsuke", "SELECT stargazers_count, name FROM {repos} ORDER BY 1 DESC LIMIT 1")),
    Question("Which names do repositories of bitwiseman and of kohsuke share?", common_names, stored_common_names),
    Question("Which repositories of kohsuke mention Maven in their names or descriptions?",
             repositories("kohsuke", lambda rows: sorted(row["full_name"] for row in rows if mentions_maven(row))),
             found_maven),
    Question("How many repositories of bitwiseman were last pushed to before 2014?",
             repositories("bitwiseman", lambda rows: [sum(row["pushed_at"] < "2014" for row in rows)]),
             owned("bitwiseman", "SELECT count(*) FROM {repos} AND pushed_at < '2014'")),
    Question("Which of the first ten users has the most followers?",
             lambda api: max((row["followers"], row["login"]) for row in [
                 api.get(f"/users/{user['login']}") for user in api.list("/users")[0][:10]]),
             lambda tools: max((row["followers"], row["login"]) for row in first_users(tools))),
    Question("Which listed followers of rtyler does rtyler follow?", follow_each_other, stored_follow_each_other),
    Question("Who wrote the most commits of PyGithub/PyGithub, and how many?",
             lambda api: counted(row["author"]["login"] for row in api.list(
                 "/repos/PyGithub/PyGithub/commits")[0])[:1], authors),
    Question("Which organization owns the most repositories in the list of public ones, and how many?",
             lambda api: counted(row["owner"]["login"] for row in api.list("/repositories")[0]
                                 if row["owner"]["type"] == "Organization")[:1], public_owners),
]


def gaps(rows):
    return [max((other["id"] - row["id"], row["login"], other["login"]) for row, other in zip(rows, rows[1:]))]


def days(row):
    """The whole days between a row's creation and its last change."""
    created, updated = [datetime.datetime.fromisoformat(row[name]) for name in ["created_at", "updated_at"]]
    return (updated - created).days


def of_rails(answer, *fields):
    """Asks the tools for all rows in the list of rails, some of which belong to others."""
    def ask(tools):
        tools.needs("repos", "rails", list="org")
        return answer(tools.pages(resource="repos", list="org", of=["rails"], fields=["name", *fields]))
    return ask


def on_rails(answer):
    """Asks the same of the API and of the tools."""
    return {"api": of_organization("rails", answer),
            "tools": of_rails(answer, "language", "open_issues_count", "has_issues", "has_wiki", "updated_at", "pushed_at")}


def most_issues(rows):
    sums = collections.Counter()
    for row in rows:
        sums[row.get("language")] += row["open_issues_count"]
    language, count = sums.most_common(1)[0]
    return language, count, sum(row.get("language") == language for row in rows)


def whole_rails(tools):
    rows, answer = [], {"cursor": None}
    while "cursor" in answer:
        answer = tools.call("rows", resource="repos", list="org", of=["rails"], fields=["name"],
                            **({"cursor": answer["cursor"]} if answer["cursor"] else {}))
        rows += answer["rows"]
    return len(rows), answer["complete"]


class Watcher:
    """Remembers a position in the feed of changes, also when another process answers."""

    position = None

    @classmethod
    def ask(cls, tools):
        if not cls.position:
            tools.needs("users")
            answer = tools.call("changes", resources=["users"])
            while answer["more"]:
                answer = tools.call("changes", resources=["users"], since=answer["position"])
            cls.position = answer["position"]
            tools.call("refresh", resource="users", row="bitwiseman")
        tools.call("rows", resource="users", limit=1, fields=["login"])
        changes = tools.call("changes", resources=["users"], since=cls.position)["changes"]
        return [change["row"]["login"] for change in changes]


def listed_owners(tools):
    tools.needs("repos", list="public")
    owners = {row["owner_login"] for row in tools.pages(resource="repos", list="public", fields=["owner_login"])}
    return sorted(row["login"] for row in tools.pages(
        resource="organizations", fields=["login"]) if row["login"] in owners)


# Written by a reader who knew only the definitions of the tools and a description of the recordings.
UNSEEN = [
    Question("Between which two neighbours in the list of organizations is the largest gap of ids?",
             lambda api: gaps(sorted(api.list("/organizations?per_page=100")[0], key=lambda row: row["id"])),
             listed("SELECT id - lag(id) OVER (ORDER BY id), lag(login) OVER (ORDER BY id), login "
                    "FROM organizations ORDER BY 1 DESC LIMIT 1")),
    Question("Which of the first ten organizations have a website without HTTPS?",
             lambda api: sorted(row["login"] for row in organizations(api)
                                if row.get("blog") and not row["blog"].startswith("https://")),
             listed("SELECT login FROM organizations WHERE blog <> '' AND blog NOT LIKE 'https://%' ORDER BY 1")),
    Question("Which of the first ten organizations was updated the most days after it was created?",
             lambda api: [max((days(row), row["login"]) for row in organizations(api))],
             listed("SELECT CAST(julianday(updated_at) - julianday(created_at) AS INTEGER), login FROM organizations "
                    "ORDER BY 1 DESC LIMIT 1")),
    Question("Which repositories in the list of rails have neither issues nor a wiki?", **on_rails(
        lambda rows: sorted(row["name"] for row in rows if not row["has_issues"] and not row["has_wiki"]))),
    Question("Which language has the most open issues in the list of rails, in how many repositories?",
             **on_rails(most_issues)),
    Question("Which repositories in the list of rails were pushed to after their last update?", **on_rails(
        lambda rows: sorted(row["name"] for row in rows if row["pushed_at"] > row["updated_at"]))),
    Question("Which organizations speak of real problems?",
             lambda api: sorted(row["login"] for row in organizations(api)
                                if "real problems" in (row["description"] or "").lower()),
             lambda tools: (tools.needs("organizations", details=True), sorted(
                 row["handle"] for row in tools.call("find", text='"real problems"', resources=["organizations"])["rows"]))[1]),
    Question("How many repositories of rails are known, and is that all of them?",
             lambda api: (lambda rows, is_whole: (len(rows), is_whole))(*api.list("/orgs/rails/repos")), whole_rails),
    Question("Which users are new after bitwiseman was looked up?",
             lambda api: [api.get("/users/bitwiseman")["login"]], Watcher.ask),
    Question("Which of the first ten organizations own repositories in the list of public ones?",
             lambda api: (lambda owners: sorted(row["login"] for row in api.list("/organizations?per_page=100")[0]
                                                if row["login"] in owners))(
                 {row["owner"]["login"] for row in api.list("/repositories")[0]}), listed_owners),
]


def people(statement):
    def ask(tools):
        tools.needs("users")
        return tools.sql(statement)
    return ask


SAMPLE = [
    Question("How many users of each type are there?",
             lambda api: counted(row["type"] for row in api.list("/users")[0]),
             people("SELECT type, count(*) FROM users GROUP BY 1 ORDER BY 2 DESC, 1")),
    Question("Which users are site administrators?",
             lambda api: sorted(row["login"] for row in api.list("/users")[0] if row["site_admin"]),
             people("SELECT login FROM users WHERE site_admin ORDER BY 1")),
    Question("Where is Marlow-Quern?", lambda api: (api.get("/users/Marlow-Quern")["location"],),
             detail("users", "Marlow-Quern", "location")),
    Question("Which repository of Marlow-Quern has the most stars?",
             lambda api: [max((row["stargazers_count"], row["name"]) for row in api.list(
                 "/users/Marlow-Quern/repos")[0])],
             lambda tools: (tools.needs("repos", "Marlow-Quern"), tools.sql(
                 "SELECT stargazers_count, name FROM repos WHERE owner_login = 'Marlow-Quern' "
                 "ORDER BY 1 DESC, 2 DESC LIMIT 1"))[1]),
    Question("How many commits does Marlow-Quern/beacon have?",
             lambda api: [len(api.list("/repos/Marlow-Quern/beacon/commits")[0])],
             lambda tools: (tools.needs("commits", "Marlow-Quern/beacon"),
                            tools.sql("SELECT count(*) FROM commits"))[1]),
]


def plain(value):
    """An answer in the form that both sides have."""
    return json.loads(json.dumps(value))


class Round:
    """The questions, answered by one process over the storage."""

    def __init__(self, tools, failures, upstream=None):
        self.tools, self.failures, self.upstream = tools, failures, upstream

    def ask(self, question, expected):
        tools = self.tools
        tools.begin()
        answer = plain(question.tools(tools))
        if answer != expected and not tools.reasons:
            self.failures.append(f"{question.text} {answer} instead of {expected}")
        if self.upstream and (received := sum(self.upstream.count().values())) != tools.requests:
            self.failures.append(f"{question.text} {received} requests instead of {tools.requests}")
        if not self.upstream and tools.requests and not tools.ages:
            self.failures.append(f"{question.text} no age")
        return {"calls": tools.calls, "bytes": tools.bytes, "requests": tools.requests, "ages": tools.ages,
                "reasons": tools.reasons, "is_equal": answer == expected, "answer": answer}


def run(program, answers, questions, failures):
    rows = []
    with tempfile.TemporaryDirectory() as home, serving.upstream(answers.handler()) as upstream:
        settings = ["--source", "github", "--set", f"source.base-url={upstream.address}"]
        tools = Tools(program, home, settings)
        first = Round(tools, failures, upstream)
        for question in questions:
            api = recorded.API(answers)
            expected = plain(question.api(api))
            rows.append((question, api, expected, first.ask(question, expected)))
        tools.end()
        upstream.stop()
        tools = Tools(program, home, settings)
        second = Round(tools, failures)
        rows = [(*row, second.ask(row[0], row[2])) for row in rows]
        tools.end()
    return rows


def table(rows, failures):
    print("| question | API: requests | bytes | tools: requests | calls | bytes | offline: calls | bytes |")
    print("|---|---|---|---|---|---|---|---|")
    sums = [0] * 7
    for number, (question, api, _, online, offline) in enumerate(rows, 1):
        numbers = [api.requests, api.bytes, online["requests"], online["calls"], online["bytes"],
                   offline["calls"], offline["bytes"]]
        sums = [sum(pair) for pair in zip(sums, numbers)]
        print(f"| {number}. {question.text} | " + " | ".join(f"{value:,}" for value in numbers) + " |")
        if offline["answer"] != online["answer"]:
            failures.append(f"{question.text} offline {offline['answer']} instead of {online['answer']}")
        if not offline["ages"]:
            failures.append(f"{question.text} offline without an age")
    print("| all | " + " | ".join(f"{value:,}" for value in sums) + " |")
    for question, _, expected, online, _ in rows:
        if online["reasons"]:
            state = "the same answer" if online["is_equal"] else f"{online['answer']} instead of {expected}"
            print(f"not complete: {question.text} ({'; '.join(online['reasons'])}): {state}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--recordings", help="a folder of HAR files about the organizations of the questions")
    chosen = arguments.parse_args()
    program, failures = os.path.abspath(chosen.program), []
    if chosen.recordings:
        answers, questions = recorded.Recorded(chosen.recordings, broken={"/orgs/rails/repos"}), ORGANIZATIONS + LATER + FRESH + UNSEEN
    else:
        print("skipped: the questions about organizations need --recordings", file=sys.stderr)
        answers, questions = recorded.Recorded(serving.RECORDING), SAMPLE
    table(run(program, answers, questions, failures), failures)
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
