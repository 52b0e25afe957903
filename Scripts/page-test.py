#!/usr/bin/env python3
"""Tests the page of `patchbay serve` in a headless Chromium.

    Scripts/page-test.py [--pictures FOLDER] [--only WORD] [PATCHBAY]

Starts a small server on loopback that answers like GitHub, stores 20,000 users (PATCHBAY_SCROLL sets the number),
serves them, and uses the page like a visitor. Without Chromium it prints that and succeeds. With axe-core
(axe-core-python on PyPI) it also checks accessibility.
"""

import argparse
import json
import os
import re
import socket
import sys
import time
import urllib.parse

import chromium
from serving import Handler, serving, upstream

ROWS = int(os.environ.get("PATCHBAY_SCROLL", 20_000))
TOKEN = "correct-horse-battery-staple"
HOSTILE = "\u202e<img src=x onerror=alert(1)>\u2028<script>alert(2)</script>" + "\u05d0x" * 5_000
BEYOND = 2**53 + 1  # not exact as a number of JavaScript
# Records violations, long tasks and the time of the first rows in a page.
WATCH = """
window.violations = []; window.longest = 0;
new MutationObserver(() => { window.firstRows ??= document.querySelector('.canvas .row') && performance.now(); })
  .observe(document, { childList: true, subtree: true });
document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective + ' ' + event.blockedURI));
new PerformanceObserver((list) => { for (const task of list.getEntries()) longest = Math.max(longest, task.duration); })
  .observe({ type: 'longtask', buffered: false });
"""


def user(number, host):
    return {
        "id": number, "login": f"user-{number:06}", "type": "User" if number % 7 else "Organization",
        "site_admin": number % 11 == 0, "html_url": f"https://github.com/user-{number:06}",
        "avatar_url": f"{host}/avatars/{number}", "url": f"{host}/users/user-{number:06}", "node_id": "x",
        "gravatar_id": "", "user_view_type": "public",
    }


def detail(number, host):
    name = HOSTILE if number == 5 else f"{'ABCDEFGH'[number % 8]}da {number}"
    blog = "javascript:alert(3)" if number == 5 else "https://example.org/"
    return user(number, host) | {
        "name": name, "company": None, "blog": blog, "location": "Paris", "email": None, "hireable": None,
        "bio": "<b>bold</b>", "twitter_username": None, "public_repos": 2, "public_gists": BEYOND, "followers": 1234,
        "following": 1, "created_at": "2020-01-02T03:04:05Z", "updated_at": "2024-01-02T03:04:05Z",
    }


class Answer(Handler):
    """Answers like GitHub, unless the server is offline; then it closes every connection."""

    def do_GET(self):
        server = self.server
        if server.is_offline:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        server.requests.append(self.path)
        address = urllib.parse.urlsplit(self.path)
        values = urllib.parse.parse_qs(address.query)
        parts = address.path.strip("/").split("/")
        fields, body = {}, None
        if len(parts) == 3 and parts[1] in server.silent:
            # Waits until the client gives up.
            self.close_connection = True
            self.connection.recv(1)
            return
        if parts == ["users"]:
            start = int(values.get("since", ["0"])[0])
            body = [user(number, server.address) for number in range(start + 1, min(start + 100, server.rows) + 1)]
            if start + 100 < server.rows:
                fields["Link"] = f'<{server.address}/users?per_page=100&since={start + 100}>; rel="next"'
        elif parts[0] == "users" and len(parts) == 2:
            body = detail(int(parts[1].split("-")[1]), server.address) if parts[1] != "missing" else None
        elif parts[0] == "users":
            owner = {"id": int(parts[1].split("-")[1]), "login": parts[1], "type": "User"}
            body = [{"id": 10 * owner["id"] + number, "name": f"r{number}", "full_name": f"{parts[1]}/r{number}", "owner": owner,
                     "private": False, "fork": False, "description": f"the {number}th"} for number in range(3)]
        elif parts[0] == "repos" and parts[-1] == "commits":
            body = [{"sha": "c" * 40, "commit": {"message": "first light"}, "parents": []}]
        elif parts == ["search", "users"]:
            text = values["q"][0]
            found = [user(number, server.address) for number in range(1, 400) if text in f"user-{number:06}"]
            body = {"total_count": len(found), "incomplete_results": False, "items": found[:100]}
        if body is None:
            self.send_error(404)
            return
        self.reply(json.dumps(body).encode(), {"Content-Type": "application/json", **fields})


