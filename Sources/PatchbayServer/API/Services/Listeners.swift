import HTTPTypes
import PatchbayCore
import Synchronization

/// The open event streams, and the requests that wait for changes.
final class Listeners: Sendable {
    /// The maximum number of them, which clients share as in ``ClientShares``.
    static let countMax = 1_000

    private struct State {
        var nextNumber = 0
        var shares = ClientShares(of: Listeners.countMax)
        var ends: [Int: (client: ServingClient, end: @Sendable () -> Void)] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.ends.count } }
    /// Whether the client of the current task can have no more of them.
    var isFull: Bool {
        let client = ServingClient.counted
        return state.withLock { $0.isStopped || !$0.shares.allows(1, for: client) }
    }

    /// The problem of a request that cannot wait because too many do.
    var full: Problem {
        var problem = Problem(
            .serviceUnavailable, .busy,
            "\(Self.countMax) event streams and waiting requests are open, or your part of them, which is the limit"
        )
        problem.fields[.retryAfter] = "5"
        return problem
    }

    /// - Parameter end: called when the server stops.
    /// - Returns: a number for ``remove(_:)``; nil when there are too many or the server is stopping.
    func add(_ end: @escaping @Sendable () -> Void) -> Int? {
        let client = ServingClient.counted
        return state.withLock { state in
            guard !state.isStopped, state.shares.take(1, for: client) else { return nil }
            state.nextNumber += 1
            state.ends[state.nextNumber] = (client, end)
            return state.nextNumber
        }
    }

    func remove(_ number: Int) {
        state.withLock { state in
            guard let listener = state.ends.removeValue(forKey: number) else { return }
            state.shares.release(1, from: listener.client)
        }
    }

    /// Runs `body` as a listener, with a sequence that ends when the server stops.
    ///
    /// - Throws: ``full`` when there are too many or the server is stopping, and the errors of `body`.
    func listening<Result>(
        _ body: (_ stops: AsyncStream<Void>) async throws -> Result
    ) async throws -> Result {
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        guard let number = add({ stop.finish() }) else { throw full }
        defer { remove(number) }
        return try await body(stops)
    }

    func stop() {
        let ends = state.withLock { state in
            state.isStopped = true
            return state.ends.values.map(\.end)
        }
        for end in ends { end() }
    }
}
