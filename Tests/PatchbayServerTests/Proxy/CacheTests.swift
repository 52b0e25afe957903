import HTTPTypes
import PatchbayCore
import PatchbayTestKit
import PatchbayDomain
import Synchronization
import Testing

@testable import PatchbayServer

@Suite("The proxy's cache")
struct CacheTests {
    @Test("a fresh answer is served with its age and without a request")
    func hit() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60, [.eTag: "\"a\"", .date: bench.date]))
        let first = await bench.get()
        #expect(first["Cache-Status"] == "patchbay; fwd=uri-miss; fwd-status=200; stored")
        #expect(first["Age"] == nil)
        bench.clock.advance(by: .seconds(7))
        let second = await bench.get()
        #expect(second.text == "body")
        #expect(second["Age"] == "7")
        #expect(second["Cache-Status"] == "patchbay; hit; ttl=53")
        #expect(second["Date"] == Timestamp("2026-11-23T12:00:00Z")?.httpDate, "the date stays the server's")
        #expect(bench.server.count == 1)
    }

    @Test("a fresh answer in memory needs no task")
    func ready() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60, [.eTag: "\"a\""]))
        let request = Requests.make(.get, "/users")
        let first = bench.proxy.reply(to: request)
        #expect(first.ready == nil && bench.server.count == 0)
        _ = await first.response()
        #expect(bench.proxy.reply(to: request).ready?.text == "body")
        for (fields, status) in [([.ifNoneMatch: "\"a\""], 304), ([.range: "bytes=1-2"], 206)]
            as [(HTTPFields, Int)]
        {
            let request = Requests.make(.get, "/users", fields: fields)
            #expect(bench.proxy.reply(to: request).ready?.status == status)
        }
        for fields in [[.cacheControl: "no-cache"], [.cacheControl: "no-store"]] as [HTTPFields] {
            #expect(bench.proxy.reply(to: Requests.make(.get, "/users", fields: fields)).ready == nil)
        }
        #expect(bench.proxy.reply(to: Requests.make(.post, "/users")).ready == nil)
        #expect(bench.server.count == 1)
        bench.clock.advance(by: .seconds(61))
        #expect(bench.proxy.reply(to: request).ready == nil)
    }

    @Test(
        "a stale answer is confirmed by its unchanged tag, and a 304 returns the stored body"
    )
    func confirmed() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(
            .fresh(10, [.eTag: "W/\"a\"", .link: "<x>; rel=\"next\""]),
            .answer(
                304, [.eTag: "\"a\"", .cacheControl: "max-age=20", .init("X-RateLimit-Remaining")!: "7"], ""))
        _ = await bench.get()
        bench.clock.advance(by: .seconds(11))
        let confirmed = await bench.get()
        #expect(bench.server.last?.headerFields[.ifNoneMatch] == "W/\"a\"")
        #expect(bench.server.last?.headerFields[.ifModifiedSince] == nil)
        #expect((confirmed.status, confirmed.text) == (200, "body"))
        #expect(confirmed["Cache-Status"] == "patchbay; fwd=stale; fwd-status=304; stored")
        #expect(confirmed["ETag"] == "W/\"a\"")
        #expect(confirmed["Link"] == "<x>; rel=\"next\"")
        #expect(confirmed["X-RateLimit-Remaining"] == "7")
        bench.clock.advance(by: .seconds(19))
        #expect(await bench.get()["Cache-Status"] == "patchbay; hit; ttl=1")
        #expect(bench.server.count == 2)
    }

    @Test("without a tag the date confirms an answer, and an empty tag confirms nothing")
    func validators() async throws {
        let bench = try await ProxyBench()
        let date = "Wed, 01 Jan 2020 00:00:00 GMT"
        bench.server.answers(.fresh(0, [.lastModified: date]))
        _ = await bench.get("/dated")
        _ = await bench.get("/dated")
        #expect(bench.server.last?.headerFields[.ifModifiedSince] == date)
        bench.server.answers(.fresh(0, [.eTag: "W/\"\"", .lastModified: date]))
        _ = await bench.get("/empty")
        _ = await bench.get("/empty")
        #expect(bench.server.last?.headerFields[.ifNoneMatch] == nil)
        #expect(bench.server.last?.headerFields[.ifModifiedSince] == nil)
    }

    @Test("an answer that the definition marks as an error is returned, but does not replace the stored one")
    func markedError() async throws {
        let bench = try await ProxyBench(), error = #"{"ok": false}"#, rows = #"{"ok": true}"#
        var upstream = Upstream(baseURL: ProxyBench.base, networking: bench.server)
        upstream.marksError = { $0 == Array(error.utf8) }
        let proxy = try ProxyResponder(
            upstream, cache: bench.cache, ProxyOptions(), clock: bench.clock.layerClock)
        func get() async -> String { await proxy.respond(to: Requests.make(.get, "/users")).text }
        let type: HTTPFields = [.contentType: "application/json"]
        bench.server.answers(.answer(200, type, rows), .answer(200, type, error))
        #expect(await get() == rows)
        #expect(await get() == error)
        bench.server.fails(PatchbayError(.offline, "no connection"))
        #expect(await get() == rows)
    }

    @Test("an answer does not replace one that was requested later and arrived before it")
    func late() async throws {
        let bench = try await ProxyBench(), server = HeldFirst()
        let proxy = try ProxyResponder(
            Upstream(baseURL: ProxyBench.base, networking: server), cache: bench.cache, ProxyOptions(),
            clock: bench.clock.layerClock)
        func get(_ fields: HTTPFields = [:]) async -> String {
            await proxy.respond(to: Requests.make(.get, "/users", fields: fields)).text
        }
        let first = Task { await get() }
        await server.isWaiting()
        bench.clock.advance(by: .seconds(1))
        #expect(await get([.cacheControl: "no-cache"]) == "second")
        server.release()
        #expect(await first.value == "first")
        #expect(await get() == "second")
        // A time in the future was recorded before the clock was set back.
        bench.clock.set(bench.clock.now().advanced(by: .seconds(-3_600)))
        #expect(await get([.cacheControl: "no-cache"]) == "third")
        #expect(await get() == "third")
    }

    /// A server whose first answer is held.
    private final class HeldFirst: Networking {
        private let count = Mutex(0)
        private let (waits, wait) = AsyncStream.makeStream(of: Void.self)
        private let (releases, free) = AsyncStream.makeStream(of: Void.self)

        func isWaiting() async { for await _ in waits { return } }
        func release() { free.yield() }

        func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 1 {
                wait.yield()
                for await _ in releases { break }
            }
            return .fresh(60, [:], ["first", "second", "third"][number - 1])
        }
    }

    @Test("a 304 that no one asked for is 502 and is not stored")
    func unasked() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.answer(304, [.eTag: "\"a\""], ""))
        #expect(await bench.get().status == 502)
        #expect(await bench.get("/users", [.ifNoneMatch: "\"a\""]).status == 304)
        #expect(await bench.get("/users", [.cacheControl: "only-if-cached"]).status == 504)
    }

    @Test("a client that has the answer gets 304, even after it was fetched again")
    func clientConditions() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60, [.eTag: "W/\"a\"", .lastModified: "Wed, 01 Jan 2020 00:00:00 GMT"]))
        _ = await bench.get()
        #expect(await bench.get("/users", [.ifNoneMatch: "\"x\", \"a\""]).status == 304)
        #expect(await bench.get("/users", [.ifNoneMatch: "\"x\""]).status == 200)
        #expect(await bench.get("/users", [.ifModifiedSince: "Thu, 02 Jan 2020 00:00:00 GMT"]).status == 304)
        #expect(await bench.get("/users", [.ifModifiedSince: "Tue, 31 Dec 2019 00:00:00 GMT"]).status == 200)
        let both: HTTPFields = [.ifNoneMatch: "\"x\"", .ifModifiedSince: "Thu, 02 Jan 2020 00:00:00 GMT"]
        #expect(await bench.get("/users", both).status == 200, "a tag takes precedence over a date")
        #expect(bench.server.count == 1)
        _ = await bench.get("/new", [.ifNoneMatch: "\"mine\""])
        #expect(
            bench.server.last?.headerFields[.ifNoneMatch] == "\"mine\"",
            "nothing is stored: the client's goes")
    }

    @Test("JSON after a line that keeps web pages from running it is stored unchanged")
    func preamble() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60, [.contentType: "application/json"], ")]}'\n[{\"id\":1}]"))
        for status in ["fwd=uri-miss; fwd-status=200; stored", "hit; ttl=60"] {
            let response = await bench.get()
            #expect(response.text == ")]}'\n[{\"id\":1}]")
            #expect(response["Cache-Status"] == "patchbay; " + status)
        }
    }

    @Test("no-store, Vary: *, failures and truncated JSON are not stored")
    func notKept() async throws {
        let bench = try await ProxyBench()
        let unkept: [Response] = [
            .answer(200, [.cacheControl: "no-store, max-age=60"]), .fresh(60, [.vary: "Accept, *"]),
            .answer(202, [.cacheControl: "max-age=60"]), .answer(403, [.cacheControl: "max-age=60"]),
            .answer(404, [.cacheControl: "max-age=60"]), .answer(429, [.cacheControl: "max-age=60"]),
            .answer(500, [.cacheControl: "max-age=60"]), .answer(206, [.cacheControl: "max-age=60"]),
            .answer(200, [.cacheControl: "private, max-age=60"]),
            .fresh(60, [.contentType: "application/json"], #"[{"id":1},{"i"#),
            .fresh(60, [.contentType: "application/json"], ""),
            .fresh(60, [.contentType: "application/vnd.github+json; charset=utf-8"], #"{"id":1}}"#),
        ]
        for (number, response) in unkept.enumerated() {
            bench.server.answers(response)
            let before = bench.server.count
            for _ in 1...2 { _ = await bench.get("/\(number)") }
            #expect(bench.server.count == before + 2, "\(response.head)")
        }
    }

    @Test("request directives: no-store, no-cache, max-age, min-fresh, max-stale, only-if-cached")
    func wishes() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60))
        func asks(_ control: String) async -> Bool {
            let before = bench.server.count
            _ = await bench.get("/users", [.cacheControl: control])
            return bench.server.count > before
        }
        let early = await bench.get("/users", [.cacheControl: "only-if-cached"])
        #expect(early.status == 504 && bench.server.count == 0)
        #expect(await asks("no-store"))
        #expect(await asks("max-age=60"), "the answer to a no-store request was not stored")
        bench.clock.advance(by: .seconds(20))
        #expect(await !asks("max-age=20"))
        #expect(await asks("max-age=19"))
        bench.clock.advance(by: .seconds(20))
        #expect(await !asks("min-fresh=40"))
        #expect(await asks("min-fresh=41"))
        #expect(await asks("no-cache"))
        bench.clock.advance(by: .seconds(70))
        #expect(await !asks("max-stale=10"))
        #expect(await !asks("max-stale"))
        #expect(await asks("max-stale=9"))
    }

    @Test("answers differ by Accept and version and by the fields in Vary")
    func selecting() async throws {
        let bench = try await ProxyBench()
        let version = HTTPField.Name("X-GitHub-Api-Version")!, custom = HTTPField.Name("X-Mine")!
        bench.server.answers(.fresh(60, [.vary: "X-Mine"]))
        let variants: [HTTPFields] = [
            [:], [.accept: "text/html"], [version: "2022-11-28"], [version: "2026-03-10"], [custom: "1"],
            [custom: "1, 2"],
        ]
        for fields in variants + variants { _ = await bench.get("/users", fields) }
        #expect(bench.server.count == variants.count)
        _ = await bench.get("/users", [.userAgent: "another", .acceptEncoding: "br", .cookie: "a=b"])
        #expect(bench.server.count == variants.count, "fields that are not forwarded do not count")
    }

    @Test("a full last page of a list is fetched instead of confirmed")
    func lastPage() async throws {
        let bench = try await ProxyBench()
        let json: HTTPFields = [.contentType: "application/json", .eTag: "\"a\""]
        let full = "[" + (1...3).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"
        func sendsTag(_ path: String, _ fields: HTTPFields, _ body: String) async -> Bool {
            bench.server.answers(.fresh(0, fields, body))
            _ = await bench.get(path)
            _ = await bench.get(path)
            return bench.server.last?.headerFields[.ifNoneMatch] != nil
        }
        #expect(await !sendsTag("/a?per_page=3", json, full))
        #expect(await sendsTag("/b?per_page=4", json, full), "a page with room is the last one")
        var linked = json
        linked[.link] = "<https://api.example.org/c?page=2>; rel=\"next\""
        #expect(await sendsTag("/c?per_page=3", linked, full), "a page with a next one is not the last")
    }

    @Test("a request that a recording does not contain is 504, because 404 would mean that there is nothing")
    func notRecorded() async throws {
        let bench = try await ProxyBench()
        bench.server.fails(PatchbayError(.notFound, "the recording does not contain it"))
        for method in [HTTPRequest.Method.get, .head, .delete] {
            let response = await bench.send(method)
            #expect(response.status == 504 && response["Content-Type"] == "application/problem+json")
            #expect(response.text.contains("the recording does not contain it"))
        }
    }

    @Test("a 404 with a tag is requested once more, bypassing caches")
    func taggedMissing() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.answer(404, [.eTag: "\"x\""]), .fresh(60, [:], "there"))
        #expect(await bench.get().text == "there")
        #expect(bench.server.last?.headerFields[.cacheControl] == "no-cache")
        bench.server.answers(.answer(404, [.eTag: "\"x\""]))
        #expect(await bench.get("/none").status == 404)
        #expect(bench.server.count == 4)
        for second in [429, 503] {
            bench.server.answers(.answer(404, [.eTag: "\"x\""]), .answer(second, [.retryAfter: "9"]))
            #expect(await bench.get("/none").status == 404, "the second answer says nothing about the target")
        }
    }

    @Test("an answer that the server withdraws is no longer served", arguments: [401, 403, 404, 410, 451])
    func takenBack(_ status: Int) async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(1, [.eTag: "\"a\""]), .answer(status))
        _ = await bench.get()
        bench.clock.advance(by: .seconds(2))
        #expect(await bench.get().status == status)
        bench.server.fails(.unreachable)
        #expect(await bench.get().status == 504)
    }

    @Test("a range is served from a stored answer, or forwarded without one")
    func ranges() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.answer(206, [.contentRange: "bytes 0-1/9"], "xx"))
        #expect(await bench.get("/users", [.range: "bytes=0-1"]).text == "xx")
        #expect(bench.server.last?.headerFields[.range] == "bytes=0-1")
        #expect(
            bench.server.last?.headerFields[.acceptEncoding] == "identity",
            "a part of gzip is none of the text")
        bench.server.answers(.fresh(60, [.eTag: "\"a\""], "0123456789"))
        _ = await bench.get()
        let part = await bench.get("/users", [.range: "bytes=2-4"])
        #expect((part.status, part.text) == (206, "234"))
        #expect(part["Content-Range"] == "bytes 2-4/10")
        #expect(await bench.get("/users", [.range: "bytes=10-"]).status == 416)
        #expect(await bench.get("/users", [.range: "bytes=0-0", .ifRange: "\"b\""]).text == "0123456789")
        #expect(await bench.get("/users", [.range: "bytes=0-0", .ifRange: "\"a\""]).text == "0")
        #expect(bench.server.count == 2)
    }

    @Test("a HEAD is answered from the stored answer to GET")
    func head() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60))
        _ = await bench.send(.head)
        #expect(bench.server.last?.method == .head)
        _ = await bench.get()
        #expect(await bench.send(.head)["Cache-Status"] == "patchbay; hit; ttl=60")
        #expect(bench.server.count == 2)
    }

    @Test("with freshness = revalidate every use is confirmed, which costs no budget")
    func revalidate() async throws {
        var options = ProxyOptions()
        options.confirmsAlways = true
        let bench = try await ProxyBench(options: options)
        bench.server.answers(.fresh(60, [.eTag: "\"a\""]), .answer(304, [.eTag: "\"a\""], ""))
        _ = await bench.get()
        #expect(await bench.get()["Cache-Status"] == "patchbay; fwd=stale; fwd-status=304; stored")
    }
}