TESTS = []


def test(sentence):
    def add(body):
        TESTS.append((sentence, body))
        return body
    return add


FIRST = "document.querySelector('.canvas .row .main')?.textContent"
STATE = "document.querySelector('#state').textContent"
NOTE = "document.querySelector('#note').textContent"
ACTIVE = "document.querySelector('.row.active .main')?.textContent"
OPEN = "document.querySelector('#detail').open"
TITLE = "document.querySelector('#detail-title')?.textContent"
SAVE = """(() => { const input = document.querySelector('.edits input'); input.value = %s;
  input.dispatchEvent(new Event('input')); input.form.requestSubmit(); return true })()"""


class Case:
    """The environment of a test."""

    def __init__(self, browser, served, upstream, pictures):
        self.browser, self.served, self.upstream, self.pictures = browser, served, upstream, pictures
        self.windows = []

    def open(self, place="", **options):
        window = chromium.Window(self.browser, self.served.page + place, before=WATCH, **options)
        self.windows.append(window)
        window.until("!!document.querySelector('.canvas .row')")
        return window

    def show(self, window, name):
        if self.pictures:
            time.sleep(0.4)
            os.makedirs(self.pictures, exist_ok=True)
            window.picture(os.path.join(self.pictures, name + ".png"))

    def end(self):
        """Checks for errors that must not occur in any window."""
        for window in self.windows:
            assert window.run("violations") == [], window.run("violations")
            assert not window.events("Page.javascriptDialogOpening"), "a script of a row ran"
            thrown = window.events("Runtime.exceptionThrown")
            assert not thrown, json.dumps(thrown)[:800]

    def close(self):
        for window in self.windows:
            window.close()
        self.windows = []


@test("stored rows appear, with badges, an age and a slider")
def first_rows(case):
    window = case.open()
    window.until("!document.querySelector('#rail').hidden")
    assert window.run(FIRST) == "user-000001"
    assert f"{ROWS:,} users stored" in window.run(STATE), window.run(STATE)
    assert window.run("document.querySelectorAll('.badge').length") > 0
    case.show(window, "list")
    window.dark(True)
    case.show(window, "dark")
    window.dark(False)
    window.size(360, 740)
    case.show(window, "narrow")
    return f"first rows after {window.run('firstRows'):.0f} ms"


SCROLL = """(async () => {
  const grid = document.querySelector('#grid'), frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const ids = () => [...document.querySelectorAll('.canvas .row')].map((row) => Number(row.children[1].textContent));
  longest = 0;
  let most = 0, faults = [];
  const walk = async (direction, goal) => {
    let reached = direction > 0 ? 0 : Infinity, still = 0;
    while (reached !== goal && still < 3000) {
      const now = ids(), [near, far] = direction > 0 ? [now[0], now.at(-1)] : [now.at(-1), now[0]];
      most = Math.max(most, document.querySelectorAll('[role=row]').length);
      if (now.some((id, place) => place && id !== now[place - 1] + 1)) faults.push(now.join());
      if (reached !== 0 && reached !== Infinity && (near - reached) * direction > 1) faults.push(`${reached} to ${near}`);
      still = far === reached ? still + 1 : 0;
      reached = far;
      grid.scrollTop += direction * (grid.clientHeight - 200);
      await frame();
    }
    return reached;
  };
  const start = performance.now(), down = await walk(1, %d), up = await walk(-1, 1);
  return { down, up, most, faults: faults.slice(0, 3), longest, seconds: (performance.now() - start) / 1000 };
})()"""


@test(f"scrolling through {ROWS:,} rows and back shows each row once, with few elements")
def scroll(case):
    window = case.open(width=700, height=4200)
    window.until("!document.querySelector('#rail').hidden")
    result = window.run(SCROLL % ROWS)
    assert result["down"] == ROWS and result["up"] == 1, result
    assert result["faults"] == [], result
    assert result["most"] <= 200, result
    return f"{result['most']} row elements, longest task {result['longest']:.0f} ms, {result['seconds']:.0f} s"


