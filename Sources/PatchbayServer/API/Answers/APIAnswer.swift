import HTTPTypes
import PatchbayCore
import PatchbayGateway
import PatchbayJSON

/// An answer read from a store, with its provenance.
struct APIAnswer: Sendable {
    let body: [UInt8]
    let provenance: Provenance
    /// The address of the next page; nil after the last one.
    var next: String?
    /// The addresses of the previous and the last page, if pages can be read backwards.
    var previous: String?, last: String?
    /// The type of the body if the route does not fix it.
    var mediaType: String?
    /// The digest of the content if it is not the digest of the body, and then that of what the body has besides it.
    var content: UInt64?, notes: UInt64?

    /// The links to other pages as a header field; nil without any.
    fileprivate var links: String? {
        let links = [("next", next), ("prev", previous), ("last", last)]
            .compactMap { rel, address in address.map { "<\($0)>; rel=\"\(rel)\"" } }
        return links.isEmpty ? nil : links.joined(separator: ", ")
    }

    /// Writes what the answer says besides its content, for a client that has that already.
    fileprivate func writeNotes(to fields: inout HTTPFields) {
        provenance.write(to: &fields)
        fields[.link] = links
    }

    /// A digest of what the answer says besides its content, apart from its age and from how it was fetched.
    fileprivate var noteDigest: UInt64 {
        let words = provenance.contentMembers + [links ?? "", notes.map { String($0) } ?? ""]
        return UInt64(digestOf: words.joined(separator: "\n"))
    }

    init(_ body: [UInt8], _ provenance: Provenance, next: String? = nil) {
        self.body = body
        self.provenance = provenance
        self.next = next
    }
}

extension API {
    /// Answers from a store, or with 304 if the client already has the answer.
    ///
    /// - Parameters:
    ///   - question: a digest of the request and its form, to which the entity tag belongs.
    ///   - policy: that of `read`. If it queries the source first, the current revision does not identify the answer.
    ///   - hasRevision: whether the revision of the store identifies an answer from it.
    ///   - unread: called when the answer of the current revision need not be read.
    func answer(
        _ request: APIRequest, from store: ServedStore, question: UInt64, policy: Policy,
        hasRevision: Bool = true,
        unread: @Sendable () -> Void = {}, _ read: @Sendable () async throws -> APIAnswer
    ) async throws -> ServerResponse {
        let hasRevision = hasRevision && !policy.queriesFirst && !hidesRevisions
        guard policy == .localOnly else {
            return try await answer(request, store, question, hasRevision, unread, read)
        }
        // What waits for nothing but the store is one piece of work for it.
        return try await store.store.waiting { _ in
            try await answer(request, store, question, hasRevision, unread, read)
        }
    }

    private func answer(
        _ request: APIRequest, _ store: ServedStore, _ question: UInt64, _ hasRevision: Bool,
        _ unread: () -> Void,
        _ read: () async throws -> APIAnswer
    ) async throws -> ServerResponse {
        // Taken before reading, so that the tag never claims a later state than the rows.
        let revision = try await store.store.revision()
        var tag = AnswerTag(store: store.id, revision: hasRevision ? revision : nil, question: question)
        if request.conditions.hasRevision(of: tag) {
            unread()
            return notModified(request, request.conditions.ifNoneMatch?.text(of: tag) ?? tag.text)
        }
        let answer = try await read()
        request.receipt?.keep(answer)
        if !answer.provenance.isStored { tag.revision = nil }
        tag.content = answer.content ?? UInt64(digestOf: answer.body)
        tag.notes = answer.noteDigest
        if request.conditions.hasContent(of: tag) {
            var response = notModified(request, tag.text)
            answer.writeNotes(to: &response.head.headerFields)
            return response
        }
        var head = head(of: request)
        head.headerFields[.eTag] = tag.text
        head.headerFields[.cacheControl] = "private, no-cache"
        if let type = answer.mediaType { head.headerFields[.contentType] = type }
        answer.writeNotes(to: &head.headerFields)
        return ServerResponse(head: head, body: .whole(answer.body))
    }

    /// Answers from all stores. With several stores, no single revision identifies the answer.
    func answer(
        _ request: APIRequest, _ read: @Sendable () async throws -> APIAnswer
    ) async throws -> ServerResponse {
        guard let store = gateways.stores.first else { return response(request, try await read().body) }
        return try await answer(
            request, from: store, question: request.question, policy: .localOnly,
            hasRevision: gateways.stores.count == 1, read)
    }

    /// Returns the head of a successful answer in the negotiated form.
    func head(of request: APIRequest) -> HTTPResponse {
        var head = HTTPResponse(status: request.route.status)
        head.headerFields[.contentType] = request.mediaType?.contentType
        head.headerFields[.cacheControl] = "no-store"
        if request.route.answers.count > 1 { head.headerFields[.vary] = "Accept" }
        return head
    }

    /// Returns an answer that does not come from a store.
    func response(_ request: APIRequest, _ body: [UInt8]) -> ServerResponse {
        ServerResponse(head: head(of: request), body: .whole(body))
    }

    func response<Value>(_ request: APIRequest, _ value: Value, _ members: Members<Value>) -> ServerResponse {
        response(request, members.json(value) + [UInt8(ascii: "\n")])
    }

    func response<Value>(_ request: APIRequest, _ values: [Value], _ members: Members<Value>)
        -> ServerResponse
    { response(request, members.line(values)) }

    func response(_ request: APIRequest, _ value: JSONValue) -> ServerResponse {
        response(request, value.line + [UInt8(ascii: "\n")])
    }

    private func notModified(_ request: APIRequest, _ tag: String) -> ServerResponse {
        var head = HTTPResponse(status: .notModified)
        head.headerFields[.eTag] = tag
        head.headerFields[.cacheControl] = "private, no-cache"
        if request.route.answers.count > 1 { head.headerFields[.vary] = "Accept" }
        return ServerResponse(head: head)
    }
}

extension TagList {
    /// The client's own spelling of a tag of the same revision, which includes the content's digest.
    fileprivate func text(of tag: AnswerTag) -> String? {
        tags.first { tag.isOfSameRevision(as: $0.tag) }?.tag.text
    }
}
