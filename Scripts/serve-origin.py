#!/usr/bin/env python3
"""Tries to act in the origin of `patchbay serve` as a hostile source, in a headless Chromium.

    python3 Scripts/serve-origin.py PATCHBAY

The upstream answers with every pair of a media type and of fields that could make a browser run a script, register a
worker or touch storage. Each answer is opened as a page of the gateway, once fetched and once from the cache. The same
pages are opened at the upstream itself, where scripts must run; otherwise nothing was tested. Without Chromium only the
fields are checked. The status is 1 when a script ran, when storage of the gateway's origin changed, or when an answer
lacked the gateway's policy.
"""

import http.client
import sys
import time

import chromium
import serving
from verdict import verdict

POLICY = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
}
# Calls a function that the browser provides, and touches every storage of the origin.
SCRIPT = """
try { ran(location.href) } catch (error) {}
for (const act of [
  () => localStorage.setItem('hostile', '1'), () => { document.cookie = 'hostile=1' }, () => caches.open('hostile'),
  () => indexedDB.open('hostile'), () => navigator.serviceWorker.register('/0/0/worker', { scope: '/' }),
]) { try { act() } catch (error) {} }
"""
HTML = f"<!doctype html><html><body onload=\"try {{ ran(location.href) }} catch (e) {{}}\"><script>{SCRIPT}</script>x"
SVG = f'<svg xmlns="http://www.w3.org/2000/svg"><script><![CDATA[{SCRIPT}]]></script></svg>'
XHTML = f'<html xmlns="http://www.w3.org/1999/xhtml"><body><script><![CDATA[{SCRIPT}]]></script></body></html>'
XSLT = ('<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#s"?><!DOCTYPE x [<!ATTLIST xsl:stylesheet id ID '
        '#IMPLIED>]><x><xsl:stylesheet id="s" version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
        f'<xsl:template match="/"><html><script>{SCRIPT}</script></html></xsl:template></xsl:stylesheet></x>')
MIXED = f"--x\r\nContent-Type: text/html\r\nContent-Security-Policy: script-src *\r\n\r\n{HTML}\r\n--x--\r\n"
# The values of one or several Content-Type lines, and the body.
TYPES = [
    (["text/javascript"], SCRIPT), (["text/html"], HTML), (["text/html; charset=utf-8"], HTML),
    (["application/json;,text/html"], HTML), (["application/json", "text/html"], HTML),
    (["text/html", "application/json"], HTML), (["application/json, text/html"], HTML),
    (["text/html, application/json"], HTML), (["application/json;\ttext/html"], HTML), (["*/*"], HTML),
    (["unknown/unknown"], HTML), (["application/unknown"], HTML), (["text/plain"], HTML), (["text"], HTML), ([""], HTML),
    ([], HTML), (["application/json"], HTML), (["text/html; charset=utf-7"], HTML), (["TEXT/HTML;"], HTML),
    (["application/xhtml+xml"], XHTML), (["image/svg+xml"], SVG), (["application/atom+xml"], XHTML),
    (["text/xml"], XSLT), (["application/xml"], XHTML), (["text/xsl"], XSLT),
    (["multipart/x-mixed-replace; boundary=x"], MIXED), (["multipart/related; boundary=x"], MIXED),
    (["message/rfc822"], MIXED), (["application/pdf"], HTML), (["text/css"], HTML),
    (["application/x-shockwave-flash"], HTML), (["text/cache-manifest"], "CACHE MANIFEST\n/\n"),
]
ANY = "default-src * 'unsafe-inline' 'unsafe-eval' data: blob:"
# Fields beside the type.
FIELDS = [
    [], [("Content-Security-Policy", ANY)], [("Content-Security-Policy", "sandbox allow-scripts allow-same-origin")],
    [("Content-Security-Policy", ANY), ("Content-Security-Policy", "sandbox allow-scripts allow-same-origin")],
    [("content-security-policy", ANY), ("Connection", "Content-Security-Policy, X-Content-Type-Options")],
    [("Content-Security-Policy-Report-Only", ANY), ("X-Content-Security-Policy", ANY)],
    [("X-Content-Type-Options", "sniff"), ("X-Content-Type-Options", "")],
    [("Service-Worker-Allowed", "/"), ("Link", "</0/0/worker>; rel=serviceworker; scope=\"/\"")],
    [("Clear-Site-Data", '"cache", "cookies", "storage", "executionContexts", "clientHints"')],
    [("Set-Cookie", "hostile=1; Path=/"), ("Set-Cookie2", "hostile=1"), ("Set-Login", "logged-in")],
    [("Refresh", "0; url=data:text/html,<script>ran(1)</script>")], [("Refresh", "0; url=javascript:ran(1)")],
    [("Link", "</0/0/x>; rel=preload; as=script, </0/0/x>; rel=modulepreload, </0/0/x>; rel=stylesheet")],
    [("Speculation-Rules", '"/0/0/rules"'), ("Supports-Loading-Mode", "credentialed-prerender")],
    [("Access-Control-Allow-Origin", "*"), ("Cross-Origin-Resource-Policy", "cross-origin"),
     ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Embedder-Policy", "require-corp"),
     ("Origin-Agent-Cluster", "?1"), ("Timing-Allow-Origin", "*")],
    [("NEL", '{"report_to":"x","max_age":99}'), ("Report-To", '{"group":"x","max_age":99,"endpoints":[]}'),
     ("Reporting-Endpoints", 'x="/0/0/x"'), ("SourceMap", "/0/0/x"), ("X-SourceMap", "/0/0/x")],
    [("Permissions-Policy", "unload=*"), ("Document-Policy", "js-profiling"), ("Feature-Policy", "camera *"),
     ("Accept-CH", "Sec-CH-UA-Full"), ("Use-As-Dictionary", 'match="/*"')],
    [("Strict-Transport-Security", "max-age=99"), ("WWW-Authenticate", 'Basic realm="gateway"'),
     ("Patchbay-Answer", "origin=storage"), ("Patchbay-Token", "x"), ("X-Accel-Redirect", "/etc/passwd")],
    [("Content-Disposition", "inline"), ("Content-Type-Options", "sniff"), ("X-Frame-Options", "ALLOWALL")],
]
FORBIDDEN = {name.lower() for fields in FIELDS for name, _ in fields} - set(POLICY) - {
    "link", "content-disposition", "content-type-options", "connection", "set-cookie2", "x-frame-options"}


