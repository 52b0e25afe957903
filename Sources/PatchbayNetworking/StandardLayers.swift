public import PatchbayCore

/// What the layers between a source and the network need to know.
public struct LayerOptions: Sendable {
    /// The origin that gets the token, and the token; nil asks without.
    public var authorization: Authorization?
    public var rateLimit = RateLimit.Options()
    /// The paces that the API does not report.
    public var paces: [Pacing.Limit] = []
    public var retry = Retry.Options()
    /// The longest that one answer may take, without waits for a rate limit; nil leaves that to the single layers.
    public var deadline: Duration?
    /// The most redirects that one request follows.
    public var hopsMax = 5
    /// Writes exchanges to a file.
    public var recorder: Recorder?
    /// Answers what it holds, so that only what is missing is asked; the recording that `recorder` adds to.
    public var recording: (any Networking)?
    /// Keeps budgets between runs.
    public var budgets: BudgetMemory?
    /// Shares budgets with other processes.
    public var ledger: BudgetLedger?
    public var clock: LayerClock
    public var log: RequestLog
    /// Is called when a wait for a rate limit begins.
    public var waiting: (@Sendable (RateLimitWait) -> Void)?

    public init(clock: LayerClock, log: RequestLog) {
        self.clock = clock
        self.log = log
    }
}

extension LayerOptions {
    /// All layers, the one nearest the network first. From the source down:
    ///
    /// 1. ``Coalescing``: who asks for the same shares all that follows; a shared answer costs no budget.
    /// 2. ``Deadline``, when there is one: all hops, attempts and pauses of an answer share its time.
    /// 3. ``Redirects``: each hop passes the layers below for itself, and stays with the server that was asked.
    /// 4. ``RecordedFirst``, with a recording: what is recorded needs no token, no budget and no retry.
    /// 5. ``Retry``: each attempt passes the layers below; its pauses hold no place in a queue.
    /// 6. ``Authorization``: judges each hop's origin, and gives ``RateLimit`` the token that tells budgets apart.
    /// 7. ``RateLimit``: counts what is really sent, whatever made it be sent.
    /// 8. ``SharedBudget``, with a ledger: counts what all processes that share it send.
    /// 9. ``Pacing``, with a pace: counts the same where the API reports nothing.
    /// 10. ``Log``: one entry for each send, without the waits above.
    /// 11. ``Unconditional``, with a recorder: what is recorded is whole.
    /// 12. ``Recorder``: writes what goes over the wire.
    /// 13. ``Redaction``: what an answer says of the secrets that requests carry reaches no layer above.
    public func layers() -> [any NetworkingLayer] {
        let fromSource: [(any NetworkingLayer)?] = [
            Coalescing(log: log), deadline.map { Deadline($0, clock: clock) },
            Redirects(hopsMax: hopsMax, log: log),
            recording.map { RecordedFirst($0, log: log) }, Retry(retry, clock: clock, log: log),
            authorization,
            RateLimit(
                rateLimit, clock: clock, memory: budgets, log: log,
                scheme: authorization?.scheme ?? .bearer, waiting: waiting),
            ledger.map { SharedBudget($0, clock: clock, scheme: authorization?.scheme ?? .bearer) },
            paces.isEmpty ? nil : Pacing(paces, waitAtMost: rateLimit.waitAtMost, clock: clock), Log(log),
            recorder.map { _ in Unconditional() }, recorder,
            Redaction(log.secrets),
        ]
        return fromSource.compactMap { $0 }.reversed()
    }
    /// The layers for requests of others, over the same budgets as `layers`, the one nearest the network first: no
    /// redirect is followed, no failure asked again, and no limit waited for.
    ///
    /// - Parameter lends: whether requests without credentials get those of the source.
    public func passingLayers(
        beside layers: [any NetworkingLayer], lends: Bool
    ) -> [any NetworkingLayer] {
        var once = Retry.Options()
        once.attemptsMax = 2
        once.pauseFirst = .zero
        once.takesEveryAnswer = true
        return layers.compactMap { layer -> (any NetworkingLayer)? in
            switch layer {
            case is Coalescing: Coalescing(log: log)
            case is Redirects: nil
            // A connection that the server had closed meanwhile costs one more attempt.
            case is Retry: Retry(once, clock: clock, log: log)
            case is Authorization: lends ? layer : nil
            // A recording is to hold no credentials, so then answers do not either.
            case is Redaction: recorder == nil ? Redaction(configuredIn: log.secrets) : layer
            case let limit as RateLimit: limit.passing()
            default: layer
            }
        }
    }
}
