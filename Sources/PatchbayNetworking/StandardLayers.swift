package import PatchbayCore

/// The configuration of the layers between a source and the network.
package struct LayerOptions: Sendable {
    /// The layer that adds the token for one origin; nil sends requests without a token.
    package var authorization: Authorization?
    /// The layer that adds a second secret for the same origin; nil for an API with one.
    package var secondAuthorization: Authorization?
    /// The limits on concurrent requests and on waits for a rate limit.
    package var rateLimit = RateLimit.Options()
    /// Limits that the API does not report.
    package var paces: [Pacing.Limit] = []
    /// Returns the store over which processes keep `paces` together, for the tokens of which `ledger` keeps budgets;
    /// nil for none.
    package var paceStore: @Sendable () async throws -> Store? = { nil }
    /// The limits on attempts and pauses after temporary failures.
    package var retry = Retry.Options()
    /// The maximum time for an answer, excluding waits for a rate limit; nil leaves limits to the individual layers.
    package var deadline: Duration?
    /// The maximum number of redirects that a request follows.
    package var hopsMax = 5
    /// Writes exchanges to a file.
    package var recorder: Recorder?
    /// The recording that `recorder` adds to. It answers the requests that it contains, so only missing ones are sent.
    package var recording: (any Networking)?
    /// Keeps budgets between runs.
    package var budgets: BudgetMemory?
    /// Shares budgets with other processes.
    package var ledger: BudgetLedger?
    package var clock: LayerClock
    /// The log of all layers; its secrets are removed from answers.
    package var log: RequestLog
    /// Returns what an answer's body states about limits; nil if no answer does.
    package var bodyLimit: (@Sendable (Response) -> BodyLimit)?
    /// Called when a wait for a rate limit begins.
    package var waiting: (@Sendable (RateLimitWait) -> Void)?

    /// Creates options without credentials, a recorder, a ledger or a deadline.
    package init(clock: LayerClock, log: RequestLog) {
        self.clock = clock
        self.log = log
    }

    /// Returns all layers. From the source down:
    ///
    /// 1. ``Metering``: refuses requests beyond the budget of the client that causes them.
    /// 2. ``Coalescing``: equal requests share everything below; a shared answer costs no budget.
    /// 3. ``Deadline``, if set: all hops, attempts and pauses of an answer share its time.
    /// 4. ``Redirects``: each hop passes through the layers below on its own and stays at the requested server.
    /// 5. ``RecordedFirst``, with a recording: recorded answers need no token, budget or retry.
    /// 6. ``Retry``: each attempt passes through the layers below; its pauses occupy no place in a queue.
    /// 7. ``Authorization``, for each secret: checks each hop's origin, and adds the token by which ``RateLimit``
    ///    distinguishes budgets.
    /// 8. ``RateLimit``: counts the requests that are really sent, for whatever reason.
    /// 9. ``SharedBudget``, with a ledger: counts the requests of all processes that share it.
    /// 10. ``Pacing``, with a pace: limits the requests of all processes to an API that reports no limits.
    /// 11. ``Log``: one entry per attempt, without the waits above.
    /// 12. ``Unconditional``, with a recorder: recorded answers are complete.
    /// 13. ``Recorder``: writes the exchanges on the wire.
    /// 14. ``Redaction``: secrets of requests that an answer repeats reach no layer above.
    package func layers() -> StandardLayers {
        let scheme = authorization?.scheme ?? .bearer
        var layers = StandardLayers()
        layers.add(Metering(), passing: .same)
        let coalescing = Coalescing(log: log)
        layers.add(coalescing, passing: .other { coalescing.beside() })
        layers.add(deadline.map { Deadline($0, clock: clock) }, passing: .same)
        layers.add(Redirects(hopsMax: hopsMax, log: log), passing: .none)
        let recorded = recording.map { RecordedFirst($0, repeatsPosts: retry.repeatsPosts, log: log) }
        // A recording does not say to which client it may be shown.
        layers.add(recorded, passing: .none)
        // A connection that the server closed meanwhile needs one more attempt.
        layers.add(
            Retry(retry, clock: clock, log: log), passing: .other { Retry(.once, clock: clock, log: log) })
        layers.add(authorization, passing: .lending)
        layers.add(secondAuthorization, passing: .none)
        let limit = RateLimit(
            rateLimit, clock: clock, memory: budgets, log: log, scheme: scheme, waiting: waiting,
            bodyLimit: bodyLimit)
        layers.add(limit, passing: .other { limit.passing() })
        layers.add(ledger.map { SharedBudget($0, clock: clock, scheme: scheme) }, passing: .same)
        let pacing = Pacing(
            paces, waitAtMost: rateLimit.waitAtMost, clock: clock, scheme: scheme, store: paceStore,
            keeps: { [ledger] in ledger?.keeps($0) ?? true }, waiting: waiting)
        layers.add(paces.isEmpty ? nil : pacing, passing: .same)
        layers.add(Log(log), passing: .same)
        layers.add(recorder.map { _ in Unconditional() }, passing: .same)
        layers.add(recorder, passing: .same)
        layers.add(Redaction(log.secrets), passing: .other { Redaction(configuredIn: log.secrets) })
        return layers
    }
}

extension Retry.Options {
    /// One more attempt, at once, after which every answer is taken.
    fileprivate static var once: Self {
        var once = Self()
        once.attemptsMax = 2
        once.pauseFirst = .zero
        once.takesEveryAnswer = true
        return once
    }
}

/// The layers between a source and the network, each with the way in which forwarded requests pass it.
package struct StandardLayers: Sendable {
    /// How forwarded requests pass a layer.
    enum Passing: Sendable {
        /// They share the layer with the source's own requests.
        case same
        case none
        /// They pass it only if requests without credentials use those of the source.
        case lending
        /// They pass another layer. Each stack has its own, because requests with and without the source's credentials
        /// are equal before they reach ``Authorization``.
        case other(@Sendable () -> any NetworkingLayer)
    }

    /// From the source down.
    private var layers: [(own: any NetworkingLayer, passing: Passing)] = []

    /// Adds the next layer towards the network; nil adds none.
    fileprivate mutating func add(_ layer: (any NetworkingLayer)?, passing: Passing) {
        if let layer { layers.append((layer, passing)) }
    }

    /// The layers for the source's own requests, the one next to the network first.
    package var own: [any NetworkingLayer] { layers.reversed().map(\.own) }

    /// Returns the layers for forwarded requests, which share the budgets of ``own``, the one next to the network
    /// first. They follow no redirects, are not answered from a recording, retry no failures and do not wait for limits
    /// that the API reports. A declared pace delays them like the source's own requests, because exceeding it would
    /// cost the source its access.
    ///
    /// - Parameter lends: whether requests without credentials use those of the source.
    package func passing(lends: Bool) -> [any NetworkingLayer] {
        layers.reversed().compactMap { layer, passing in
            switch passing {
            case .same: layer
            case .none: nil
            case .lending: lends ? layer : nil
            case .other(let make): make()
            }
        }
    }
}