@test("the slider reaches any position, and a key reaches either end")
def slider(case):
    window = case.open()
    window.until("!document.querySelector('#rail').hidden")
    window.run("document.querySelector('#rail').focus()")
    window.run("(() => { const rail = document.querySelector('#rail'); rail.value = 0.5; rail.dispatchEvent(new Event('input')) })()")
    window.until(f"document.querySelector('.canvas .row').children[1].textContent > {ROWS * 0.49:.0f}")
    window.run("document.querySelector('#grid').focus()")
    window.key("End")
    window.until(f"document.querySelector('.canvas').textContent.includes('user-{ROWS:06}')")
    window.key("Home")
    window.until(FIRST + " === 'user-000001'")


@test("an edit survives a reload and a refresh from the source, and can be reverted")
def edit(case):
    window = case.open("#/users!users/user-000007")
    window.until("document.querySelector('.fields, dl')?.textContent.includes('Paris')")
    case.show(window, "detail")
    window.run(SAVE % "'Mona Lisa'")
    window.until(TITLE + " === 'Mona Lisa'")
    case.show(window, "edit")
    window.call("Page.reload")
    window.until(TITLE + " === 'Mona Lisa'")
    window.run("fetch('/-/resources/users/user-000007?policy=refresh').then((answer) => answer.text())")
    window.until(TITLE + " === 'Mona Lisa'")
    window.run("[...document.querySelectorAll('.edits button')].find((button) => button.textContent === 'Revert').click()")
    window.until(TITLE + " === 'Hda 7'")


@test("an edit is refused once if the value has changed since the typing began")
def conflict(case):
    window = case.open("#/users!users/user-000014")
    window.until("document.querySelector('dl')?.textContent.includes('Paris')")
    window.run("(() => { const input = document.querySelector('.edits input'); input.value = 'Mine'; input.dispatchEvent(new Event('input')) })()")
    window.run("""fetch('/-/resources/users/user-000014', { method: 'PATCH', body: '{"name":"Theirs"}',
        headers: { 'If-Match': '*', 'Content-Type': 'application/json' } }).then((answer) => answer.text())""")
    window.until(TITLE + " === 'Theirs'")
    save = "document.querySelector('.edits form').requestSubmit()"
    window.run(save)
    window.until(NOTE + " === 'The row has changed; save again'")
    assert window.run(TITLE) == "Theirs"
    window.run(save)
    window.until(TITLE + " === 'Mine'")


@test("a row that does not exist cannot be changed, and the reason stays")
def missing(case):
    window = case.open("#/users!users/missing")
    reason = "document.querySelector('.origin')?.textContent"
    window.until(reason + ".includes('there is no user')")
    assert window.run("document.querySelector('.edits').hidden && document.querySelector('dialog .star').hidden")
    reads = "performance.getEntriesByType('resource').filter((entry) => entry.name.includes('users/missing')).length"
    before = window.run(reads)
    window.run("fetch('/-/resources/users/user-000015/favourite', { method: 'PUT' }).then((answer) => answer.text())")
    window.until(f"{reads} > {before}")
    window.run("fetch('/-/resources/users/user-000015/favourite', { method: 'DELETE' }).then((answer) => answer.text())")
    assert "there is no user" in window.run(reason), window.run(reason)


@test("numbers are shown with all their digits")
def numbers(case):
    window = case.open("#/users!users/user-000011")
    window.until(f"document.querySelector('dl')?.textContent.includes('{BEYOND}')")


@test("two windows see each other's edits and keep their positions")
def two_windows(case):
    other = case.open()
    other.run("document.querySelector('#grid').scrollTop = 108")
    window = case.open("#/users!users/user-000008")
    window.until("document.querySelector('dl')?.textContent.includes('Paris')")
    window.run(SAVE % "'Zora'")
    _, seconds = other.until("document.querySelector('.canvas').textContent.includes('Zora')", 10)
    assert other.run("document.querySelector('#grid').scrollTop") == 108
    return f"after {seconds * 1000:.0f} ms"


