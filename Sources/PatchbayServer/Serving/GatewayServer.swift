import Patchbay
public import PatchbayCore
import PatchbayDomain
public import PatchbayGateway

/// Serves gateways: the source's API at `/`, through a cache, and their own JSON API below `/-/`.
///
///     let figures = PrometheusMetrics()
///     let serving = try await configuration.openServing()
///     let options = try await ServerOptions(configuration.servingSettings())
///     let gateways = try await configuration.openAll(
///         schema: GatewayServer.schema, telemetry: Telemetry(metrics: figures.metrics))
///     let server = try await GatewayServer(gateways, options, figures)
///     try await server.run(over: serving) { addresses in print(addresses) }
///
/// Its ``responder`` can also answer requests that another server has received.
public final class GatewayServer: Sendable {
    /// The schema of a storage whose gateways are served.
    public static let schema = Schema.gateway.adding(AnswerCache.collections + [ServedUse.collection])

    package static let pagePath = RequestTarget.prefix

    /// Answers a request, after checks of its host, origin and token.
    public let responder: any Responder
    private let api: APIResponder
    private let cache: AnswerCache
    private let ledger: ClientLedger
    private let proxy: ProxyResponder?
    private let unwritten: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - gateways: open for writing, with the ``schema``; the caller closes them after ``stop()``. The API of a
    ///     source is served only if it is the only one, because two could have the same paths.
    ///   - questions: answers SQL (`/-/query`) and finds words (`/-/find`), `StoredQuestions(gateways)` of the module
    ///     PatchbayQuery; nil for a server that does neither.
    ///   - figures: the metrics of the gateways' telemetry, which are served with those of the server.
    ///   - log: called for every request that is answered, from several threads at once.
    ///   - unwritten: called when answers, or the account of clients, cannot be written to the storage; answers are
    ///     then served from memory.
    /// - Throws: `invalidConfiguration` when the source's base URL is not an address, or a client is granted a resource
    ///   or field that does not exist; errors of the storage.
    public init(
        _ gateways: Gateways, _ options: ServerOptions, _ figures: PrometheusMetrics,
        questions: StoredQuestions? = nil, clock: LayerClock = LayerClock(now: Timestamp.now),
        log: (@Sendable (ServedRequest) -> Void)? = nil,
        unwritten: @escaping @Sendable (any Error) -> Void = { _ in }
    ) async throws {
        self.unwritten = unwritten
        gateways.store.spareCallers()
        cache = try await AnswerCache(
            store: gateways.store, bytesMax: options.proxy.cacheBytesMax, clock: clock, report: unwritten)
        ledger = try await ClientLedger(options.clients, gateways.store, clock: clock, report: unwritten)
        api = try APIResponder(
            gateways.all, questions: questions, metrics: figures, agents: options.agents, clock: clock
        ).serving(options.clients)
        let proxy = try Self.proxy(gateways, cache, options, clock)
        self.proxy = proxy as? ProxyResponder
        let router = Router(api: api, proxy: proxy, clients: options.clients)
        let guarded = GuardedResponder(
            AccountingResponder(router, ledger), options, holdsCredentials: gateways.holdsCredentials)
        let measured: any Responder = MeasuringResponder(guarded, figures)
        let names = gateways.all.compactMap { gateway -> String? in
            guard case .query(let name) = gateway.source.upstream?.authorization else { return nil }
            return name
        }
        responder =
            log.map {
                LoggedResponder(measured, clock: clock, secretParameters: Set(names), receive: $0)
            } ?? measured
    }

    /// Answers requests until `serving` stops.
    ///
    /// - Parameter listening: called once with all addresses, when connections are accepted.
    /// - Throws: an error of an address that cannot be listened on.
    public func run(
        over serving: any Serving, listening: @escaping @Sendable (_ addresses: [String]) -> Void
    ) async throws {
        do {
            try await serving.run(responder, listening: listening)
        } catch {
            await stop()
            throw error
        }
        await stop()
    }

    /// Ends event streams, the syncs that clients have started and requests in the background, and writes answers that
    /// are not yet stored. After three seconds it leaves a storage that does not answer alone.
    ///
    /// ``run(over:listening:)`` does so at its end.
    public func stop() async {
        do {
            try await Promptness.ending(within: Self.stopLimit) { [api, proxy, cache, ledger] in
                await api.stop()
                await proxy?.stop()
                await cache.close()
                await ledger.close()
            }
        } catch {
            unwritten(PatchbayError(.busy, "the storage does not answer"))
        }
    }

    private static let stopLimit = Duration.seconds(3)

    private static func proxy(
        _ gateways: Gateways, _ cache: AnswerCache, _ options: ServerOptions, _ clock: LayerClock
    ) throws -> any Responder {
        guard gateways.all.count == 1, let source = gateways.all.first?.source else {
            return AbsentResponder(
                "several sources are served, so only /-/ exists; start another server for one of them")
        }
        guard let upstream = source.upstream else {
            return AbsentResponder("the source \(source.name) has no server whose API could be served")
        }
        return try ProxyResponder(upstream, cache: cache, options.proxy, clock: clock)
    }
}

extension Gateways {
    /// Whether a source has credentials that clients could use.
    package var holdsCredentials: Bool { all.contains { $0.source.upstream?.lending != nil } }
}
