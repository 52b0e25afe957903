package import HTTPTypes
package import PatchbayCore
import Synchronization

/// Ends a request whose answer takes too long. Redirects, retries, pauses and a silent server all use up the same time.
///
/// Waits for a limit, a pace and the request's turn do not count: those for a limit or a pace have their own maximum,
/// and the requests ahead of a turn have their own deadlines. They count if ``RateLimit/waits`` is false.
package struct Deadline: NetworkingLayer {
    private let limit: Duration
    private let clock: LayerClock

    /// - Parameter limit: the maximum time to the last byte of an answer; more than zero.
    package init(_ limit: Duration, clock: LayerClock) {
        precondition(limit > .zero, "the limit must be more than zero")
        self.limit = limit
        self.clock = clock
    }

    /// - Throws: `offline` when the time is over; the message names the server.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        let watch = Stopwatch(limit, clock)
        return try await Stopwatch.$current.withValue(watch) {
            try await withThrowingTaskGroup(of: Response?.self) { group in
                group.addTask { try await next.send(request, body: body) }
                group.addTask {
                    try await watch.runsOut()
                    return nil
                }
                defer { group.cancelAll() }
                guard let first = try await group.next(), let response = first else { throw error(request) }
                return response
            }
        }
    }

    private func error(_ request: HTTPRequest) -> PatchbayError {
        let address = HTTPAddress(of: request)
        var error = PatchbayError(
            .offline,
            "\"\(address.authority)\" did not answer completely within \(limit.words), including retries "
                + "(source.deadline-seconds)",
            [.url(SecretFilter().cleaned(address.text))])
        error.isTimeout = true
        return error
    }
}

/// The time that a request may take, usually excluding waits for a limit.
final class Stopwatch: Sendable {
    /// The stopwatch of the request that the task sends.
    @TaskLocal static var current: Stopwatch?

    private let limit: Duration
    private let clock: LayerClock
    private let state: Mutex<State>

    private struct State {
        /// The time of the start, moved forward by the pauses that have ended.
        var start: Duration
        var pausedAt: Duration?
    }

    init(_ limit: Duration, _ clock: LayerClock) {
        self.limit = limit
        self.clock = clock
        state = Mutex(State(start: clock.uptime()))
    }

    /// Stops the current stopwatch, if any, while `body` runs, unless waits count.
    static func pausing<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let paused = RateLimit.waits ? current : nil
        paused?.pause()
        defer { paused?.resume() }
        return try await body()
    }

    /// Returns when no time is left.
    func runsOut() async throws {
        while case let left = left, left > .zero { try await clock.sleep(left) }
    }

    var left: Duration {
        state.withLock { limit - (($0.pausedAt ?? clock.uptime()) - $0.start) }
    }

    private func pause() {
        let now = clock.uptime()
        state.withLock { $0.pausedAt = now }
    }

    private func resume() {
        let now = clock.uptime()
        state.withLock { state in
            if let pausedAt = state.pausedAt { state.start += now - pausedAt }
            state.pausedAt = nil
        }
    }
}