@test("a change while the first rows are being read is shown")
def late_rows(case):
    # Pictures are not read, because storing them is another change.
    held = """{ const now = fetch, isHeld = (address) => address.startsWith('/-/resources/users?') && !window.isReleased;
        window.fetch = (address, ...rest) => (address.endsWith('/picture') ? new Promise(() => {})
            : now(address, ...rest).then((answer) => (!isHeld(address) ? answer
            : new Promise((done) => { window.release = () => { window.isReleased = true; done(answer); }; })))); }"""
    counts = "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/-/resources')).length"
    window = chromium.Window(case.browser, case.served.page, before=WATCH + held)
    case.windows.append(window)
    window.until("!!window.release")
    for number in (1, 2):
        window.run("""fetch('/-/resources/users/user-000008', { method: 'PATCH', body: '{"name":"Late %d"}',
            headers: { 'If-Match': '*', 'Content-Type': 'application/json' } }).then((answer) => answer.text())""" % number)
        # After an event the page counts the rows again, with a pause that is longer than the one between reloads.
        window.until(f"{counts} > {number}")
    window.run("release()")
    window.until("document.querySelector('.canvas').textContent.includes('Late 2')")


@test("offline is shown with the age of the rows, and ends when the source is back")
def offline(case):
    window = case.open()
    case.upstream.is_offline = True
    try:
        window.run("document.querySelector('#refresh').click()")
        window.until(STATE + ".includes('offline')", 40)
        assert "as of" in window.run(STATE)
        case.show(window, "offline")
    finally:
        case.upstream.is_offline = False
    window.until("(document.querySelector('#refresh').click(), !" + STATE + ".includes('offline'))", 40)


@test("favourites are marked in the list and grouped by initial")
def favourites(case):
    window = case.open("#/users!users/user-000009")
    window.until("document.querySelector('dl')?.textContent.includes('Paris')")
    window.run("document.querySelector('button.star').click()")
    window.until("document.querySelector('button.star').getAttribute('aria-pressed') === 'true'")
    window.go(case.served.page + "#favourites")
    window.until("document.querySelector('.row.group')?.textContent.includes('B')")
    case.show(window, "favourites")
    window.run("document.querySelector('.canvas .row:not(.group) .star button').click()")
    window.until("document.querySelectorAll('.canvas .row').length === 0")


@test("a search waits for the typing to pause, and remembers that nothing was found")
def search(case):
    window = case.open()
    window.run("document.activeElement.blur()")
    window.key("/")
    before = len(case.upstream.requests)
    window.type("user-00003")
    window.until(STATE + ".includes('found by')")
    asked = [path for path in case.upstream.requests[before:] if path.startswith("/search")]
    assert len(asked) == 1, asked
    case.show(window, "search")
    for _ in range(2):
        window.go(case.served.page + "#/users")
        window.until("location.hash === '#/users' && " + FIRST)
        window.go(case.served.page + "#search?resource=users&q=nobody-at-all")
        window.until("document.querySelector('.end').textContent.includes('Nothing found')")
    asked = [path for path in case.upstream.requests if "nobody" in path]
    assert len(asked) == 1, asked
    assert "not asked again" in window.run(STATE)


@test("words are found in the texts of all resources, marked, and lead to their rows")
def words(case):
    window = case.open()
    window.run("[...document.querySelectorAll('#places a')].find((link) => link.hash === '#find').click()")
    window.until("document.querySelector('.end').textContent.includes('Words, ')")
    window.run("document.activeElement.blur()")
    window.key("/")
    window.type("user 000031")
    window.until(STATE + ".includes('1 row found')")
    assert window.run("[...document.querySelectorAll('mark')].map((mark) => mark.textContent)") == ["user", "000031"]
    case.show(window, "find")
    window.run("document.querySelector('.canvas .row .main a').click()")
    window.until(TITLE + ".includes('da 31')")
    window.go(case.served.page + "#search?resource=users&q=user-000031")
    window.until("document.querySelector('.end button')?.textContent === 'Find in all texts'")
    window.run("document.querySelector('.end button').click()")
    window.until("location.hash === '#find?q=user-000031' && " + STATE + ".includes(' found')")


@test("the back button closes a row, and addresses of rows can be shared")
def back(case):
    window = case.open()
    window.run("document.querySelectorAll('.canvas .row')[2].click()")
    window.until(OPEN + " && location.hash === '#/users!users/user-000003'")
    window.run("history.back()")
    window.until(f"!{OPEN} && !location.hash.includes('!')")
    shared = case.open("#/users!users/user-000003")
    shared.until(OPEN + " && document.querySelector('dl').textContent.includes('Paris')")
    shared.key("Escape")
    shared.until(f"!{OPEN} && location.hash === '#/users'")
    shared.until(FIRST)


