import HTTPTypes
import PatchbayCore
import Synchronization

/// The open event streams, and the requests that wait for changes.
final class Listeners: Sendable {
    /// The maximum number of them.
    static let countMax = 1_000

    private struct State {
        var nextNumber = 0
        var ends: [Int: @Sendable () -> Void] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.ends.count } }
    var isFull: Bool { state.withLock { $0.isStopped || $0.ends.count >= Self.countMax } }

    /// The problem of a request that cannot wait because too many do.
    var full: Problem {
        var problem = Problem(
            .serviceUnavailable, .busy,
            "\(Self.countMax) event streams and waiting requests are open, which is the limit")
        problem.fields[.retryAfter] = "5"
        return problem
    }

    /// - Parameter end: called when the server stops.
    /// - Returns: a number for ``remove(_:)``; nil when there are too many or the server is stopping.
    func add(_ end: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            guard !state.isStopped, state.ends.count < Self.countMax else { return nil }
            state.nextNumber += 1
            state.ends[state.nextNumber] = end
            return state.nextNumber
        }
    }

    func remove(_ number: Int) { state.withLock { _ = $0.ends.removeValue(forKey: number) } }

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
            return Array(state.ends.values)
        }
        for end in ends { end() }
    }
}