class Hostile(serving.Handler):
    def do_GET(self):
        parts = self.path.strip("/").split("/")
        if len(parts) < 2 or not parts[0].isdigit() or not parts[1].isdigit():
            return self.reply(b"{}", {"Content-Type": "application/json"}, 404)
        types, body = TYPES[int(parts[0])]
        body = body.encode()
        self.send_response(200)
        for value in types:
            self.send_header("Content-Type", value)
        for name, value in FIELDS[int(parts[1])]:
            self.send_header(name, value)
        self.send_header("Cache-Control", "max-age=600")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


PAIRS = [(kind, fields) for kind in range(len(TYPES)) for fields in range(len(FIELDS))]


def check_fields(server):
    """Returns the faults in the fields of all answers."""
    faults = []
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for kind, fields in PAIRS:
        for _ in ("fetched", "stored"):
            connection.request("GET", f"/{kind}/{fields}")
            answer = connection.getresponse()
            answer.read()
            sent = [(name.lower(), value) for name, value in answer.getheaders()]
            place = f"{TYPES[kind][0]} with {FIELDS[fields]}"
            for name, expected in POLICY.items():
                values = [value for other, value in sent if other == name]
                if values != [expected]:
                    faults.append(f"{name} is {values}: {place}")
            types = [value for name, value in sent if name == "content-type"]
            if len(types) != 1 or "," in types[0]:
                faults.append(f"Content-Type is {types}: {place}")
            faults += [f"{name} is passed on: {place}" for name, _ in sent if name in FORBIDDEN]
    connection.close()
    return faults


class Visitor:
    """A window that opens pages and notes in which of them a script ran."""

    def __init__(self, browser):
        self.window = chromium.Window(browser, "about:blank")
        self.window.call("Runtime.addBinding", name="ran")
        self.window.call("Browser.setDownloadBehavior", behavior="deny")

    def open(self, address):
        before = len(self.window.events("Page.loadEventFired"))
        answer = self.window.call("Page.navigate", url=address)
        end = time.monotonic() + (0.05 if answer.get("errorText") else 1)
        while time.monotonic() < end and len(self.window.events("Page.loadEventFired")) == before:
            time.sleep(0.002)

    def ran(self):
        return [event["params"]["payload"] for event in self.window.events("Runtime.bindingCalled")]


STORAGE = """(async () => JSON.stringify({
  local: Object.keys(localStorage).sort(), cookie: document.cookie, caches: await caches.keys(),
  databases: (await indexedDB.databases()).map((each) => each.name),
  workers: (await navigator.serviceWorker.getRegistrations()).length }))()"""


def check_pages(server, upstream):
    """Returns the faults, and the number of pages whose scripts ran at the upstream."""
    browser = chromium.Chromium()
    try:
        visitor = Visitor(browser)
        for kind, _ in enumerate(TYPES):
            visitor.open(f"{upstream.address}/{kind}/0")
        control = len({address for address in visitor.ran()})
        visitor.open(server.page)
        visitor.window.run("localStorage.setItem('own', '1'); document.cookie = 'own=1'")
        before = visitor.window.run(STORAGE)
        known = len(visitor.ran())
        for kind, fields in PAIRS:
            visitor.open(f"{server.base}/{kind}/{fields}")
        faults = [f"a script ran in {address}" for address in visitor.ran()[known:]]
        visitor.open(server.page)
        after = visitor.window.run(STORAGE)
        if after != before:
            faults.append(f"the storage of the origin was {before} and is {after}")
        return faults, control
    finally:
        browser.close()


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    with serving.upstream(Hostile) as upstream, serving.serving(sys.argv[1], upstream.address) as server:
        failures = check_fields(server)
        print(f"{len(PAIRS)} answers of a hostile source, each twice: {len(failures)} faults in fields", flush=True)
        if chromium.find():
            faults, control = check_pages(server, upstream)
            print(f"opened in Chromium: {len(faults)} faults; at the source itself, scripts of {control} pages ran")
            failures += faults
            if control < 5:
                failures.append("hardly any script ran at the source itself, so nothing was tested")
        else:
            print("skipped: Chromium is not installed")
        if server.process.poll() is not None:
            failures.append("the server has ended")
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