@test("everything can be done with the keyboard")
def keyboard(case):
    window = case.open()
    for _ in range(30):
        window.key("Tab")
        if window.run("document.activeElement.id") == "grid":
            break
    else:
        raise AssertionError("the list cannot be reached with Tab")
    window.key("ArrowDown", "ArrowDown", "j", "k", "ArrowDown")
    window.until(ACTIVE + " === 'user-000004'")
    window.key("f")
    window.until("document.querySelector('.row.active .star button').getAttribute('aria-pressed') === 'true'")
    window.key("f", "Enter")
    window.until(TITLE + " && " + OPEN)
    window.key("Escape")
    window.until(f"!{OPEN} && document.activeElement.id === 'grid'")
    window.key("PageDown")
    window.until(ACTIVE + " > 'user-000010'")


@test("the keys of the list work from the start, and f in an open row")
def keys(case):
    window = case.open("#/users")
    window.key("j", "ArrowDown")
    window.until(ACTIVE + " === 'user-000003'")
    window.key("Enter")
    window.until(OPEN + " && document.querySelector('dl').textContent.includes('Paris')")
    pressed = "document.querySelector('button.star').getAttribute('aria-pressed')"
    for state in ("true", "false"):
        window.key("f")
        window.until(f"{pressed} === '{state}'")


@test("the button below the list keeps the focus when the list changes")
def below(case):
    window = case.open("#/users?ring=5")
    button = "document.querySelector('.end button')"
    window.until(f"{button}?.textContent === 'Fetch more'")
    window.run(f"(window.before = {button}).focus()")
    window.run("""fetch('/-/resources/users/user-000003', { method: 'PATCH', body: '{"name":"Below"}',
        headers: { 'If-Match': '*', 'Content-Type': 'application/json' } }).then((answer) => answer.text())""")
    window.until("document.querySelector('#grid').textContent.includes('Below')")
    window.until("!window.before.isConnected")
    assert window.run("document.activeElement.textContent") == "Fetch more", window.run(FOCUS % "[]")


# Elements that a visitor without a pointer must reach, the one with the focus, and boxes whose content is too wide.
REACHABLE = "[...document.querySelectorAll('%s')].filter((one) => one.tabIndex >= 0 && one.checkVisibility())"
FOCUS = """(() => {
  const element = document.activeElement, box = element.getBoundingClientRect(), style = getComputedStyle(element);
  return { number: %s.indexOf(element), name: element.id || element.textContent.slice(0, 30),
    outline: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1,
    inside: box.width > 0 && box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight };
})()"""
WIDE = """[...[document.documentElement, ...document.querySelectorAll('header, nav, main, .tools, #state, footer, .sheet, dialog[open]')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1), ...[...document.querySelectorAll('.canvas .cell')]
  .filter((one) => one.getBoundingClientRect().right > document.querySelector('#grid').getBoundingClientRect().right)]
  .map((one) => one.id || one.className || one.tagName)"""


def walk(window, scope):
    """Presses Tab from element to element until the focus has been on all of them."""
    reachable = REACHABLE % scope
    number, reached = -1, 0
    while reached < window.run(reachable + ".length"):
        window.key("Tab")
        place = window.run(FOCUS % reachable)
        # The title of a dialog, which has the focus first, is not reached again.
        if place["number"] == number == -1:
            continue
        assert place["number"] == number + 1, f"after {number} of {window.run(reachable + '.length')}: {place}"
        assert place["outline"], f"the focus cannot be seen: {place}"
        assert place["inside"], f"the focus is outside of the window: {place}"
        number, reached = place["number"], reached + 1
    assert window.run(WIDE) == [], window.run(WIDE)
    return reached


