#!/usr/bin/env python3
"""Drives `patchbay mcp` and `/-/mcp` with clients of the protocol, in every mode that they have, and with two suites.

    python3 -m venv VENV && VENV/bin/pip install mcp fastmcp aiohttp-mcp-client mcp-conform jbt-mcpcheck
    VENV/bin/python Scripts/mcp-clients.py PATCHBAY

Every tool, resources and subscriptions over standard input and output and over HTTP, then hostile messages, and the
time of each tool. FastMCP is built on the package `mcp`; aiohttp-mcp-client and mcp-conform have code of their own, and
jbt-mcpcheck checks what it reads from the wire.
"""

import asyncio
import collections
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PATCHBAY = os.path.abspath(sys.argv[1])
PORT = 8123
# The number of resources of the source.
RESOURCES = 10
SEED = int(os.environ.get("SEED", "1"))
failures = []


def expect(what, is_right):
    if not is_right:
        failures.append(what)
        print("FAILED", what)


def environment(home):
    return dict(os.environ, HOME=home, XDG_DATA_HOME=home + "/data", XDG_CONFIG_HOME=home + "/config",
                XDG_CACHE_HOME=home + "/cache", PATCHBAY_RECORDINGS=ROOT + "/Recordings")


def run(env, *words):
    return subprocess.run([PATCHBAY, *words], env=env, cwd=env["HOME"], check=True, capture_output=True)


async def tools(client, where):
    """Calls every tool."""
    listed = (await client.list_tools()).tools
    names = [tool.name for tool in listed]
    definitions = json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in listed])
    print(where, len(names), "tools,", len(definitions), "bytes of definitions")
    expect(f"{where}: definitions", len(definitions) <= 8_000)

    async def call(tool, /, **arguments):
        answer = await client.call_tool(tool, arguments)
        text = json.loads(answer.content[0].text.split("\n")[-1])
        expect(f"{where} the text of {tool}", text == answer.structured_content)
        return answer.structured_content, answer.is_error

    listed, _ = await call("resources")
    expect(f"{where}: resources", [r for r in listed["resources"] if r["name"] == "users"][0]["rows"] == 104)
    one, _ = await call("resources", name="users")
    expect(f"{where}: fields", "login text" in one["fields"])
    seen, cursor = [], None
    while True:
        page, _ = await call("rows", resource="users", limit=40, fields=["login"],
                             **({"cursor": cursor} if cursor else {}))
        seen += [row["login"] for row in page["rows"]]
        cursor = page.get("cursor")
        if not cursor:
            break
    expect(f"{where}: all rows once", len(seen) == 104 == len(set(seen)))
    found, _ = await call("rows", resource="users", where={"login": "Marlow-Quern"}, fields=["id"])
    expect(f"{where}: where", [row["id"] for row in found["rows"]] == [900000017])
    row, _ = await call("row", resource="users", handle="Marlow-Quern")
    expect(f"{where}: row", row["row"]["id"] == 900000017 and "age_seconds" in row)
    answer, _ = await call("query", sql="SELECT count(*) AS n FROM users WHERE type = :t", values={"t": "User"})
    expect(f"{where}: query", answer["columns"] == ["n"] and answer["rows"][0][0] > 0)
    _, is_error = await call("query", sql="DELETE FROM users")
    expect(f"{where}: only reads", is_error)
    found, is_error = await call("find", text="marlow*")
    expect(f"{where}: find", not is_error and found["complete"] is True)
    position, total = None, 0
    while True:
        page, _ = await call("changes", **({"since": position} if position else {}))
        total += len(page["changes"])
        position = page["position"]
        if not page["more"]:
            break
    expect(f"{where}: changes", total >= 104)
    limits, _ = await call("limits")
    expect(f"{where}: limits", limits["limits"] == [])
    fetched, _ = await call("refresh", resource="users")
    expect(f"{where}: refresh", fetched["complete"] is True)
    _, is_error = await call("rows", resource="usres")
    expect(f"{where}: unknown resource", is_error)
    resources = (await client.list_resources()).resources
    expect(f"{where}: addresses", "patchbay://github/users" in [str(resource.uri) for resource in resources])
    templates = (await client.list_resource_templates()).resource_templates
    expect(f"{where}: template", len(templates) == 1)
    read = await client.read_resource("patchbay://github/users/Marlow-Quern")
    expect(f"{where}: read", json.loads(read.contents[0].text)["row"]["login"] == "Marlow-Quern")


