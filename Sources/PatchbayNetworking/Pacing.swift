public import HTTPTypes
public import PatchbayCore
import Synchronization

/// Limits the number of requests in any period, for an API that does not report its limits in headers.
///
/// Requests are sent in order of arrival. One that would wait longer than ``RateLimit/Options/waitAtMost`` is not sent
/// and fails with `rateLimited`.
public final class Pacing: NetworkingLayer {
    /// A limit on requests, optionally only on those whose paths start with a prefix.
    public struct Limit: Hashable, Sendable {
        /// The prefix of the path; nil for all requests.
        public var path: String?
        /// The maximum number of requests in any period, at least 1.
        public var requests: Int
        /// The length of a period.
        public var period: Duration

        /// Creates a limit; fewer than one request is a programming error.
        public init(path: String? = nil, requests: Int, period: Duration) {
            precondition(requests >= 1, "a pace must allow at least one request")
            self.path = path
            self.requests = requests
            self.period = period
        }
    }

    private let limits: [Limit]
    private let waitAtMost: Duration
    private let clock: LayerClock
    /// For each limit, the times at which the newest requests were or will be sent, the oldest first.
    private let turns: Mutex<[[Duration]]>

    /// Creates a layer that applies every limit that fits a request. `waitAtMost` is the longest wait of one request.
    public init(_ limits: [Limit], waitAtMost: Duration, clock: LayerClock) {
        self.limits = limits
        self.waitAtMost = waitAtMost
        self.clock = clock
        turns = Mutex(Array(repeating: [], count: limits.count))
    }

    /// Waits for the request's turn, then passes it on. Throws `rateLimited` instead of waiting too long.
    public func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        let pause = try turn(of: request.path ?? "/")
        if pause > .zero { try await clock.sleep(pause) }
        return try await next.send(request, body: body)
    }

    /// Takes a turn and returns the time until then.
    private func turn(of path: String) throws -> Duration {
        let now = clock.uptime()
        let waitAtMost = waitAtMost, limits = limits
        let counted = limits.indices.filter { place in limits[place].path.map(path.hasPrefix) ?? true }
        return try turns.withLock { turns in
            var at = now
            for place in counted where turns[place].count >= limits[place].requests {
                at = max(at, turns[place][turns[place].count - limits[place].requests] + limits[place].period)
            }
            guard at - now <= waitAtMost else {
                throw PatchbayError(
                    .rateLimited,
                    "the pace of this source allows the next request in "
                        + "\((at - now).components.seconds + 1) seconds; try again then")
            }
            for place in counted {
                // A turn older than a period limits nothing.
                turns[place].removeAll { $0 + limits[place].period <= now }
                turns[place].append(at)
            }
            return at - now
        }
    }
}
