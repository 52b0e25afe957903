import HTTPTypes
import PatchbayCore
import PatchbayTestKit
import Testing

@testable import PatchbayNetworking

@Suite("RateLimit's queue")
struct RateLimitQueueTests {
    private let network = HeldNetwork()

    private func networking(_ concurrency: Int = 4, clock: ManualClock = ManualClock()) -> any Networking {
        var options = RateLimit.Options()
        options.concurrency = concurrency
        return network.layered(RateLimit(options, clock: clock.layerClock))
    }

    /// Starts requests one after another, so that they queue in this order.
    private func begin(_ count: Int, over networking: any Networking, token: String?) async -> [Task<
        Int, any Error
    >] {
        var tasks: [Task<Int, any Error>] = []
        for number in 0..<count {
            let request = token.map { HTTPRequest.get("/\(number)", token: $0) } ?? .get("/\(number)")
            tasks.append(
                Task.immediate { try await networking.send(request, body: []).head.status.code })
        }
        return tasks
    }

    @Test(
        "a few requests run at a time with a token, one without, in order",
        arguments: [("s3cret", 4), (nil, 1)])
    func concurrency(_ token: String?, _ atOnce: Int) async throws {
        let tasks = await begin(20, over: networking(), token: token)
        for answered in 0..<20 {
            await network.hasSent(min(20, answered + atOnce))
            #expect(network.held == min(atOnce, 20 - answered))
            network.answerFirst()
            _ = try await tasks[answered].value
        }
        #expect(network.sent.map(\.path) == (0..<20).map { "/\($0)" })
    }

    @Test("a request without an answer delays the next one by a second, and later ones not at all")
    func silence() async throws {
        let clock = ManualClock()
        let tasks = await begin(3, over: networking(clock: clock), token: nil)
        await network.hasSent(1)
        // Both waiting requests have begun to wait for the second.
        await clock.hasBegun(sleeps: 2)
        clock.advance(by: .milliseconds(999))
        #expect(network.sent.count == 1)
        clock.advance(by: .milliseconds(1))
        await network.hasSent(2)
        #expect(network.sent.map(\.path) == ["/0", "/1"])
        network.answerLast()
        #expect(try await tasks[1].value == 200)
        await network.hasSent(3)
        network.answerLast()
        #expect(try await tasks[2].value == 200)
        network.answerFirst()
        #expect(try await tasks[0].value == 200)
    }

    @Test("silent requests without a token are never more than those with one")
    func silentRequests() async throws {
        let clock = ManualClock(jumps: true)
        let tasks = await begin(9, over: networking(clock: clock), token: nil)
        await network.hasSent(4)
        // Those that wait for the same moment may be sent in any order.
        let sent = Set(network.sent.map(\.path)), isSent = tasks.indices.map { sent.contains("/\($0)") }
        for (task, isSent) in zip(tasks, isSent) where !isSent {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(network.held == 4 && network.sent.count == 4)
        for _ in 0..<4 { network.answerFirst() }
        for (task, isSent) in zip(tasks, isSent) where isSent { #expect(try await task.value == 200) }
    }

    @Test("no more requests run at a time than the budget has left")
    func lastOfBudget() async throws {
        let networking = networking(8)
        let reset = "\(ManualClock().now().milliseconds / 1_000 + 3_000)"
        func answer(_ remaining: Int) -> Response {
            .status(200, ["X-RateLimit-Remaining": "\(remaining)", "X-RateLimit-Reset": reset])
        }
        let first = await begin(1, over: networking, token: "s3cret")
        await network.hasSent(1)
        network.answerFirst(answer(2))
        _ = try await first[0].value
        let tasks = await begin(5, over: networking, token: "s3cret")
        await network.hasSent(3)
        #expect(network.held == 2)
        network.answerFirst(answer(1))
        network.answerFirst(answer(0))
        for task in tasks.prefix(2) { #expect(try await task.value == 200) }
        for task in tasks.dropFirst(2) { #expect(await fault { try await task.value }?.code == .rateLimited) }
        #expect(network.sent.count == 3)
    }

    @Test("a request cancelled in the queue leaves at once, and the others keep their order")
    func cancelInQueue() async throws {
        let tasks = await begin(5, over: networking(1), token: "s3cret")
        await network.hasSent(1)
        tasks[1].cancel()
        tasks[3].cancel()
        for task in [tasks[1], tasks[3]] {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        for number in [0, 2, 4] {
            await network.hasSent(number / 2 + 1)
            network.answerFirst()
            _ = try await tasks[number].value
        }
        #expect(network.sent.map(\.path) == ["/0", "/2", "/4"])
    }

    @Test("a request that fails or is cancelled while running frees its place")
    func placeIsFreed() async throws {
        let tasks = await begin(3, over: networking(1), token: "s3cret")
        await network.hasSent(1)
        tasks[0].cancel()
        await network.hasSent(2)
        network.failFirst(PatchbayError(.offline, "no route"))
        await network.hasSent(3)
        network.answerFirst()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        #expect(await fault { try await tasks[1].value }?.code == .offline)
        #expect(try await tasks[2].value == 200)
    }

    @Test("cancelling ends the wait for a limit at once")
    func cancelWait() async throws {
        let clock = ManualClock()
        let networking = networking(clock: clock)
        let task = Task { try await networking.get("/users") }
        await network.hasSent(1)
        network.answerFirst(.status(429, ["Retry-After": "30"]))
        await clock.hasBegun(sleeps: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(network.sent.count == 1)
    }

    @Test("random cancellation does not corrupt a gate of a hundred places")
    func randomCancelling() async throws {
        let gate = Gate(limit: 3)
        await withTaskGroup { group in
            for number in 0..<300 {
                group.addTask {
                    let task = Task {
                        let place = try await gate.enter()
                        await Task.yield()
                        gate.leave(place)
                    }
                    if number % 3 == 0 { task.cancel() }
                    _ = await task.result
                }
            }
        }
        #expect(gate.isIdle)
        var places: [Gate.Place] = []
        for _ in 0..<3 { places.append(try await gate.enter()) }
        for place in places { gate.leave(place) }
        #expect(gate.isIdle)
    }
}
