public import Logging
public import PatchbayCore
import PatchbayDomain
public import PatchbayGateway

/// Where a gateway tells what it does: lines to a logger, numbers to a metrics backend.
///
///     var logger = Logger(label: "users")
///     logger.logLevel = .debug
///     let gateway = try await Gateway(configuration: configuration, telemetry: Telemetry(logger: logger))
///
/// Empty it is silent, and nothing of the process's own logging or metrics system is used. A request is a line of
/// level `debug`, one without an answer a `warning`; an opened gateway is one of level `info`. No line holds a secret.
///
/// | metric | kind | dimensions | tells |
/// |---|---|---|---|
/// | `patchbay_requests_total` | counter | `origin`, `outcome` (a status, an error code) | requests that ended |
/// | `patchbay_not_modified_total` | counter | | those that were answered with 304 |
/// | `patchbay_rows_total` | counter | `collection` | rows put by committed transactions |
/// | `patchbay_budget_remaining` | meter | | what the last answer said is left of the rate limit |
/// | `patchbay_answer_age_seconds` | recorder | `outcome` | the ages of answers from the storage, when given |
///
/// An age is the time since the source last told or confirmed what is answered; of a list, its oldest part. Outcomes
/// are `stored` (the source is being asked), `local-only` (it was not to be asked) and `failed` (it was, in vain; with
/// the policy `localFirst` such a question has been answered with `stored` before).
public struct Telemetry: Sendable {
    public var logger: Logger?
    public var metrics: Metrics?

    /// - Parameter metrics: with the product PatchbayMetrics, `Metrics(factory)` hands them to swift-metrics.
    public init(logger: Logger? = nil, metrics: Metrics? = nil) {
        self.logger = logger
        self.metrics = metrics
    }

    /// The storage with its saved rows counted, for a gateway that is opened without a configuration; the storage
    /// itself when nobody counts.
    public func measuring(_ storage: any Storage) -> any Storage {
        guard let metrics else { return storage }
        return MeasuredStorage(inner: storage) { collection, rows in
            metrics.count("patchbay_rows_total", [("collection", collection)], rows)
        }
    }

    /// Records how old an answer from the storage is; the parameter `served` of a gateway that is opened without a
    /// configuration.
    public func served(_ age: Duration, _ outcome: Outcome) {
        guard let metrics else { return }
        let name =
            switch outcome {
            case .stored: "stored"
            case .localOnly: "local-only"
            case .fresh: "fresh"
            case .unchanged: "unchanged"
            case .failed: "failed"
            }
        metrics.record("patchbay_answer_age_seconds", [("outcome", name)], age / .seconds(1))
    }

    /// Hears of each request: tells logger, metrics and another listener; nil when there are none.
    public func report(
        also other: (@Sendable (RequestLogEntry) -> Void)? = nil
    ) -> (@Sendable (RequestLogEntry) -> Void)? {
        guard logger != nil || metrics != nil else { return other }
        return { entry in
            log(entry)
            count(entry)
            other?(entry)
        }
    }

    func opened(_ configuration: EffectiveConfiguration, _ source: Source) {
        logger?.info(
            "opened a gateway",
            metadata: ["storage": "\(configuration.plugin("storage"))", "source": "\(source.name)"])
    }

    private func log(_ entry: RequestLogEntry) {
        guard let logger else { return }
        var metadata: Logger.Metadata = [
            "method": "\(entry.method)", "url": "\(entry.url)", "origin": "\(entry.origin.rawValue)",
            "milliseconds": "\(Int(entry.duration / .milliseconds(1)))", "bytes": "\(entry.bodyBytes)",
            "cost": "\(entry.cost)",
        ]
        metadata["status"] = entry.status.map { "\($0)" }
        metadata["error"] = entry.error.map { "\($0)" }
        metadata["remaining"] = entry.remaining.map { "\($0)" }
        logger.log(level: entry.error == nil ? .debug : .warning, "request", metadata: metadata)
    }

    private func count(_ entry: RequestLogEntry) {
        guard let metrics else { return }
        let outcome = entry.status.map(String.init) ?? entry.error?.rawValue ?? "cancelled"
        let dimensions = [("origin", entry.origin.rawValue), ("outcome", outcome)]
        metrics.count("patchbay_requests_total", dimensions, 1)
        if entry.status == 304 { metrics.count("patchbay_not_modified_total", [], 1) }
        if let remaining = entry.remaining { metrics.set("patchbay_budget_remaining", remaining) }
    }
}

extension Telemetry {
    /// Where numbers go, from any thread and from several at once.
    public struct Metrics: Sendable {
        /// Adds to the counter of a name and its dimensions.
        public var count: @Sendable (_ name: String, _ dimensions: [(String, String)], _ amount: Int) -> Void
        /// Sets the meter of a name.
        public var set: @Sendable (_ name: String, _ value: Int) -> Void
        /// Adds a value to the distribution of a name and its dimensions.
        public var record:
            @Sendable (_ name: String, _ dimensions: [(String, String)], _ value: Double) -> Void

        public init(
            count: @escaping @Sendable (String, [(String, String)], Int) -> Void,
            set: @escaping @Sendable (String, Int) -> Void,
            record: @escaping @Sendable (String, [(String, String)], Double) -> Void
        ) {
            self.count = count
            self.set = set
            self.record = record
        }
    }
}