@test("Tab reaches each control, with a visible focus and nothing cut off, at 360, 1,000 and 2,560 pixels")
def widths(case):
    counts = []
    for width in (360, 1000, 2560):
        for place in ("#/users", "#/users?ring=5"):
            window = case.open(place, width=width, height=800)
            window.until(f"!document.querySelector('#{'up' if 'ring' in place else 'rail'}').hidden")
            counts.append(walk(window, "body > button, header *, main *, footer *"))
            case.show(window, f"{width}-{'ring' if 'ring' in place else 'list'}")
        window = case.open("#/users!users/user-000021", width=width, height=800)
        window.until("(document.querySelector('.children')?.scrollIntoView(), document.querySelector('.children')?.textContent.includes('user-000021/r1'))")
        counts.append(walk(window, "dialog[open] *"))
        case.show(window, f"{width}-row")
        window.key("Escape")
        window.until(f"!{OPEN} && document.activeElement.id === 'grid'")
        # Each page keeps a connection for events, and browsers have at most six to a server.
        case.end()
        case.close()
    return f"{counts} controls"


@test("a ring of a few rows goes round in both directions, and requests the children of visible rows only")
def ring(case):
    names = "[...document.querySelectorAll('.canvas .row .main a')].map((link) => link.textContent.slice(-5)).join(' ')"
    asked = lambda: {path.split("/")[2][-5:] for path in case.upstream.requests[before:] if "/repos" in path}
    end = f"{ROWS:05}"
    before = len(case.upstream.requests)
    window = case.open("#/users?ring=3")
    window.until("document.querySelector('.canvas').textContent.includes('user-000003/r')")
    assert window.run(names) == "00001 00002 00003", window.run(names)
    assert "first row follows the last" in window.run("document.querySelector('.end').textContent")
    window.key("ArrowUp")
    window.until(f"{names} === '{end} 00001 00002'")
    window.until(f"document.querySelector('.canvas').textContent.includes('user-0{end}/r')")
    # Tests before this one may have fetched the first rows' children.
    assert end in asked() <= {end, "00001", "00002", "00003"}, asked()
    window.key("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown")
    window.until(f"{names} === '00002 00003 00004'")
    # Far down, around the end and on.
    window.run("document.querySelector('#grid').focus()")
    window.key("End")
    window.until(names + f" === '{ROWS - 2:05} {ROWS - 1:05} {end}'")
    window.key("PageDown")
    window.until(names + " === '00001 00002 00003'")
    window.key("Home")
    window.until(ACTIVE + " === 'user-000001'")
    window.key("PageUp")
    window.until(names + f" === '{ROWS - 2:05} {ROWS - 1:05} {end}'")
    window.key("Home")
    window.until(names + " === '00001 00002 00003' && !document.querySelector('.canvas').textContent.includes('Reading')")
    # Four requests at a time; those of rows that leave the ring are cancelled or not sent. No test before this one has
    # fetched the children of these rows: stored ones would be refreshed after they were answered, which a client that
    # leaves does not cancel, and without a token requests wait for each other.
    case.upstream.silent = {f"user-{number:06}" for number in range(131, 140)}
    try:
        before = len(case.upstream.requests)
        window = case.open("#/users?ring=9&prefix=user-00013&by=by_login")
        for _ in range(100):
            # The first one that is silent holds up the others, because the source has no token.
            if asked():
                break
            time.sleep(0.1)
        time.sleep(1)
        window.go(case.served.page + "#/users?ring=1")
        window.until("document.querySelector('.canvas').textContent.includes('user-000001/r')", 5)
        cancelled = [event for event in window.events("Network.loadingFailed") if event["params"].get("canceled")]
        assert len(cancelled) >= 3, cancelled
        assert asked() <= {"00001", "00130", "00131", "00132", "00133", "00134"}, asked()
    finally:
        case.upstream.silent = set()
    # More rows than there are, wrong numbers, and none.
    window = case.open("#/users?ring=9&prefix=user-00000&by=by_login")
    window.until(names + " === '00001 00002 00003 00004 00005 00006 00007 00008 00009'")
    window.key("ArrowUp")
    window.until(names + " === '00009 00001 00002 00003 00004 00005 00006 00007 00008'")
    case.show(window, "ring")
    for size in ("0", "101", "x"):
        window.go(case.served.page + f"#/users?ring={size}")
        window.until(STATE + ".includes('A ring has 1 to 100 rows')")
    window.go(case.served.page + "#/users?ring=3&prefix=nobody&by=by_login")
    window.until("document.querySelector('.end').textContent.includes('No stored row begins so')")
    window.run("(() => { const choice = document.querySelector('#ring'); choice.value = '0'; choice.onchange(); })()")
    window.until("!location.hash.includes('ring')")


