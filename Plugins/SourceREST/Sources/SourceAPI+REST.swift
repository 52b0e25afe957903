import HTTPTypes
import PatchbayCore
public import PatchbayDomain

extension SourceAPI {
    /// Returns the API of a definition.
    ///
    /// - Parameter hooks: code for parts that the definition cannot describe.
    package static func rest(_ definition: Definition, hooks: RESTHooks = RESTHooks()) -> SourceAPI {
        rest(definition.api, { definition }, hooks)
    }

    /// Returns the API of a bundled definition, which is parsed on first use.
    ///
    /// - Parameter hooks: code for parts that the definition cannot describe.
    public static func rest(_ bundled: BundledDefinition, hooks: RESTHooks = RESTHooks()) -> SourceAPI {
        var api = rest(bundled.name, { bundled.definition }, hooks)
        api.setWhatIsKnownBefore(bundled)
        return api
    }

    private static func rest(
        _ name: String, _ definition: @escaping @Sendable () -> Definition, _ hooks: RESTHooks
    ) -> SourceAPI {
        func opening(keepsBaseURL: Bool) -> SourceAPI.Opening {
            { networking, baseURL, fingerprint in
                Source(
                    RESTServer(
                        definition(), hooks: hooks, networking: networking, baseURL: baseURL,
                        fingerprint: fingerprint, keepsBaseURL: keepsBaseURL))
            }
        }
        var api = SourceAPI(name: name, definition: definition, open: opening(keepsBaseURL: false))
        api.openingKeepingBaseURL = opening(keepsBaseURL: true)
        api.marksError = { definition().errors.marks(unread: $0) }
        api.bodyLimit = { definition().errors.limit(in: $0) }
        api.decoder = { RESTDecoder(hooks: hooks, baseURL: $0, errors: definition().errors) }
        api.server = hooks.serverWord
        return api
    }
}

extension Source {
    fileprivate init(_ server: RESTServer) {
        self.init(name: server.host)
        self.server = server.hooks.serverWord(server.baseURL)
        currentIdentity = { server.partition }
        word = server.definition.api.withUnderscores
        resources = server.definition.resources
        feed = RESTFeed(server)
        decoder = RESTDecoder(
            hooks: server.hooks, baseURL: server.baseURL, errors: server.definition.errors)
        raw = RESTRaw(server: server)
        if resources.contains(where: { $0.picture != nil }) { pictures = RESTPictures(server: server) }
        if let check = server.definition.check { status = { try await server.status(check) } }
    }
}

extension RESTServer {
    /// Returns the state of the source and the credentials.
    fileprivate func status(_ check: Template) async throws -> SourceStatus {
        let path = check.expanded { _ in "" }
        let place: ParameterPlace = definition.resources.first?.send ?? .query
        let answer = try await answer(at: address(path), sending: place)
        var status: SourceStatus
        if let known = try hooks.status(answer) {
            status = known
        } else if answer.isSuccess {
            status = SourceStatus(limits: answer.limits)
        } else {
            throw answer.error(
                missing: "\(host) has nothing at \(path); is source.base-url right?", hooks: hooks)
        }
        status.serverTime = answer.fields[.date].flatMap(Timestamp.init(httpDate:))
        return status
    }
}

extension RESTAnswer {
    /// The limit that the header reports; empty without one.
    fileprivate var limits: [SourceLimit] {
        let report = RateLimitReport(fields)
        guard let limit = report.limit, let remaining = report.remaining else { return [] }
        let resetsAt: Timestamp? =
            switch report.reset {
            case .date(let date): date
            case .delay(let delay):
                fields[.date].flatMap(Timestamp.init(httpDate:))?.advanced(by: delay)
            case nil: nil
            }
        return [SourceLimit(resource: "core", limit: limit, remaining: remaining, resetsAt: resetsAt)]
    }
}
