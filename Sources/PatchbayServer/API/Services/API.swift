import HTTPTypes
import PatchbayCore
import PatchbayGateway
import PatchbayJSON
import Synchronization

/// The state that the operations share.
final class API: Sendable {
    let gateways: ServedGateways
    let metrics: PrometheusMetrics
    let agents: MCPOptions
    let clock: LayerClock
    /// Requests that update the rows of an answer.
    let refreshes: BackgroundRequests<UInt64>
    /// The minimum time between two requests of ``refreshes`` for the same rows, the time for which GitHub allows
    /// shared caches to keep an answer.
    static let refreshIntervalMin = Duration.seconds(60)
    let syncs: SyncRuns
    let listeners: Listeners
    let routes: RouteTable
    /// The client whose rights these are; nil for the owner's.
    let client: ClientOptions?
    /// Answers SQL and finds words; nil in a program without them.
    private let questions: StoredQuestions?
    /// Keeps the index of words up to date.
    private let following: Task<Void, Never>?
    private let description = Mutex<[UInt8]?>(nil)

    init(
        _ gateways: [Gateway], _ questions: StoredQuestions?, _ metrics: PrometheusMetrics,
        _ agents: MCPOptions, _ clock: LayerClock
    ) {
        let id = String(UInt64.random(in: .min ... .max), radix: 36)
        self.gateways = ServedGateways(gateways, id: id)
        self.metrics = metrics
        self.agents = agents
        self.clock = clock
        self.questions = questions
        routes = questions == nil ? .withoutQuestions : .all
        following = questions.map { questions in Task { await questions.follow() } }
        refreshes = BackgroundRequests(clock, runningMax: 16, intervalMin: Self.refreshIntervalMin)
        syncs = SyncRuns(clock)
        listeners = Listeners()
        client = nil
    }

    /// What a client sees of an API, with whose services it is answered. Every operation draws resources, fields and
    /// indexes from ``gateways``, and only from there, so that what is not in them cannot be named.
    init(_ all: API, for client: ClientOptions) {
        gateways = ServedGateways(all.gateways, for: client)
        metrics = all.metrics
        agents = all.agents
        clock = all.clock
        let views = gateways.resources.map(\.resource), same = all.gateways.resources.map(\.full) == views
        questions = same ? all.questions : all.questions?.restricted(views)
        routes = all.routes.seen(by: client)
        following = nil
        refreshes = all.refreshes
        syncs = all.syncs
        listeners = all.listeners
        self.client = client
    }

    /// Whether the number of the storage's commits would show changes that the client may not see.
    var hidesRevisions: Bool { client.map { !$0.seesAll } ?? false }

    /// Returns the answer to `GET /-/openapi.json`, which is written on first use.
    func openAPI() -> [UInt8] {
        description.withLock { known in
            if let known { return known }
            let bytes = OpenAPIDocument(gateways, routes).json.line + [UInt8(ascii: "\n")]
            known = bytes
            return bytes
        }
    }

    /// - Throws: `unsupported` in a program without SQL and words, whose routes do not lead here.
    var ownQuestions: StoredQuestions {
        get throws {
            guard let questions else {
                throw PatchbayError(.unsupported, "this program answers no questions about stored rows")
            }
            return questions
        }
    }

    func stop() async {
        following?.cancel()
        listeners.stop()
        await syncs.stop()
        await refreshes.stop()
    }

    /// - Parameter receipt: receives the answer with its provenance, if it comes from a store.
    func answer(_ request: ServerRequest, _ receipt: AnswerReceipt? = nil) async throws -> ServerResponse {
        let call = ServedCall.current
        if let part = PageFile.part(for: request) {
            call?.note(operation: "page")
            try call?.requireBytes()
            return part
        }
        let target = try RequestTarget(request.head.path ?? "")
        if target.path == MCPServer.path {
            return try await MCPServer(api: self, options: agents, isOverStream: false).answer(request)
        }
        let match = routes.match(request.head.method, target.segments, where: isOffered)
        if case .route(let route, let values) = match {
            call?.note(operation: route.operation)
            if let name = values["name"].flatMap(gateways.known)?.name { call?.note(resource: name) }
        }
        try call?.requireBytes()
        switch match {
        case .nothing: throw Problem.notFound("there is nothing at \"\(target.path)\"; see /-/openapi.json")
        case .otherMethods(let methods): return try otherMethods(methods, request.head.method, target)
        case .route(let route, let values):
            var request = try APIRequest(request, to: route, at: target, values) { name in
                explain(name, route, values)
            }
            request.receipt = receipt
            return try await route.handle(request, self)
        }
    }

    /// Whether the resource of a path supports an operation. An unknown resource is reported later by the handler.
    private func isOffered(_ route: Route, _ values: [String: String]) -> Bool {
        guard let name = values["name"], let served = gateways.known(name) else { return true }
        return route.isOffered(served)
    }

    private func otherMethods(
        _ methods: [HTTPRequest.Method], _ method: HTTPRequest.Method, _ target: RequestTarget
    ) throws(Problem) -> ServerResponse {
        let allow = RouteTable.allow(methods)
        guard method == .options else {
            var problem = Problem(
                .methodNotAllowed, .unsupported,
                "\"\(target.path)\" supports \(allow), not \(method.rawValue)")
            problem.fields[.allow] = allow
            throw problem
        }
        return ServerResponse(head: HTTPResponse(status: .noContent, headerFields: [.allow: allow]))
    }

    /// Explains why rows cannot be selected by a field as a parameter; nil if the parameter is not a field.
    private func explain(_ name: String, _ route: Route, _ values: [String: String]) -> Problem? {
        guard case .rows = route.content else { return nil }
        return values["name"].flatMap(gateways.known)?.resource.needsIndex(on: name)
    }
}
