import HTTPTypes
import Patchbay
package import PatchbayCore
package import PatchbayGateway
import PatchbayNetworking

/// The JSON API over gateways: every path that starts with `/-/`.
///
///     let api = APIResponder([gateway])
///     let response = await api.respond(to: request)
///
/// A resource is addressed by its name, `users`. If several gateways have a resource of that name, the name of the
/// source comes first, `slack.users`. `GET /-/openapi.json` describes all operations.
///
/// The answer to `HEAD` is the same as to `GET`, including the body; the server that sends it leaves the body out and
/// sends its length.
package struct APIResponder: Responder {
    let api: API
    /// What clients with rights of their own see, by their names.
    private var clients: [String: API] = [:]

    /// - Parameters:
    ///   - gateways: must stay open until ``stop()`` has returned.
    ///   - questions: answers SQL and finds words; nil for a program that does neither.
    ///   - metrics: the metrics of `GET /-/metrics`; pass its `metrics` to the gateways' telemetry as well.
    ///   - agents: the limits of answers at `/-/mcp`.
    ///   - clock: the source of the time; tests pass their own.
    package init(
        _ gateways: [Gateway], questions: StoredQuestions? = nil,
        metrics: PrometheusMetrics = PrometheusMetrics(), agents: MCPOptions = MCPOptions(),
        clock: LayerClock = LayerClock(now: { Timestamp.now() })
    ) {
        api = API(gateways, questions, metrics, agents, clock)
    }

    /// The same with clients that see less.
    ///
    /// - Throws: `invalidConfiguration` for a client that is granted a resource or field that does not exist.
    package func serving(_ clients: [ClientOptions]) throws -> APIResponder {
        var responder = self
        let resources = api.gateways.resources.map { (name: $0.name, resource: $0.full) }
        for client in clients {
            try client.check(among: resources)
            responder.clients[client.name] = API(api, for: client)
        }
        return responder
    }

    /// What the client of a request sees. One that is not known sees nothing, and has no way to be here.
    private func api(for request: ServerRequest) throws -> API {
        guard let name = request.clientName else { return api }
        guard let api = clients[name] else { throw Problem(.forbidden, .permissionDenied, "unknown client") }
        return api
    }

    /// Answers a request for a path below `/-/`; a failure is answered with a problem document (RFC 9457). Only syncs,
    /// and streams of JSON Lines that have begun, wait for a limit of the source that is used up.
    package func reply(to request: ServerRequest) -> ServerReply {
        .later {
            do {
                let api = try api(for: request)
                return try await RateLimit.$waits.withValue(false) { try await api.answer(request) }
            } catch {
                return Problem(error, at: api.clock.now()).response
            }
        }
    }

    /// Ends event streams, running syncs and requests to sources, and waits for syncs and requests to end. Rows that
    /// they have saved stay.
    package func stop() async { await api.stop() }
}
