import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayServer

@Suite("Stored answers of the proxy")
struct ArchiveTests {
    private let mine: HTTPFields = [.authorization: "Bearer ada-ada-ada"]

    @Test("another process finds stored answers with all their fields")
    func reopened() async throws {
        let first = try await ProxyBench()
        first.server.answers(
            .answer(
                200,
                [
                    .cacheControl: "private, max-age=60", .eTag: "W/\"a:b\"", .link: "<x>; rel=\"next\"",
                    .vary: "X-Mine",
                    .init("X-Empty")!: "",
                ], "körper"))
        let before = await first.get("/users?b=2&a=1", mine)
        await first.cache.close()
        let second = try await ProxyBench(store: first.store)
        second.server.fails(.unreachable)
        let after = await second.get("/users?b=2&a=1", mine)
        #expect((after.status, after.text) == (200, "körper"))
        for name in ["ETag", "Link", "Vary", "Cache-Control", "X-Empty"] {
            #expect(after[name] == before[name])
        }
        #expect(await second.get("/users?a=1&b=2", mine).status == 504)
        #expect(await second.get("/users?b=2&a=1").status == 504, "only their owners get them")
    }

    @Test("without the storage, requests are forwarded, and a change is not forgotten")
    func withoutStorage() async throws {
        let plan = FaultPlan<FailingStorage.Operation>()
        let store = try await Store(
            FailingStorage(MemoryStorage(), plan), schema: Schema(version: 1, AnswerCache.collections))
        let bench = try await ProxyBench(store: store) { _ in }
        bench.server.answers(.fresh(60))
        _ = await bench.get("/a")
        await bench.cache.close()
        for operation in [FailingStorage.Operation.read, .write] {
            plan.fail(operation, at: 1, times: nil, with: PatchbayError(.busy, "the server has stopped"))
        }
        bench.clock.advance(by: .seconds(2))
        #expect(await bench.get("/a")["Cache-Status"] == "patchbay; hit; ttl=58")
        let miss = "patchbay; fwd=uri-miss; fwd-status=200; stored"
        #expect(await bench.get("/b")["Cache-Status"] == miss)
        #expect(await bench.send(.post, "/a").status == 200)
        plan.heal()
        bench.clock.advance(by: .seconds(20))
        #expect(await bench.get("/a")["Cache-Status"] == miss, "the stored answer is from before the change")
    }

    @Test("above the size limit the least recently used answers are deleted")
    func eviction() async throws {
        var options = ProxyOptions()
        options.cacheBytesMax = 20_000
        let bench = try await ProxyBench(options: options)
        let body = String(repeating: "x", count: 2_000)
        for number in 1...6 {
            bench.server.answers(.fresh(100_000, [:], body))
            _ = await bench.get("/\(number)")
            bench.clock.advance(by: .seconds(1_000))
        }
        await bench.cache.close()
        _ = await bench.get("/1")
        for number in 7...9 {
            _ = await bench.get("/\(number)")
            bench.clock.advance(by: .seconds(1_000))
        }
        await bench.cache.close()
        let content = try await AnswerCache.content(of: bench.store)
        #expect(content.bytes <= 20_000 && content.answers == 7)
        let other = try await ProxyBench(store: bench.store)
        other.server.fails(.unreachable)
        var kept: [Int] = []
        for number in 1...9 where await other.get("/\(number)").status == 200 { kept.append(number) }
        #expect(kept == [1, 4, 5, 6, 7, 8, 9])
    }

