public import Patchbay
import PatchbayCore
import PatchbaySystem
import Synchronization

/// Metrics for Prometheus, of gateways, the server and the process.
///
///     let figures = PrometheusMetrics()
///     let gateways = try await configuration.openAll(
///         schema: GatewayServer.schema, telemetry: Telemetry(metrics: figures.metrics))
///     let server = try await GatewayServer(gateways, options, figures)
///
/// The server returns them at `/-/metrics`.
/// Memory is bounded: a metric has at most 1,000 sets of labels.
public final class PrometheusMetrics: Sendable {
    private let families: Mutex<[String: MetricFamily]>
    private let process = ProcessFigures()

    /// Creates metrics without values; nothing is shared with other instances.
    public init() { families = Mutex(Self.known) }

    /// The metrics to pass to a gateway's telemetry.
    public var metrics: Telemetry.Metrics {
        Telemetry.Metrics { [self] name, labels, amount in
            series(name, .counter, MetricFamily.Labels(labels))?.add(Double(amount))
        } set: { [self] name, value in
            setPlain(name, value)
        } record: { [self] name, labels, value in
            series(name, .histogram, MetricFamily.Labels(labels))?.observe(value)
        }
    }

    func setGauge(_ name: String, _ labels: MetricFamily.Labels, _ value: Double) {
        series(name, .gauge, labels)?.set(value)
    }

    func setPlain(_ name: String, _ value: Int) { setGauge(name, .none, Double(value)) }

    /// Returns the values of a metric for a set of labels, which may be kept; nil when there are too many sets.
    func series(
        _ name: String, _ kind: MetricFamily.Kind, _ labels: MetricFamily.Labels
    ) -> MetricFamily.Series? {
        families.withLock { families in
            // Metrics of the embedding program are included as well.
            families[name, default: MetricFamily(kind, "Counted by the program.", bounds: Self.seconds)]
                .series(labels)
        }
    }

    /// Returns all metrics in the text format of Prometheus, version 0.0.4.
    func text(at now: Timestamp) -> String {
        let families = families.withLock { $0 }
        let own = families.sorted { $0.key < $1.key }.map { $0.value.text(named: $0.key) }
        return (own + process.families(at: now).map { $0.family.text(named: $0.name) }).joined()
    }

    /// From half a millisecond to ten seconds.
    private static let seconds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// From a second to thirty days.
    private static let ages = [1, 10, 60, 300, 900, 3_600, 14_400, 86_400, 604_800, 2_592_000].map(
        Double.init)

    private static let known: [String: MetricFamily] = [
        "patchbay_requests_total": MetricFamily(
            .counter, "Finished requests to sources, by origin of the answer and by status or error."),
        "patchbay_not_modified_total": MetricFamily(
            .counter, "Requests to sources answered with 304."),
        "patchbay_rows_total": MetricFamily(.counter, "Rows put by committed transactions, by collection."),
        "patchbay_budget_remaining": MetricFamily(
            .gauge, "Remaining requests of the rate limit, from the last answer."),
        "patchbay_limit_remaining": MetricFamily(
            .gauge, "Remaining requests of each rate limit, by server, token fingerprint and resource."),
        "patchbay_answer_age_seconds": MetricFamily(
            .histogram, "Ages of answers from the storage when they were sent.", bounds: ages),
        "patchbay_server_requests_total": MetricFamily(
            .counter, "Requests of clients, by client, method and status."),
        "patchbay_server_duration_seconds": MetricFamily(
            .histogram, "Time until the start of the answer to a client, by part of the server.",
            bounds: seconds),
        "patchbay_server_cache_total": MetricFamily(
            .counter, "Answers to clients by origin, as in Cache-Status."),
        "patchbay_event_listeners": MetricFamily(.gauge, "Open event streams."),
    ]
}

/// The system's figures of this process, under the names that Prometheus' own clients use.
struct ProcessFigures: Sendable {
    private let startedAt = ContinuousClock.now

    func families(at now: Timestamp) -> [(name: String, family: MetricFamily)] {
        var families: [(name: String, family: MetricFamily)] = []
        func add(_ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: Double?) {
            guard let value else { return }
            var family = MetricFamily(kind, help)
            family.series(.none)?.set(value)
            families.append((name, family))
        }
        add(
            "process_cpu_seconds_total", .counter,
            "CPU time used by the process, in seconds.",
            CurrentProcess.processorSeconds)
        add(
            "process_resident_memory_bytes", .gauge, "Resident memory of the process, in bytes.",
            CurrentProcess.residentBytes.map(Double.init))
        add(
            "process_open_fds", .gauge, "Open file descriptors.",
            CurrentProcess.openDescriptorCount.map(Double.init))
        add(
            "process_max_fds", .gauge, "Maximum number of open file descriptors.",
            CurrentProcess.limit(.files).map(Double.init))
        let age = (ContinuousClock.now - startedAt) / .seconds(1)
        add(
            "process_start_time_seconds", .gauge,
            "Start of the measurements of the process, in seconds since 1970.",
            (Double(now.milliseconds) / 1_000 - age).rounded())
        return families
    }
}