async def subscription(client, env, where):
    """An edit by another process is reported for its row, and not for another one."""
    uris = ["patchbay://github/users/Marlow-Quern", "patchbay://github/users/Ottoline-Brack"]
    async with client.listen(resource_subscriptions=uris) as events:
        await asyncio.sleep(0.3)
        run(env, "edit", "users", "Marlow-Quern", f"name={time.time()}")
        event = await asyncio.wait_for(anext(aiter(events)), 10)
        expect(f"{where}: reported", str(event.uri) == uris[0])


def timed(env):
    """The time of each tool, of the first answer, and hostile lines."""
    child = subprocess.Popen([PATCHBAY, "mcp"], env=env, cwd=env["HOME"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    number = 0

    def ask(name, **arguments):
        nonlocal number
        number += 1
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call",
                   "params": {"name": name, "arguments": arguments}}
        child.stdin.write(json.dumps(message).encode() + b"\n")
        child.stdin.flush()
        return json.loads(child.stdout.readline())

    start = time.perf_counter()
    ask("limits")
    print(f"first answer after {(time.perf_counter() - start) * 1000:.1f} ms")
    for name, arguments in [
            ("resources", {}), ("rows", {"resource": "users", "limit": 20}),
            ("row", {"resource": "users", "handle": "Marlow-Quern"}),
            ("query", {"sql": "SELECT count(*) FROM users"}), ("changes", {"limit": 20}), ("limits", {})]:
        times = []
        for _ in range(300):
            start = time.perf_counter()
            ask(name, **arguments)
            times.append((time.perf_counter() - start) * 1000)
        times.sort()
        print(f"{name:10} p50 {statistics.median(times):6.2f} ms, p99 {times[297]:6.2f} ms")
    before = memory(child.pid)
    sent = 0
    for round, line in enumerate(hostile()):
        child.stdin.write(line + b"\n")
        sent += 1
        if sent % 50 == 0:
            # Everything before has been taken once this is answered; other answers come before or after it.
            child.stdin.write(b'{"jsonrpc":"2.0","id":"mark-%d","method":"ping"}\n' % round)
            child.stdin.flush()
            while json.loads(child.stdout.readline()).get("id") != "mark-%d" % round:
                pass
    expect("hostile lines end nothing", child.poll() is None)
    print(f"10,000 hostile lines (seed {SEED}): memory {before} to {memory(child.pid)} KiB")
    child.stdin.write(b"x" * 100_000_000 + b"\n")
    child.stdin.flush()
    while json.loads(child.stdout.readline()).get("error", {}).get("code") != -32600:
        pass
    print(f"a line of 100 MB: memory {memory(child.pid)} KiB")
    child.stdin.close()
    expect("the command ends with its input", child.wait(10) == 0)


def hostile():
    """Messages of which some bytes are wrong."""
    chance = random.Random(SEED)
    rights = [b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rows","arguments":{"resource":"users"}}}',
              b'{"jsonrpc":"2.0","id":1,"method":"server/discover"}', b'[]', b'{}', b'null', b'"x"', b'{"jsonrpc":"2.0"}',
              b'{"jsonrpc":"2.0","id":{},"method":"ping"}', b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
              '{"jsonrpc":"2.0","id":"\u2028","method":"\u2028"}'.encode(), b"[" * 5_000, b"\xff\xfe{", b'{"id":1}{"id":2}']
    for _ in range(10_000):
        line = bytearray(chance.choice(rights))
        for _ in range(chance.randrange(1, 4)):
            line[chance.randrange(len(line))] = chance.randrange(256)
        yield bytes(line).replace(b"\n", b" ").replace(b"\r", b" ")


def hostile_over_http(server):
    """Each message is answered with an error of JSON-RPC, unless it is still a valid one."""
    before, answers = memory(server.pid), collections.Counter()
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
    for line in hostile():
        connection.request("POST", "/-/mcp", line, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        answers[answer.status] += 1
        if answer.status == 202:
            continue
        body = json.loads(text)
        expect(f"hostile message {line}: {answer.status} {text}",
               "result" in body if answer.status == 200 else answer.status in (400, 404) and "code" in body["error"])
    expect("hostile messages end nothing", server.poll() is None)
    print(f"10,000 hostile messages over HTTP (seed {SEED}): {dict(answers)}, memory {before} to {memory(server.pid)} KiB")


def memory(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1])


def posted(body, **fields):
    """Posts a message and returns the status and the code of the error."""
    fields = {name.replace("_", "-"): value for name, value in fields.items()}
    request = urllib.request.Request(
        f"http://127.0.0.1:{PORT}/-/mcp", json.dumps(body).encode() if not isinstance(body, bytes) else body,
        {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **fields})
    try:
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
            return answer.status, json.loads(text).get("error", {}).get("code") if text else None
    except urllib.error.HTTPError as error:
        text = error.read()
        return error.code, json.loads(text).get("error", {}).get("code") if text.startswith(b'{"json') else None


async def second(env, address):
    """Calls tools and reads resources with FastMCP's client, over both transports."""
    try:
        from fastmcp import Client as Second
        from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
    except ImportError:
        print("skipped: fastmcp is not installed", file=sys.stderr)
        return
    for mode in ["legacy", "auto", "2026-07-28"]:
        for transport in [StdioTransport(PATCHBAY, ["mcp"], env=env, cwd=env["HOME"]), StreamableHttpTransport(address)]:
            where = f"FastMCP, {type(transport).__name__}, {mode}"
            async with Second(transport, mode=mode) as client:
                names = [tool.name for tool in await client.list_tools()]
                expect(f"{where}: tools", len(names) == 8)
                page = await client.call_tool("rows", {"resource": "users", "limit": 2})
                expect(f"{where}: rows", len(page.structured_content["rows"]) == 2)
                wrong = await client.call_tool("query", {"sql": "DELETE FROM users"}, raise_on_error=False)
                expect(f"{where}: only reads", wrong.is_error)
                expect(f"{where}: addresses", len(await client.list_resources()) == RESOURCES)
                expect(f"{where}: templates", len(await client.list_resource_templates()) == 1)
                read = await client.read_resource("patchbay://github/users/Marlow-Quern")
                expect(f"{where}: read", json.loads(read[0].text)["row"]["login"] == "Marlow-Quern")
                print(where, len(names), "tools")


async def third(address):
    """Calls tools and reads resources with a client that shares no code with the others."""
    try:
        from aiohttp_mcp_client import MCPClient
    except ImportError:
        print("skipped: aiohttp-mcp-client is not installed", file=sys.stderr)
        return
    async with MCPClient(address) as client:
        expect("third: tools", len(await client.list_tools()) == 8)
        page = await client.call_tool("rows", {"resource": "users", "limit": 2})
        expect("third: rows", not page.is_error and len(json.loads(page.content[0].text.split("\n")[-1])["rows"]) == 2)
        wrong = await client.call_tool("query", {"sql": "DELETE FROM users"})
        expect("third: only reads", wrong.is_error)
        listed = await client.list_resources()
        expect("third: addresses", "patchbay://github/users" in [resource.uri for resource in listed])
        read = await client.read_resource("patchbay://github/users/Marlow-Quern")
        expect("third: read", json.loads(read[0].text)["row"]["login"] == "Marlow-Quern")
        await client.ping()
        print("aiohttp-mcp-client: tools, rows, addresses")


def suites(env, address):
    """Runs public suites of tests of servers. Each ends with 0 if nothing has failed."""
    folder = os.path.dirname(sys.executable)
    for name, *words in [
            ("mcp-conform", "server", "--command", f"{PATCHBAY} mcp"),
            ("mcp-conform", "server", "--transport", "http", "--url", address.removesuffix("/mcp")),
            ("jbt-mcpcheck", address, "--strict", "--legacy-probes", "--no-color")]:
        if not os.path.exists(f"{folder}/{name}"):
            print(f"skipped: {name} is not installed", file=sys.stderr)
            continue
        done = subprocess.run([f"{folder}/{name}", *words], env=env, cwd=env["HOME"], capture_output=True, text=True)
        expect(f"{name}: {done.stdout}{done.stderr}", done.returncode == 0)
        print(name, next((line.strip() for line in reversed(done.stdout.splitlines()) if "passed" in line), "failed"))


def over_http():
    """The rules about header fields and versions."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}}
    good = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    fields = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/list"}
    expect("good", posted(good, **fields) == (200, None))
    expect("version of another era in the header",
           posted(good, **{**fields, "MCP_Protocol_Version": "2025-11-25"}) == (400, -32020))
    expect("method", posted(good, **{**fields, "Mcp_Method": "tools/call"}) == (400, -32020))
    expect("method missing", posted(good, MCP_Protocol_Version="2026-07-28") == (400, -32020))
    call = {**good, "method": "tools/call", "params": {"_meta": meta, "name": "limits"}}
    expect("name missing", posted(call, **{**fields, "Mcp_Method": "tools/call"}) == (400, -32020))
    expect("name", posted(call, **{**fields, "Mcp_Method": "tools/call", "Mcp_Name": "limits"}) == (200, None))
    expect("encoded name", posted(
        call, **{**fields, "Mcp_Method": "tools/call", "Mcp_Name": "=?base64?bGltaXRz?="}) == (200, None))
    old = {**meta, "io.modelcontextprotocol/protocolVersion": "1900-01-01"}
    expect("unknown version", posted({**good, "params": {"_meta": old}}, MCP_Protocol_Version="1900-01-01",
                                     Mcp_Method="tools/list") == (400, -32022))
    expect("unknown version in the header", posted(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, MCP_Protocol_Version="1900-01-01") == (400, -32022))
    bare = {**good, "params": {}}
    expect("no _meta", posted(bare, **fields) == (400, -32602))
    half = {**good, "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}}
    expect("no capabilities", posted(half, **fields) == (400, -32602))
    gone = {**good, "method": "ping"}
    expect("removed method", posted(gone, **{**fields, "Mcp_Method": "ping"}) == (404, -32601))
    expect("not JSON", posted(b"{", **fields) == (400, -32700))
    expect("a batch", posted([good], **fields) == (400, -32600))
    expect("a notification", posted({"jsonrpc": "2.0", "method": "notifications/cancelled"}, **fields)[0] == 202)
    expect("another origin", posted(good, **fields, Origin="https://evil.example")[0] == 403)
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{PORT}/-/mcp")
        expect("GET", False)
    except urllib.error.HTTPError as error:
        expect("GET", error.code == 405 and error.headers["Allow"] == "POST")


async def main():
    home = tempfile.mkdtemp()
    env = environment(home)
    run(env, "sync", "users", "-q")
    timed(env)
    parameters = StdioServerParameters(command=PATCHBAY, args=["mcp"], env=env, cwd=home)
    for mode in ["legacy", "auto", "2026-07-28"]:
        async with Client(stdio_client(parameters), mode=mode) as client:
            await tools(client, f"stdio, {mode}, {client.protocol_version}:")
            if mode != "legacy":
                await subscription(client, env, f"stdio, {mode}")
    server = subprocess.Popen([PATCHBAY, "serve", "--listen", f"127.0.0.1:{PORT}"], env=env, cwd=home,
                              stderr=subprocess.PIPE)
    server.stderr.readline()
    try:
        over_http()
        hostile_over_http(server)
        for mode in ["legacy", "auto", "2026-07-28"]:
            address = f"http://127.0.0.1:{PORT}/-/mcp"
            async with Client(streamable_http_client(address), mode=mode) as client:
                await tools(client, f"HTTP, {mode}, {client.protocol_version}:")
                if mode != "legacy":
                    await subscription(client, env, f"HTTP, {mode}")
        await second(env, address)
        await third(address)
        suites(env, address)
    finally:
        server.terminate()
        server.wait(20)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


asyncio.run(main())