    @Test("a running server forgets what another process clears")
    func clearing() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60))
        _ = await bench.get()
        await bench.cache.close()
        #expect(try await AnswerCache.content(of: bench.store).answers == 1)
        #expect(try await AnswerCache.clear(bench.store) == 1)
        bench.clock.advance(by: .seconds(1))
        _ = await bench.get()
        #expect(bench.server.count == 2)
        #expect(try await AnswerCache.clear(bench.store) == 0, "new answers are not written yet")
        await bench.cache.close()
        #expect(try await AnswerCache.content(of: bench.store).answers == 0, "nor written later")
        bench.clock.advance(by: .seconds(1))
        _ = await bench.get()
        await bench.cache.close()
        #expect(try await AnswerCache.content(of: bench.store).answers == 1)
    }

    @Test("a changed path is also deleted from the storage")
    func invalidation() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60))
        for path in ["/a/b", "/a/b?x=1", "/a?x=1", "/c"] { _ = await bench.get(path) }
        await bench.cache.close()
        bench.server.answers(.answer(200))
        _ = await bench.send(.delete, "/a/b")
        #expect(try await AnswerCache.content(of: bench.store).answers == 1)
    }

    @Test("an address keeps the newest of its variants, up to 16")
    func variants() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60))
        for number in 1...20 { _ = await bench.get("/users", [.accept: "text/x-\(number)"]) }
        await bench.cache.close()
        #expect(try await AnswerCache.content(of: bench.store).answers == 16)
        #expect(await bench.get("/users", [.accept: "text/x-20"])["Cache-Status"] == "patchbay; hit; ttl=60")
        #expect(await bench.get("/users", [.accept: "text/x-1"])["Cache-Status"]?.contains("fwd=") == true)
    }

    @Test("a row that replaces a waiting one takes its place in the memory")
    func replaced() async throws {
        let bench = try await ProxyBench()
        let body = String(repeating: "x", count: 4 << 20)
        for number in 1...20 {
            bench.server.answers(.fresh(60, [.eTag: "\"\(number)\""], body))
            _ = await bench.get("/a", [.cacheControl: "no-cache"])
        }
        bench.server.answers(.fresh(60))
        _ = await bench.get("/b")
        _ = await bench.send(.delete, "/a")
        for number in 1...7 {
            bench.server.answers(.fresh(60, [:], body))
            _ = await bench.get("/c?\(number)")
        }
        await bench.cache.close()
        #expect(try await AnswerCache.content(of: bench.store).answers == 8)
    }

    @Test("waiting answers are written after a pause of the clock")
    func pause() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60))
        _ = await bench.get()
        await bench.clock.hasBegun(sleeps: 1)
        #expect(try await AnswerCache.content(of: bench.store).answers == 0)
        bench.clock.advance(by: .milliseconds(200))
        var count = 0
        while count == 0 { count = try await AnswerCache.content(of: bench.store).answers }
        #expect(count == 1)
    }

    @Test("a stored answer with impossible values is not served, and ends no server")
    func impossible() async throws {
        for status in [Int.min, -1, 0, 99, 304, 500, 1_000, 5_000, .max] {
            for time in [Int64.min, .max] {
                let bench = try await ProxyBench()
                bench.server.answers(.fresh(60))
                _ = await bench.get()
                await bench.cache.close()
                try await bench.store.write { writing in
                    let row = try writing.reading.list(StoredAnswer.self, Query(StoredAnswer.collection))[0]
                    let at = Timestamp(milliseconds: time)
                    try writing.put(
                        StoredAnswer(
                            place: row.place, variant: row.variant, target: row.target, selecting: [],
                            status: status, fields: row.fields, body: row.body, requestedAt: at,
                            receivedAt: at,
                            isFullLastPage: false, usedAt: at))
                }
                let other = try await ProxyBench(store: bench.store)
                other.server.answers(.fresh(60, [:], "new"))
                #expect(await other.get().text == "new")
            }
        }
    }

    @Test(
        "an answer that was stored while the clock was ahead is confirmed, or served offline with its age unknown"
    )
    func clockAhead() async throws {
        let bench = try await ProxyBench()
        let start = bench.clock.now()
        bench.clock.set(start.advanced(by: .seconds(86_400 * 365)))
        bench.server.answers(.fresh(60, [:], "old"))
        _ = await bench.get()
        bench.clock.set(start)
        bench.server.fails(.unreachable)
        let offline = await bench.get()
        #expect(offline.text == "old" && offline["Age"] == "2147483648")
        bench.clock.advance(by: .seconds(6))
        bench.server.answers(.fresh(60, [:], "new"))
        #expect(await bench.get().text == "new")
        #expect(await bench.get()["Cache-Status"] == "patchbay; hit; ttl=60")
    }

    @Test("an answer that may be older than a change is returned but not stored")
    func race() async throws {
        let bench = try await ProxyBench()
        let slow = SlowUpstream()
        let proxy = try ProxyResponder(
            Upstream(baseURL: ProxyBench.base, networking: slow), cache: bench.cache, ProxyOptions(),
            clock: bench.clock.layerClock)
        async let old = proxy.respond(to: Requests.make(.get, "/a/b"))
        await slow.hasArrived()
        bench.server.answers(.answer(200))
        _ = await bench.send(.patch, "/a/b")
        slow.answer(.fresh(60, [:], "old"))
        #expect(await old.text == "old")
        bench.server.answers(.fresh(60, [:], "new"))
        #expect(await bench.get("/a/b").text == "new")
    }

    @Test("a stored answer that was read before a change is not returned after it")
    func lateRead() async throws {
        let storage = DisturbedStorage()
        let store = try await Store(storage, schema: Schema(version: 1, AnswerCache.collections))
        let first = try await ProxyBench(store: store)
        first.server.answers(.fresh(60, [:], "old"))
        _ = await first.get("/a")
        await first.cache.close()
        let second = try await ProxyBench(store: store)
        second.server.answers(.answer(200), .fresh(60, [:], "new"))
        storage.disturb { _ = await second.send(.delete, "/a") }
        #expect(await second.get("/a").text == "new")
        #expect(await second.get("/a").text == "new")
    }
}

/// A memory storage that runs some work between the next read and the return of its result.
private final class DisturbedStorage: StorageWrapper {
    let inner: any Storage = MemoryStorage()
    private let work = Mutex<(@Sendable () async -> Void)?>(nil)

    func disturb(_ body: @escaping @Sendable () async -> Void) { work.withLock { $0 = body } }

    func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        let result = try await inner.read(body)
        await work.withLock { $0.take() }?()
        return result
    }
}

/// A server whose answer to one request is released by the test.
private final class SlowUpstream: Networking {
    private let arrivals = AsyncStream.makeStream(of: Void.self)
    private let answers = AsyncStream.makeStream(of: Response.self)

    func hasArrived() async { for await _ in arrivals.stream { return } }

    func answer(_ response: Response) { answers.continuation.yield(response) }

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        arrivals.continuation.yield()
        for await response in answers.stream { return response }
        throw CancellationError()
    }
}
