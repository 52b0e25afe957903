public import PatchbayCore

/// What the layers between a source and the network need to know.
public struct LayerOptions: Sendable {
    /// The origin that gets the token, and the token; nil asks without.
    public var authorization: Authorization?
    public var rateLimit = RateLimit.Options()
    public var retry = Retry.Options()
    /// The most redirects that one request follows.
    public var hopsMax = 5
    /// Writes exchanges to a file.
    public var recorder: Recorder?
    /// Answers what it holds, so that only what is missing is asked; the recording that `recorder` adds to.
    public var recording: (any Networking)?
    /// Keeps budgets between runs.
    public var budgets: BudgetMemory?
    public var clock: LayerClock
    public var log: RequestLog

    public init(clock: LayerClock, log: RequestLog) {
        self.clock = clock
        self.log = log
    }
}

extension LayerOptions {
    /// All layers, the one nearest the network first. From the source down:
    ///
    /// 1. ``Coalescing``: who asks for the same shares all that follows; a shared answer costs no budget.
    /// 2. ``Redirects``: each hop passes the layers below for itself.
    /// 3. ``RecordedFirst``, with a recording: what is recorded needs no token, no budget and no retry.
    /// 4. ``Retry``: each attempt passes the layers below; its pauses hold no place in a queue.
    /// 5. ``Authorization``: judges each hop's origin, and gives ``RateLimit`` the token that tells budgets apart.
    /// 6. ``RateLimit``: counts what is really sent, whatever made it be sent.
    /// 7. ``Log``: one entry for each send, without the waits above.
    /// 8. ``Unconditional``, with a recorder: what is recorded is whole.
    /// 9. ``Recorder``: writes what goes over the wire.
    /// 10. ``Redaction``: what an answer says of the secrets that requests carry reaches no layer above.
    public func layers() -> [any NetworkingLayer] {
        let fromSource: [(any NetworkingLayer)?] = [
            Coalescing(log: log), Redirects(hopsMax: hopsMax, log: log),
            recording.map { RecordedFirst($0, log: log) }, Retry(retry, clock: clock, log: log),
            authorization,
            RateLimit(rateLimit, clock: clock, memory: budgets, log: log), Log(log),
            recorder.map { _ in Unconditional() }, recorder,
            Redaction(log.secrets),
        ]
        return fromSource.compactMap { $0 }.reversed()
    }
}
