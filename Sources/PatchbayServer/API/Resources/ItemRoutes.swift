import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

extension Route {
    static let showRow = Route(
        method: .get, path: "/resources/{name}/{key}", operation: "show",
        summary: "One row with its details.",
        parameters: [.policy, .fields], content: .row
    ) { request, api in
        let served = try api.gateways.resource(named: request.pathValue("name"))
        return try await api.show(try served.handle(in: request), of: served, request)
    }

    static let editRow = Route(
        method: .patch, path: "/resources/{name}/{key}", operation: "edit",
        summary:
            "Edits fields of a stored row locally; null reverts a field. The source's values are kept, too.",
        condition: .required, body: Body(mediaTypes: ["application/merge-patch+json", "application/json"]),
        content: .row, isOffered: { !$0.resource.editable.isEmpty }
    ) { request, api in
        let served = try api.gateways.resource(named: request.pathValue("name"))
        let key = try served.handle(in: request)
        // A missing row is reported before a missing If-Match.
        _ = try await served.required(key)
        guard request.conditions.ifMatch != nil else {
            throw Problem(
                HTTPResponse.Status(code: 428, reasonPhrase: "Precondition Required"), .invalidValue,
                "send the ETag of the row that you have read as If-Match, so that no other edit is overwritten",
                parameter: "If-Match")
        }
        let changes = try RowEdits(request.body).changes
        return try await api.edit(key, of: served, changes, request)
    }

    static let revertField = Route(
        method: .delete, path: "/resources/{name}/{key}/overrides/{field}", operation: "revert",
        summary: "Reverts the edit of a field, so that the source's value is shown again.",
        condition: .optional, content: .row, isOffered: { !$0.resource.editable.isEmpty }
    ) { request, api in
        let served = try api.gateways.resource(named: request.pathValue("name"))
        let field = request.pathValue("field")
        guard served.resource.field(spelled: field).map(served.resource.editable.contains) ?? false else {
            let known = served.resource.editable.map(\.name)
            throw Problem.notFound(
                "\(served.resource.plural) have no editable field \"\(field)\""
                    + "\(EditDistance.suggestion(for: field, in: known)); known: \(known.joined(separator: ", "))",
                parameter: "field")
        }
        return try await api.edit(try served.handle(in: request), of: served, [(field, nil)], request)
    }

    static let addFavourite = Route(
        method: .put, path: "/resources/{name}/{key}/favourite", operation: "addFavourite",
        summary: "Marks a stored row as a favourite, with a copy of its current fields.", answers: [],
        status: .noContent, isOffered: \.showsFavourites
    ) { request, api in
        let served = try api.gateways.resource(named: request.pathValue("name"))
        try await served.gateway.addFavourite(served.full, try served.handle(in: request))
        return ServerResponse(head: HTTPResponse(status: .noContent))
    }

    static let removeFavourite = Route(
        method: .delete, path: "/resources/{name}/{key}/favourite", operation: "removeFavourite",
        summary: "Removes a favourite. The row itself stays.", answers: [], status: .noContent,
        isOffered: \.showsFavourites
    ) { request, api in
        let served = try api.gateways.resource(named: request.pathValue("name"))
        try await served.gateway.removeFavourite(served.full, try served.handle(in: request))
        return ServerResponse(head: HTTPResponse(status: .noContent))
    }
}

extension ServedResource {
    /// The maximum length of a handle, which fits a key together with its collection's name (`Limits.keyBytes`).
    private static let handleBytesMax = 400

    /// Returns the handle in the path.
    ///
    /// - Throws: `Problem` with 404 if no stored row can have such a handle.
    func handle(in request: APIRequest) throws(Problem) -> String {
        let handle = request.pathValue("key")
        guard handle.utf8.count <= Self.handleBytesMax else {
            throw .notFound(
                "no \(resource.singular) has a handle of more than \(Self.handleBytesMax) bytes",
                parameter: "key")
        }
        return Self.isEncodedDots(handle)
            ? PercentEncoding.text(of: handle.utf8, plusIsSpace: false) ?? handle : handle
    }

    /// Whether a handle is `%2E` or `%2E%2E`, each `%` encoded any number of times. It was encoded once more, because
    /// clients such as browsers remove `.` and `%2E` from a path.
    static func isEncodedDots(_ handle: String) -> Bool {
        let parts = handle.split(separator: "%", omittingEmptySubsequences: false)
        return (2...3).contains(parts.count) && parts[0].isEmpty
            && parts.dropFirst().allSatisfy { part in
                part.uppercased() == String(repeating: "25", count: max(0, part.utf8.count / 2 - 1)) + "2E"
            }
    }

    /// - Throws: `notFound` when the row is not stored.
    fileprivate func required(_ key: String) async throws -> Item {
        guard let item = try await gateway.storedItem(full, key) else {
            throw Problem.notFound(
                "\(resource.singular) \"\(key)\" is not stored; get it first", parameter: "key")
        }
        return item
    }

