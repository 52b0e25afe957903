import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension Route {
    static let listRows = Route(
        method: .get, path: "/resources/{name}", operation: "list",
        summary: "Rows in the order of a list of the source, or stored rows along an index.",
        parameters: [
            .limit, .after, .before, .fields, .policy, .list, .of, .by, .equal, .prefix, .from, .to,
            .at, .order,
        ], answers: [.json, .jsonLines, .ndjson], content: .rows
    ) { request, api in
        let served = try api.gateways.resource(named: request.pathValue("name"))
        let rows = try RowsAnswer(request, of: served)
        if isWalk(request, of: served.resource) {
            return try await api.walk(try IndexWalk(request, of: served), rows, request)
        }
        return try await request.naming(.of) {
            try await api.list(try ListedRows(request, of: served), rows, request)
        }
    }

    /// Whether the request is for stored rows in the order of an index. It is also when the first list of the source
    /// needs arguments that were not given.
    private static func isWalk(_ request: APIRequest, of resource: Resource) -> Bool {
        if [Parameter.by, .equal, .prefix, .from, .to, .at, .order].contains(where: request.has) {
            return true
        }
        return !request.has(.list) && !request.has(.of) && !resource.hasUsualList
    }
}

extension Resource {
    /// Whether the first list of the source needs no arguments, so that it is meant when none is named.
    var hasUsualList: Bool { declaration.lists.first.map(\.words.isEmpty) ?? false }
}

extension ListDeclaration {
    /// The values that the list needs: the handle of the row that it belongs to, then its arguments.
    var words: [String] {
        var parent: [String] = []
        for case .field(let resource, _) in template.parameters where parent.isEmpty { parent = [resource] }
        return parent + template.arguments
    }
}

// MARK: - Walks

extension API {
    fileprivate func walk(
        _ walk: IndexWalk, _ rows: RowsAnswer, _ request: APIRequest
    ) async throws -> ServerResponse {
        let stretch = request.stretch(of: walk.served.name)
        let start = try start(request, of: walk, stretch)
        if rows.isLines, !request.has(.limit) {
            guard !request.has(.before) else {
                throw Problem.invalid(
                    Parameter.before.name, "all rows are read forwards; add a limit, or leave this out")
            }
            return try await stream(request, from: walk.served.store) {
                let beginning = try await walk.beginning()
                // The age of the oldest row is not known before all are read.
                var provenance = Provenance(source: walk.served.gateway.source.name, age: nil, .localOnly)
                provenance.note(beginning.reason)
                return (
                    provenance,
                    { writer in
                        var place: IndexWalk.Place? = start
                        while let here = place {
                            let page = try await walk.page(here, limit: Parameter.rowsMax, since: beginning)
                            if !page.items.isEmpty {
                                try await writer.write(rows.body(page.items, of: walk.served.gateway))
                            }
                            place = page.next.map { .after($0) }
                        }
                    }
                )
            }
        }
        let store = walk.served.store
        return try await answer(request, from: store, question: request.question, policy: .localOnly) {
            let page = try await walk.page(
                start, limit: request.integer(.limit) ?? Parameter.rowsUsual)
            let oldest = page.items.compactMap(\.state.fetchedAt).min()
            var provenance = Provenance(
                source: walk.served.gateway.source.name, age: oldest?.storedAge(at: clock.now()), .localOnly)
            provenance.hasMore = page.next != nil
            provenance.note(page.reason)
            let body = try await rows.body(page.items, of: walk.served.gateway)
            var answer = APIAnswer(body, provenance)
            answer.next = page.next.map { request.address(.after, PageToken.text(.key($0), of: stretch)) }
            answer.previous = page.previous.map {
                request.address(.before, PageToken.text($0, of: stretch))
            }
            answer.last = request.address(.before, PageToken.text(.before(nil), of: stretch))
            return answer
        }
    }

    /// - Throws: `Problem` for a token of another walk.
    private func start(
        _ request: APIRequest, of walk: IndexWalk, _ stretch: UInt64
    ) throws(Problem) -> IndexWalk.Place {
        guard let parameter = [Parameter.after, .before].first(where: request.has),
            let token = request.text(parameter)
        else { return .first }
        let isForward = parameter.name == Parameter.after.name
        let place: IndexWalk.Place
        switch try PageToken.position(token, of: stretch, as: parameter) {
        case .key(let key) where isForward && walk.holds(key): place = .after(key)
        case .before(let key) where !isForward && key.map(walk.holds) ?? true: place = .before(key)
        default: throw PageToken.unknown(parameter)
        }
        if let other = [Parameter.before, .at].first(where: { $0.name != parameter.name && request.has($0) })
        {
            throw .invalid(other.name, "it cannot be combined with \(parameter.name); leave one out")
        }
        return place
    }

    /// Streams an answer of any length while it is read. Its tag identifies the revision at the start, so any later
    /// commit invalidates the tag.
    ///
    /// - Parameter begin: called unless the client already has the answer; returns what is known about the answer, and
    ///   what writes it.
    func stream(
        _ request: APIRequest, from store: ServedStore,
        _ begin: () async throws -> (Provenance?, @Sendable (ServerResponse.Writer) async throws -> Void)
    ) async throws -> ServerResponse {
        let revision = try await store.store.revision()
        let tag = AnswerTag(store: store.id, revision: revision, question: request.question)
        var head = head(of: request)
        head.headerFields[.cacheControl] = "private, no-cache"
        head.headerFields[.cacheStatus] = "patchbay; hit"
        if !hidesRevisions { head.headerFields[.eTag] = tag.text }
        if !hidesRevisions, request.conditions.hasRevision(of: tag) {
            head.status = .notModified
            head.headerFields[.contentType] = nil
            head.headerFields[.cacheStatus] = nil
            return ServerResponse(head: head)
        }
        let (provenance, write) = try await begin()
        provenance?.write(to: &head.headerFields)
        return ServerResponse(head: head, body: .stream(write))
    }
}
