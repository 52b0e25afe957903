import HTTPTypes
public import Patchbay
public import PatchbayCore
public import PatchbayGateway

/// The JSON API over gateways: every path that begins with `/-/`.
///
///     let api = APIResponder([gateway])
///     let response = await api.respond(to: request)
///
/// Resources are called by their names, `users`, and where two gateways have one of the same name, with the word of
/// their source before it, `slack.users`. `GET /-/openapi.json` describes all operations.
///
/// An answer to `HEAD` is that to `GET`, body included: the wire leaves the body out and sends its length.
public struct APIResponder: Responder {
    let api: API

    /// - Parameters:
    ///   - gateways: they stay open until ``stop()`` has returned.
    ///   - metrics: what `GET /-/metrics` shows; give its `metrics` to the gateways' telemetry, too.
    ///   - clock: the time; a test gives its own.
    public init(
        _ gateways: [Gateway], metrics: PrometheusMetrics = PrometheusMetrics(),
        clock: LayerClock = LayerClock(now: { Timestamp.now() })
    ) {
        api = API(gateways, metrics, clock)
    }

    public func respond(to request: ServerRequest) async -> ServerResponse {
        do {
            return try await api.answer(request)
        } catch {
            return Problem(error, at: api.clock.now()).response
        }
    }

    /// Ends streams of events, running syncs and questions to the source, and waits for the latter two. What they have
    /// saved stays.
    public func stop() async { await api.stop() }
}