@test("a hostile row does nothing")
def hostile(case):
    window = case.open("#/users!users/user-000005")
    window.until("document.querySelector('dl')?.textContent.includes('Paris')")
    case.show(window, "hostile")
    assert "⟨U+202E⟩<img src=x onerror=alert(1)>" in window.run(TITLE)
    assert window.run("document.querySelectorAll('img[src=x], dl script, dl b').length") == 0
    assert window.run("[...document.querySelectorAll('dialog a')].every((link) => /^(https?:|#)/.test(link.getAttribute('href')))")
    box = "document.querySelector('#detail')"
    assert window.run(f"{box}.scrollWidth <= {box}.clientWidth")
    assert window.run("document.documentElement.scrollWidth <= innerWidth")


@test("lists that belong to a row are read when they become visible")
def children(case):
    window = case.open("#/users!users/user-000012")
    window.until("!!document.querySelector('.children')")
    window.run("document.querySelector('.children').scrollIntoView()")
    window.until("document.querySelector('.children')?.textContent.includes('user-000012/r1')")
    window.run("document.querySelector('.children a').click()")
    window.until(TITLE + " === 'user-000012/r0'")


@test("with serve.token, the page asks for the token once, and no address contains it")
def token(case):
    with serving(
        case.served.program, case.upstream.address, "--set", "serve.token=env:PAGE_TOKEN",
        environment={"PAGE_TOKEN": TOKEN}, store=case.served.store) as served:
        window = chromium.Window(case.browser, served.page, before=WATCH)
        case.windows.append(window)
        for text in ("wrong-" * 4, TOKEN):
            window.until("document.querySelector('#token').open")
            window.type(text)
            window.key("Enter")
            window.until("!document.querySelector('#token').open || document.querySelector('#token-note').textContent.includes('refused')")
        window.until(FIRST)
        window.call("Page.reload")
        window.until(FIRST)
        assert not window.run("document.querySelector('#token').open")
        sent = [event["params"]["request"]["url"] for event in window.events("Network.requestWillBeSent")]
        assert sent and not any(TOKEN in address for address in sent)


@test("an address with the token opens the page, which removes the token from the address and keeps it")
def token_in_address(case):
    with serving(
        case.served.program, case.upstream.address, "--set", "source.token=env:SOURCE_TOKEN",
        environment={"SOURCE_TOKEN": TOKEN}, store=case.served.store) as served:
        window = chromium.Window(case.browser, f"{served.page}#token={served.made_token}", before=WATCH)
        case.windows.append(window)
        window.until(FIRST)
        assert served.made_token not in window.run("location.href")
        window.call("Page.reload")
        window.until(FIRST)
        assert not window.run("document.querySelector('#token').open")