    /// Returns the part of an entity tag that identifies the row. It does not depend on the chosen fields.
    fileprivate func question(_ key: String) -> UInt64 {
        UInt64(digestOf: resource.collection.name + "\n" + key)
    }

    /// Returns the tag that a change compares. It covers all fields of the row.
    fileprivate func tag(_ key: String, _ item: Item) -> AnswerTag {
        AnswerTag(store: store.id, revision: nil, question: question(key), content: digest(of: item))
    }

    /// Returns a digest of all fields of the row.
    func digest(of item: Item) -> UInt64 {
        var json = JSONWriter()
        write(item, to: &json)
        return UInt64(digestOf: json.bytes)
    }
}

extension API {
    fileprivate func show(
        _ key: String, of served: ServedResource, _ request: APIRequest
    ) async throws -> ServerResponse {
        let rows = try RowsAnswer(request, of: served)
        let policy = try served.policy(of: request)
        let (gateway, resource) = (served.gateway, served.full)
        let background = { @Sendable [self] in
            if policy == .localFirst {
                refresh(request) { _ = await gateway.show(resource, key, policy: policy).ending }
            }
        }
        return try await answer(
            request, from: served.store, question: served.question(key), policy: policy,
            unread: background
        ) {
            let chosen = await ServedAnswer(
                gateway.show(resource, key, policy: policy), policy, isWhole: { served.seen($0).hasDetail })
            if chosen.isContinued { background() }
            guard let item = try chosen.row().value.map(served.seen) else {
                throw Problem.notFound(
                    "\(resource.singular) \"\(key)\" is not stored; use policy=local-first",
                    parameter: "key")
            }
            var provenance = chosen.provenance(from: gateway.source.name)
            provenance.isComplete = item.hasDetail
            var answer = APIAnswer(try await rows.body(item, of: gateway), provenance)
            answer.content = served.tag(key, item).content
            answer.notes = rows.hasNotes ? UInt64(digestOf: answer.body) : nil
            return answer
        }
    }

    fileprivate func edit(
        _ key: String, of served: ServedResource, _ changes: [(field: String, value: String?)],
        _ request: APIRequest
    ) async throws -> ServerResponse {
        let edited = try await served.gateway.edit(served.full, key, changes) { item in
            let tag = served.tag(key, item)
            guard request.conditions.allowsChange(of: tag) else {
                throw Problem(
                    .preconditionFailed, .conflict,
                    request.conditions.hasWeakened(tag)
                        ? "the tag is weak, so it does not identify the row exactly; send it without W/"
                        : "\(served.resource.singular) \"\(key)\" has changed since you read it; "
                            + "get it again, then edit it",
                    parameter: "If-Match")
            }
        }
        var response = response(
            request, try await RowsAnswer(request, of: served).body(edited.value, of: served.gateway)
        )
        response.head.headerFields[.eTag] = served.tag(key, edited.value).text
        return response
    }
}

extension ServedAnswer {
    /// Returns the answer; an invalid key is reported as not found.
    fileprivate func row() throws -> Answer<Value> {
        do {
            return try served()
        } catch let error as PatchbayError where error.code == .invalidValue {
            throw Problem.notFound(error.message, parameter: "key")
        }
    }
}

extension Item {
    /// Whether the row's own address, if it has one, was fetched successfully.
    fileprivate var hasDetail: Bool { resource.declaration.show == nil || state.detailFetchedAt != nil }
}

extension Route {
    static let showPicture = Route(
        method: .get, path: "/resources/{name}/{key}/picture", operation: "picture",
        summary: "The picture of a row. A stored picture is returned without checking for changes.",
        parameters: [.policy], answers: [.picture], isOffered: \.hasPictures
    ) { request, api in
        let served = try api.gateways.resource(named: request.pathValue("name"))
        return try await api.picture(served.handle(in: request), of: served, request)
    }
}

extension API {
    fileprivate func picture(
        _ key: String, of served: ServedResource, _ request: APIRequest
    ) async throws -> ServerResponse {
        let policy = try served.policy(of: request)
        return try await answer(
            request, from: served.store, question: request.question, policy: policy
        ) {
            let answers = served.gateway.picture(served.full, key, policy: policy)
            let chosen = await ServedAnswer(answers, policy) { _ in true }
            guard let picture = try chosen.served().value else {
                throw Problem.notFound(
                    "no picture of \(served.resource.singular) \"\(key)\" is stored; use policy=local-first",
                    parameter: "key")
            }
            var answer = APIAnswer(picture.bytes, chosen.provenance(from: served.gateway.source.name))
            answer.mediaType = picture.mediaType
            return answer
        }
    }
}
