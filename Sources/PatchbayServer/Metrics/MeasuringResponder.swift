import HTTPTypes
public import PatchbayCore
import Synchronization

/// Counts the requests of another responder by client and its answers by origin.
///
/// - `patchbay_server_requests_total{client,method,status}`
/// - `patchbay_server_duration_seconds{part}`, `api` for paths below `/-/`, otherwise `proxy`
/// - `patchbay_server_cache_total{kind}`: `hit`, `stale` (stored, because the source failed), or the reason for a
///   request to the source (RFC 9211): `miss`, `partial`, `request`, `uri-miss`, ...
///
/// A client is the first word of `User-Agent` without its version, `gh` or `curl`; beyond the first 50 it is `other`.
public struct MeasuringResponder: Responder {
    private let inner: any Responder
    private let metrics: PrometheusMetrics
    private let clients = Clients()
    private let uptime: @Sendable () -> Duration

    /// - Parameter uptime: the time since a fixed moment; tests pass their own.
    public init(
        _ inner: any Responder, _ metrics: PrometheusMetrics,
        uptime: @escaping @Sendable () -> Duration = MeasuringResponder.systemUptime
    ) {
        self.inner = inner
        self.metrics = metrics
        self.uptime = uptime
    }

    /// The time since the first measurement of the process.
    public static let systemUptime: @Sendable () -> Duration = {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }()

    /// Passes the request to the inner responder, and counts and times its answer up to the head.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        let start = uptime()
        let response = await inner.respond(to: request)
        let isAPI = request.head.path?.hasPrefix(RequestTarget.prefix) ?? false
        metrics.observe(
            "patchbay_server_duration_seconds", [("part", isAPI ? "api" : "proxy")],
            (uptime() - start) / .seconds(1))
        metrics.addCount(
            "patchbay_server_requests_total",
            [
                ("client", clients.name(request.head.headerFields[.userAgent])),
                ("method", Self.method(request.head.method)), ("status", String(response.head.status.code)),
            ])
        if let kind = Self.kind(response.head.headerFields[APIField.cacheStatus]) {
            metrics.addCount("patchbay_server_cache_total", [("kind", kind)])
        }
        return response
    }

    /// Unregistered methods are counted together.
    private static func method(_ method: HTTPRequest.Method) -> String {
        let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        return known.contains(method) ? method.rawValue : "other"
    }

    /// The outcome in this cache; earlier entries of the field are from caches closer to the source.
    private static func kind(_ status: String?) -> String? {
        guard let own = status?.split(separator: ",").last?.trimmingSpace, own.hasPrefix("patchbay") else {
            return nil
        }
        let words = own.split(separator: ";").map(\.trimmingSpace)
        if words.contains("hit") { return words.contains { $0.hasPrefix("detail=") } ? "stale" : "hit" }
        guard let forward = words.first(where: { $0.hasPrefix("fwd=") }) else { return nil }
        return String(forward.dropFirst("fwd=".count))
    }
}

/// The names of clients seen so far.
private final class Clients: Sendable {
    private static let countMax = 50, bytesMax = 40
    private let names = Mutex(Set<String>())

    func name(_ userAgent: String?) -> String {
        let word = (userAgent ?? "").prefix { $0 != "/" && $0 != " " && $0.isASCII }.lowercased()
        guard !word.isEmpty, word.utf8.count <= Self.bytesMax else { return "other" }
        return names.withLock { names in
            if !names.contains(word), names.count >= Self.countMax { return "other" }
            names.insert(word)
            return word
        }
    }
}
