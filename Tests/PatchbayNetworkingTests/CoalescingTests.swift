import HTTPTypes
import PatchbayCore
import PatchbayNetworking
import PatchbayTestKit
import Testing

@Suite("Coalescing")
struct CoalescingTests {
    private let network = HeldNetwork()
    private let log = RequestLog(clock: ManualClock().layerClock)

    /// Starts the given number of requests and waits until all have joined.
    private func callers(
        _ count: Int, _ request: HTTPRequest = .get("/users"), over networking: any Networking
    ) async -> [Task<Response, any Error>] {
        let (joined, join) = AsyncStream.makeStream(of: Void.self)
        let tasks = (0..<count).map { _ in
            Task {
                try await withThrowingTaskGroup(of: Response.self) { group in
                    // Runs until its first wait before the next line does.
                    group.addImmediateTask { try await networking.send(request, body: []) }
                    join.yield()
                    return try await group.next()!
                }
            }
        }
        var arrivals = joined.makeAsyncIterator()
        for _ in 0..<count { await arrivals.next() }
        return tasks
    }

    @Test("callers of one address share one request", arguments: [2, 100, 1_000])
    func share(_ count: Int) async throws {
        let networking = network.layered(Coalescing(log: log))
        let tasks = await callers(count, over: networking)
        await network.hasSent(1)
        network.answerFirst(.status(200, [:], "one"))
        for task in tasks { #expect(try await task.value.body == Array("one".utf8)) }
        #expect(network.sent.count == 1)
        #expect(log.counts.coalesced == count - 1)
    }

    @Test("another address, header field or validator makes another request, and so does every POST")
    func apart() async throws {
        let networking = network.layered(Coalescing())
        var post = HTTPRequest.get("/users")
        post.method = .post
        let requests: [HTTPRequest] = [
            .get("/users"), .get("/users?since=1"), .get("/users", [.ifNoneMatch: "\"a\""]),
            .get("/users", [.ifNoneMatch: "\"b\""]), .get("/users", [.accept: "text/plain"]), post, post,
        ]
        let tasks = requests.map { request in Task { try await networking.send(request, body: []) } }
        await network.hasSent(requests.count)
        for _ in requests { network.answerFirst() }
        for task in tasks { _ = try await task.value }
    }

    @Test("a caller after a change does not join a request that was sent before it")
    func change() async throws {
        let networking = network.layered(Coalescing())
        let before = await callers(1, over: networking)
        await network.hasSent(1)
        var post = HTTPRequest.get("/users")
        post.method = .post
        let change = Task { [post] in try await networking.send(post, body: []) }
        await network.hasSent(2)
        network.answerLast()
        _ = try await change.value
        let after = await callers(2, over: networking)
        await network.hasSent(3)
        network.answerFirst(.status(200, [:], "old"))
        network.answerFirst(.status(200, [:], "new"))
        for task in before { #expect(try await task.value.body == Array("old".utf8)) }
        for task in after { #expect(try await task.value.body == Array("new".utf8)) }
        #expect(network.sent.count == 3)
    }

    @Test("a caller that must not wait for a limit does not join a request that may")
    func patience() async throws {
        let networking = network.layered(Coalescing())
        let patient = await callers(2, over: networking)
        let impatient = await RateLimit.$waits.withValue(false) { await callers(2, over: networking) }
        await network.hasSent(2)
        for _ in 1...2 { network.answerFirst() }
        for task in patient + impatient { _ = try await task.value }
        #expect(network.sent.count == 2)
    }

    @Test("a cancelled caller leaves at once, and the others get their answer")
    func cancelOne() async throws {
        let networking = network.layered(Coalescing())
        let tasks = await callers(10, over: networking)
        await network.hasSent(1)
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        #expect(network.cancelled == 0)
        network.answerFirst()
        for task in tasks.dropFirst() { #expect(try await task.value.head.status.code == 200) }
    }

    @Test("when all callers are cancelled, the request is cancelled and the next caller starts a new one")
    func cancelAll() async throws {
        let networking = network.layered(Coalescing())
        let tasks = await callers(10, over: networking)
        await network.hasSent(1)
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        await network.hasCancelled(1)
        let next = Task { try await networking.get("/users") }
        await network.hasSent(2)
        network.answerFirst()
        #expect(try await next.value.head.status.code == 200)
    }

    @Test("an error is shared but not cached")
    func error() async throws {
        let networking = network.layered(Coalescing())
        let tasks = await callers(3, over: networking)
        await network.hasSent(1)
        network.failFirst(PatchbayError(.offline, "no route"))
        for task in tasks { #expect(await fault { try await task.value }?.code == .offline) }
        let next = Task { try await networking.get("/users") }
        await network.hasSent(2)
        network.answerFirst()
        _ = try await next.value
    }

    @Test("a caller that is already cancelled sends no request")
    func cancelledBefore() async {
        let networking = network.layered(Coalescing())
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await networking.get("/users")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(network.sent.isEmpty)
    }
}
