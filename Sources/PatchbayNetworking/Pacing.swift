package import HTTPTypes
package import PatchbayCore
import Synchronization

/// Limits the number of requests in any period, for an API that does not report its limits in headers, together with
/// other processes and machines that share a storage.
///
/// Requests are sent in order of arrival. One that would wait longer than ``RateLimit/Options/waitAtMost`` is not sent
/// and fails with `rateLimited`; if ``RateLimit/waits`` is false, so does one that would wait past its ``Deadline``.
/// While the storage cannot be written, only this process's own requests are counted. Times are those of this machine's
/// clock, so the clocks of machines that share a storage must agree.
package final class Pacing: NetworkingLayer {
    /// A limit on requests, optionally only on those whose paths start with a prefix.
    package struct Limit: Hashable, Sendable {
        /// The prefix of the path; nil for all requests.
        package var path: String?
        /// The maximum number of requests in any period, at least 1.
        package var requests: Int
        /// The length of a period.
        package var period: Duration

        /// Creates a limit; fewer than one request is a programming error.
        package init(path: String? = nil, requests: Int, period: Duration) {
            precondition(requests >= 1, "a pace must allow at least one request")
            self.path = path
            self.requests = requests
            self.period = period
        }
    }

    private let limits: [Limit]
    private let waitAtMost: Duration
    private let clock: LayerClock
    private let scheme: Authorization.Scheme
    private let waiting: (@Sendable (RateLimitWait) -> Void)?
    private let store: @Sendable () async throws -> Store?
    private let keeps: @Sendable (String) -> Bool
    /// The newest turns that this process knows of.
    private let turns = Mutex<[StoredPace.Name: StoredPace]>([:])

    /// Creates a layer that applies every limit that fits a request.
    ///
    /// - Parameters:
    ///   - waitAtMost: the longest wait of one request.
    ///   - scheme: how requests carry their token. Each token has its own pace.
    ///   - store: called for each request; returns a store that several processes may share and that has
    ///     ``StoredPace/collection``, or nil to share nothing.
    ///   - keeps: whether the turns of a token, given by its fingerprint, are stored. Those of clients would fill the
    ///     store, and the fingerprint of a password that a person chose helps to guess it.
    ///   - waiting: called on the sender's thread when a wait begins.
    package init(
        _ limits: [Limit], waitAtMost: Duration, clock: LayerClock, scheme: Authorization.Scheme = .bearer,
        store: @escaping @Sendable () async throws -> Store? = { nil },
        keeps: @escaping @Sendable (String) -> Bool = { _ in true },
        waiting: (@Sendable (RateLimitWait) -> Void)? = nil
    ) {
        self.limits = limits
        self.waitAtMost = waitAtMost
        self.clock = clock
        self.scheme = scheme
        self.waiting = waiting
        self.store = store
        self.keeps = keeps
    }

    /// Waits for the request's turn, then passes it on. Throws `rateLimited` instead of waiting too long.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        let path = request.path ?? "/"
        let limits = limits.filter { $0.path.map(path.hasPrefix) ?? true }
        if limits.isEmpty { return try await next.send(request, body: body) }
        let address = HTTPAddress(of: request)
        let token = scheme.fingerprint(of: request)?.description ?? ""
        let names = limits.map { StoredPace.Name(origin: address.origin, token: token, limit: $0.name) }
        let now = clock.now()
        let left = RateLimit.waits ? waitAtMost : Stopwatch.current?.left ?? waitAtMost
        let patience = max(.zero, min(waitAtMost, left))
        let opensAt = await turn(under: limits, names, from: now, patience)
        let pause = now.age(at: opensAt)
        guard pause <= patience else {
            throw PatchbayError(
                .rateLimited,
                "the pace declared for \(address.authority) allows no more requests; try again in \(pause.words), "
                    + "at \(opensAt)",
                [.url(SecretFilter().cleaned(address.text)), .retryAt(opensAt)])
        }
        if pause > .zero {
            waiting?(RateLimitWait(server: address.authority, duration: pause))
            try await Stopwatch.pausing { try await clock.sleep(pause) }
        }
        return try await next.send(request, body: body)
    }

    /// Takes the next turn, unless it is too late, and returns its time.
    private func turn(
        under limits: [Limit], _ names: [StoredPace.Name], from now: Timestamp, _ patience: Duration
    ) async -> Timestamp {
        // Without the storage, this process keeps the pace alone.
        let shared = try? await sharedTurn(under: limits, names, from: now, patience)
        return turns.withLock { turns in
            var taken = shared?.turns ?? names.map { turns[$0]?.turns ?? PaceTurns() }
            let time = shared?.time ?? take(&taken, under: limits, from: now, patience)
            for (name, (limit, taken)) in zip(names, zip(limits, taken)) {
                if turns[name] == nil, turns.count.isMultiple(of: Self.unusedMax) {
                    turns = turns.filter { $0.value.endsAt >= now }
                }
                turns[name] = StoredPace(name: name, turns: taken, endsAt: limit.end(of: time))
            }
            return time
        }
    }

    /// The number of paces after which those that limit no request any more are forgotten.
    private static let unusedMax = 1_000

    /// Takes the next turn in the storage; nil if there is none to share.
    private func sharedTurn(
        under limits: [Limit], _ names: [StoredPace.Name], from now: Timestamp, _ patience: Duration
    ) async throws -> (time: Timestamp, turns: [PaceTurns])? {
        guard names.allSatisfy({ keeps($0.token) }), let store = try await store(),
            store.storage.features.contains(.sharedBetweenProcesses)
        else { return nil }
        return try await store.soon { [self] store in
            try await store.write { writing in
                let rows = try names.map { try writing.reading.get(StoredPace.self, $0.key) }
                let known = rows.map { $0?.turns ?? PaceTurns() }
                var turns = known
                let time = take(&turns, under: limits, from: now, patience)
                if turns != known {
                    if rows.contains(nil) { try Self.deleteEnded(&writing, now) }
                    for (name, (limit, turns)) in zip(names, zip(limits, turns)) {
                        try writing.put(StoredPace(name: name, turns: turns, endsAt: limit.end(of: time)))
                    }
                }
                return (time, turns)
            }
        }
    }

    private func take(
        _ turns: inout [PaceTurns], under limits: [Limit], from now: Timestamp, _ patience: Duration
    ) -> Timestamp {
        var time = now
        for (limit, turns) in zip(limits, turns) { time = turns.next(under: limit, from: time) }
        if now.age(at: time) <= patience {
            for place in turns.indices { turns[place].take(at: time, under: limits[place], from: now) }
        }
        return time
    }

    /// Deletes the paces of tokens that are no longer used.
    private static func deleteEnded(_ writing: inout Writing, _ now: Timestamp) throws {
        let all = try writing.reading.list(
            StoredPace.self, Query(StoredPace.collection, limit: Limits.pageRows))
        for pace in all where pace.endsAt < now { try writing.delete(StoredPace.self, pace.name.key) }
    }
}

extension Pacing.Limit {
    /// The time after which a turn no longer limits requests.
    fileprivate func end(of turn: Timestamp) -> Timestamp {
        // Twice the period includes the part in which the turn is counted.
        turn.advanced(by: period * 2)
    }

    /// Distinguishes the limits of a source.
    fileprivate var name: String {
        "\(requests) in \(period / .milliseconds(1)) ms\(path.map { " of \($0)" } ?? "")"
    }
}
