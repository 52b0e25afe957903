import HTTPTypes
package import PatchbayCore
import Synchronization

/// Counts the requests of another responder by client and its answers by origin.
///
/// - `patchbay_server_requests_total{client,method,status}`
/// - `patchbay_server_duration_seconds{part}`, `api` for paths below `/-/`, otherwise `proxy`
/// - `patchbay_server_cache_total{kind}`: `hit`, `stale` (stored, because the source failed), or the reason for a
///   request to the source (RFC 9211): `miss`, `partial`, `request`, `uri-miss`, ...
///
/// A client is the first word of `User-Agent` without its version, `gh` or `curl`; beyond the first 50 it is `other`.
package final class MeasuringResponder: Responder {
    private let inner: any Responder
    private let series: RequestSeries
    private let uptime: @Sendable () -> Duration

    /// - Parameter uptime: the time since a fixed moment; tests pass their own.
    package init(
        _ inner: any Responder, _ metrics: PrometheusMetrics,
        uptime: @escaping @Sendable () -> Duration = MeasuringResponder.systemUptime
    ) {
        self.inner = inner
        series = RequestSeries(metrics)
        self.uptime = uptime
    }

    /// The time since the first measurement of the process.
    package static let systemUptime: @Sendable () -> Duration = {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }()

    /// Passes the request to the inner responder, and counts and times its answer up to the head.
    package func reply(to request: ServerRequest) -> ServerReply {
        let start = uptime(), head = request.head
        return inner.reply(to: request).changed { [self] in measure(head, $0, since: start) }
    }

    private func measure(_ head: HTTPRequest, _ response: ServerResponse, since start: Duration) {
        let seconds = (uptime() - start) / .seconds(1)
        let series = series.of(
            Measured(
                userAgent: head.headerFields.value(of: .userAgent) ?? "", method: head.method,
                isAPI: head.path?.hasPrefix(RequestTarget.prefix) ?? false,
                status: response.head.status.code,
                kind: CacheStatus.field(of: response).flatMap(CacheStatus.kind)))
        series.duration?.observe(seconds)
        series.request?.add(1)
        series.cache?.add(1)
    }
}

/// What is measured of a request and its answer.
private struct Measured: Hashable {
    let userAgent: String
    let method: HTTPRequest.Method
    let isAPI: Bool
    let status: Int
    let kind: String?

    /// Unregistered methods are counted together.
    var methodName: String {
        let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        return known.contains(method) ? method.rawValue : "other"
    }

    /// The first word of `User-Agent` without its version.
    var client: String {
        let word = userAgent.prefix { $0 != "/" && $0 != " " && $0.isASCII }.lowercased()
        return word.isEmpty || word.utf8.count > 40 ? "other" : word
    }
}

/// The values to which requests are added. Most requests are like an earlier one.
private final class RequestSeries: Sendable {
    struct Series: Sendable {
        let duration: MetricFamily.Series?, request: MetricFamily.Series?, cache: MetricFamily.Series?
    }

    private static let clientsMax = 50, rememberedMax = 200

    private let metrics: PrometheusMetrics
    private let state = Mutex<(clients: Set<String>, remembered: [Measured: Series])>(([], [:]))

    init(_ metrics: PrometheusMetrics) { self.metrics = metrics }

    func of(_ measured: Measured) -> Series {
        state.withLock { state in
            if let series = state.remembered[measured] { return series }
            var client = measured.client
            if state.clients.count >= Self.clientsMax, !state.clients.contains(client) { client = "other" }
            state.clients.insert(client)
            let series = Series(
                duration: metrics.series(
                    "patchbay_server_duration_seconds", .histogram,
                    .init([("part", measured.isAPI ? "api" : "proxy")])),
                request: metrics.series(
                    "patchbay_server_requests_total", .counter,
                    .init([
                        ("client", client), ("method", measured.methodName),
                        ("status", String(measured.status)),
                    ])),
                cache: measured.kind.flatMap {
                    metrics.series("patchbay_server_cache_total", .counter, .init([("kind", $0)]))
                })
            // Memory is bounded, whatever clients send.
            if state.remembered.count >= Self.rememberedMax { state.remembered = [:] }
            if measured.userAgent.utf8.count <= 256 { state.remembered[measured] = series }
            return series
        }
    }
}
