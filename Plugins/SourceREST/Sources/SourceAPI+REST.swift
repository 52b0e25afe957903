import HTTPTypes
import PatchbayCore
public import PatchbayDomain

extension SourceAPI {
    /// An API as a definition describes it.
    ///
    /// - Parameter hooks: what the definition cannot say.
    public static func rest(_ definition: Definition, hooks: RESTHooks = RESTHooks()) -> SourceAPI {
        var api = SourceAPI(
            name: definition.api,
            summary: definition.summary ?? "the resources of the definition \(definition.api)",
            isSpoken: { definition.isSpoken(by: $0) },
            open: { networking, baseURL, fingerprint in
                let server = RESTServer(
                    definition, hooks: hooks, networking: networking, baseURL: baseURL,
                    fingerprint: fingerprint)
                return Source(server)
            })
        api.resources = definition.resources
        api.ignoresCase = definition.ignoresCase
        api.baseURL = definition.baseURL
        api.authorization = definition.authorization
        api.paces = definition.paces
        api.readsByPost = definition.resources.contains { $0.send != .query }
        return api
    }
}

extension Source {
    fileprivate init(_ server: RESTServer) {
        self.init(name: server.host)
        self.server = server.hooks.serverWord(server.baseURL)
        identity = server.partition
        word = server.definition.api.replacing("-", with: "_")
        resources = server.definition.resources
        feed = RESTFeed(server)
        raw = RESTRaw(server: server)
        if resources.contains(where: { $0.picture != nil }) { pictures = RESTPictures(server: server) }
        if let check = server.definition.check { status = { try await server.status(check) } }
    }
}

extension RESTServer {
    /// The state of the source and the credentials.
    fileprivate func status(_ check: Template) async throws -> SourceStatus {
        let path = check.expanded { _ in "" }
        let place: ParameterPlace = definition.resources.first?.send ?? .query
        let answer = try await answer(at: address(path), sending: place)
        var status: SourceStatus
        do {
            if let known = try hooks.status(answer) {
                status = known
            } else if answer.isSuccess {
                status = SourceStatus()
            } else {
                throw answer.error(
                    missing: "\(host) has nothing at \(path); is source.base-url right?", hooks: hooks)
            }
        } catch let fault as RESTStatusFault {
            throw answer.invalid(fault.problem)
        }
        status.serverTime = answer.fields[.date].flatMap(Timestamp.init(httpDate:))
        return status
    }
}

/// Why ``RESTHooks/status`` cannot use an answer.
public struct RESTStatusFault: Error {
    public let problem: String

    public init(_ problem: String) { self.problem = problem }
}

extension Definition {
    /// The paces of the API and of its resources, which count by the beginnings of their paths.
    fileprivate var paces: [(path: String?, pace: Pace)] {
        let ofResources = resources.flatMap { resource -> [(path: String?, pace: Pace)] in
            guard let pace = resource.pace else { return [] }
            return resource.lists.map { ($0.template.beginning, pace) }
        }
        return (pace.map { [(nil, $0)] } ?? []) + ofResources
    }
}

extension Template {
    /// The path up to the first parameter or the query.
    fileprivate var beginning: String {
        guard case .literal(let text)? = pieces.first else { return "/" }
        return String(text.prefix { $0 != "?" })
    }
}
