public import Logging
package import PatchbayCore
import PatchbayDomain
package import PatchbayGateway

/// The logger and metrics of a gateway.
///
///     var logger = Logger(label: "users")
///     logger.logLevel = .debug
///     let gateway = try await Gateway(configuration: configuration, telemetry: Telemetry(logger: logger))
///
/// Without them it is silent, and does not use the process's own logging or metrics system. A request is logged with
/// level `debug`, one without an answer with `warning`, and an opened gateway with `info`. No line contains a secret.
///
/// | metric | kind | dimensions | meaning |
/// |---|---|---|---|
/// | `patchbay_requests_total` | counter | `origin`, `outcome` (a status, an error code) | requests that ended |
/// | `patchbay_not_modified_total` | counter | | those answered with 304 |
/// | `patchbay_rows_total` | counter | `collection` | rows put by committed transactions |
/// | `patchbay_budget_remaining` | meter | | the remaining rate limit according to the last answer |
/// | `patchbay_answer_age_seconds` | recorder | `outcome` | the ages of answers from the storage |
///
/// An age is the time since the source last returned or confirmed the answer; for a list, its oldest part. Outcomes are
/// `stored` (a request is still under way), `local-only` (no request was to be sent) and `failed` (the request failed;
/// with the policy `localFirst` the same answer was counted as `stored` before).
public struct Telemetry: Sendable {
    /// The logger of requests and opened gateways; nil logs nothing.
    public var logger: Logger?
    /// The receiver of metrics; nil measures nothing.
    public var metrics: Metrics?
    private var listener: (@Sendable (RequestLogEntry) -> Void)?

    /// - Parameter metrics: with the product PatchbayMetrics, `Metrics(factory)` passes them to swift-metrics.
    public init(logger: Logger? = nil, metrics: Metrics? = nil) {
        self.logger = logger
        self.metrics = metrics
    }

    /// - Parameter report: called with each request when it has ended, on any thread and concurrently.
    package init(metrics: Metrics? = nil, report: (@Sendable (RequestLogEntry) -> Void)?) {
        self.metrics = metrics
        listener = report
    }

    /// The storage with its saved rows counted, or the storage itself without metrics.
    package func measuring(_ storage: any Storage) -> any Storage {
        guard let metrics else { return storage }
        return MeasuredStorage(inner: storage) { collection, rows in
            metrics.count("patchbay_rows_total", [("collection", collection)], rows)
        }
    }

    /// Records the age of an answer from the storage.
    package func served(_ age: Duration, _ outcome: Outcome) {
        metrics?.record("patchbay_answer_age_seconds", [("outcome", outcome.word)], age / .seconds(1))
    }

    /// Reports a request to the logger, the metrics and the listener; nil without any of them.
    package var report: (@Sendable (RequestLogEntry) -> Void)? {
        guard logger != nil || metrics != nil else { return listener }
        return { entry in
            log(entry)
            count(entry)
            listener?(entry)
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

    /// Receives metrics, on any thread and concurrently.
    public struct Metrics: Sendable {
        /// Adds to the counter with a name and dimensions.
        public var count: @Sendable (_ name: String, _ dimensions: [(String, String)], _ amount: Int) -> Void
        /// Sets the meter with a name.
        public var set: @Sendable (_ name: String, _ value: Int) -> Void
        /// Adds a value to the distribution with a name and dimensions.
        public var record:
            @Sendable (_ name: String, _ dimensions: [(String, String)], _ value: Double) -> Void

        /// Creates a receiver from the three functions, which may be called on any thread and concurrently.
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

/// A storage that reports how many rows each committed transaction put.
struct MeasuredStorage: StorageWrapper {
    let inner: any Storage
    let saved: @Sendable (_ collection: String, _ rows: Int) -> Void

    func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        let (result, rows) = try await inner.write { writer in
            let counting = CountingWriter(writer)
            return (try body(counting), counting.rows)
        }
        for (collection, count) in rows { saved(collection, count) }
        return result
    }
}

/// Passes a transaction on and counts its puts.
private final class CountingWriter: StorageWriterWrapper {
    let inner: any StorageWriter
    private(set) var rows: [String: Int] = [:]

    init(_ inner: any StorageWriter) { self.inner = inner }

    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        try inner.put(row, in: collection)
        rows[collection.name, default: 0] += 1
    }
}