@test("the page reports when Patchbay itself is unreachable, and continues when it is back")
def gone(case):
    window = case.open()
    window.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
    window.run("document.querySelector('#refresh').click()")
    window.until("!document.querySelector('#unreached').hidden")
    assert window.run(FIRST) == "user-000001"
    case.show(window, "error")
    window.call("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
    window.until(f"document.querySelector('#unreached').hidden && {NOTE} === ''", 20)


@test("after the end of a list nothing more is requested")
def complete(case):
    case.upstream.rows = 50
    try:
        with serving(case.served.program, case.upstream.address) as served:
            window = chromium.Window(case.browser, served.page + "#favourites", before=WATCH)
            case.windows.append(window)
            # An event makes the page read the resources, which it then does not do again for 3 seconds.
            window.until("""fetch('/-/resources/users/user-000001?policy=refresh').then(() =>
                performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/-/resources')).length > 1)""")
            before = len(case.upstream.requests)
            window.run("location.hash = '#/users'")
            window.until(STATE + ".startsWith('50 users stored')")
            window.until("document.querySelector('.end').textContent === 'End of the list'")
            requests = case.upstream.requests[before:]
            assert len([path for path in requests if path.startswith("/users?")]) == 1, requests
    finally:
        case.upstream.rows = ROWS


@test("syncs are shown until they end, also after a restart of the server")
def syncs(case):
    case.upstream.rows = 50
    # The answer to a request for a sync comes after the events about it.
    late = """{ const now = fetch;
        window.fetch = (...all) => now(...all).then((answer) => (all[1]?.method !== 'POST' ? answer
            : new Promise((done) => setTimeout(() => { window.isAnswered = true; done(answer); }, 1000)))); }"""
    ended = "window.isAnswered && document.querySelector('#progress').textContent === '' && document.querySelector('.end').textContent === 'End of the list'"
    try:
        with serving(case.served.program, case.upstream.address) as served:
            window = chromium.Window(case.browser, served.page, before=WATCH + late)
            case.windows.append(window)
            window.until(ended)
            for _ in range(3):
                served.get("/-/resources/users/sync?restart=true", "POST")
                window.until("fetch('/-/syncs').then((answer) => answer.json()).then((all) => all.every(({ state }) => state !== 'running'))")
            reads = "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/-/syncs')).length"
            before = window.run(reads)
            served.words = [word.replace("127.0.0.1:0", f"127.0.0.1:{served.port}") for word in served.words]
            served.stop()
            window.until("!document.querySelector('#unreached').hidden")
            served.start()
            window.until(f"document.querySelector('#unreached').hidden && {NOTE} === '' && {reads} > {before}")
            window.run("window.isAnswered = false; document.querySelector('#sync').click()")
            window.until(f"{NOTE} === 'All users fetched' && {ended}")
    finally:
        case.upstream.rows = ROWS


def axe():
    """Returns the script of axe-core, or None when it is not installed."""
    try:
        import axe_core_python
    except ImportError:
        return None
    for folder, _, names in os.walk(os.path.dirname(axe_core_python.__file__)):
        if "axe.min.js" in names:
            with open(os.path.join(folder, "axe.min.js"), encoding="utf-8") as file:
                return file.read()
    return None


@test("axe-core finds nothing serious, light and dark")
def accessibility(case):
    script = axe()
    if script is None:
        return "skipped: axe-core-python is not installed"
    found = []
    for place in ("", "#/users!users/user-000007", "#favourites", "#search?resource=users&q=user-00001", "#find?q=user"):
        window = chromium.Window(case.browser, case.served.page + place)
        window.until("!!document.querySelector('#places a') && !document.querySelector('.end').textContent.includes('Reading')")
        time.sleep(0.5)
        # The page's policy allows no other scripts, but the debugger may run one.
        window.run(script + "; true")
        for is_dark in (False, True):
            window.dark(is_dark)
            result = window.run("axe.run().then((result) => result.violations.map((one) => [one.impact, one.id, one.nodes.map((node) => node.html.slice(0, 120)).slice(0, 3)]))")
            found += [[place, is_dark, *one] for one in result if one[0] in ("serious", "critical")]
        window.close()
    assert found == [], json.dumps(found, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pictures", metavar="FOLDER")
    parser.add_argument("--only", metavar="WORD", default="")
    parser.add_argument("program", nargs="?", default=".build-test/release/patchbay")
    options = parser.parse_args()
    if not chromium.find():
        print("skipped: no Chromium is installed (Debian: apt-get install chromium)")
        return 0
    failed = 0
    with upstream(Answer, is_offline=False, requests=[], rows=ROWS, silent=set()) as api, serving(
            options.program, api.address) as served:
        with open(os.path.join(served.folder, "users.jsonl"), "w", encoding="utf-8") as file:
            for number in range(1, ROWS + 1):
                file.write(json.dumps(user(number, api.address)) + "\n")
        served.command("import", "users", file.name)
        browser = chromium.Chromium()
        try:
            for sentence, body in TESTS:
                if options.only not in sentence:
                    continue
                start = time.monotonic()
                case = Case(browser, served, api, options.pictures)
                try:
                    words = body(case)
                    case.end()
                    word = "ok"
                except Exception as error:  # after any error, the other tests still run
                    failed += 1
                    word, words = "FAILED", re.sub(r"\s+", " ", f"{type(error).__name__}: {error}")[:1_500]
                    if case.windows:
                        case.show(case.windows[-1], "failed")
                case.close()
                print(f"{word:6} {time.monotonic() - start:5.1f} s  {sentence}{': ' + words if words else ''}", flush=True)
        finally:
            browser.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
