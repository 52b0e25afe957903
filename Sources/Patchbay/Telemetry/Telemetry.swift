public import CoreMetrics
public import Logging
public import PatchbayCore
import PatchbayDomain

/// Where a gateway tells what it does: lines to a logger, numbers to a metrics backend.
///
///     var logger = Logger(label: "users")
///     logger.logLevel = .debug
///     let gateway = try await Gateway(configuration: configuration, telemetry: Telemetry(logger: logger))
///
/// Empty it is silent, and nothing of the process's own logging or metrics system is used. A request is a line of
/// level `debug`, one without an answer a `warning`; an opened gateway is one of level `info`. No line holds a secret.
///
/// | metric | kind | dimensions | counts |
/// |---|---|---|---|
/// | `patchbay_requests_total` | counter | `origin`, `outcome` (a status, an error code) | requests that ended |
/// | `patchbay_not_modified_total` | counter | | those that were answered with 304 |
/// | `patchbay_rows_total` | counter | `collection` | rows put by committed transactions |
/// | `patchbay_budget_remaining` | meter | | what the last answer said is left of the rate limit |
public struct Telemetry: Sendable {
    public var logger: Logger?
    public var metrics: (any MetricsFactory)?

    public init(logger: Logger? = nil, metrics: (any MetricsFactory)? = nil) {
        self.logger = logger
        self.metrics = metrics
    }

    /// The storage with its saved rows counted, for a gateway that is opened without a configuration; the storage
    /// itself when nobody counts.
    public func measuring(_ storage: any Storage) -> any Storage {
        guard let metrics else { return storage }
        return MeasuredStorage(inner: storage) { collection, rows in
            Counter(label: "patchbay_rows_total", dimensions: [("collection", collection)], factory: metrics)
                .increment(by: rows)
        }
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

    func opened(_ configuration: Configuration, _ source: Source) {
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
        Counter(label: "patchbay_requests_total", dimensions: dimensions, factory: metrics).increment()
        if entry.status == 304 {
            Counter(label: "patchbay_not_modified_total", factory: metrics).increment()
        }
        if let remaining = entry.remaining {
            Meter(label: "patchbay_budget_remaining", factory: metrics).set(remaining)
        }
    }
}
