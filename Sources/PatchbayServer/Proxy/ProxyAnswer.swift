import HTTPTypes
import PatchbayCore

/// Turns stored and new answers into the response to a client.
struct ProxyAnswer: Sendable {
    let method: HTTPRequest.Method
    let conditions: HTTPFields
    let rewriting: AddressRewriting

    /// Returns a stored answer, 304 if the client has it, or the requested range.
    func stored(_ answer: StoredAnswer, _ status: CacheStatus, at now: Timestamp) -> ServerResponse {
        let content = answer.prepared.content(for: rewriting) { prepared(answer.fields, answer.body) }
        let current = answer.prepared.fields(age: answer.freshness.age(at: now), status)
        let head = HTTPResponse(status: .init(code: answer.status))
        var response = ServerResponse(head: head, body: .whole(content.body))
        response.shared = [content.fields, current]
        return conditional(response)
    }

    /// Returns an answer of the server.
    func new(_ response: Response, _ status: CacheStatus) -> ServerResponse {
        let age = response.head.headerFields[.age]
        let fields = ForwardedFields.response(
            response.head.headerFields, status: response.head.status.code)
        let content = prepared(fields, response.body)
        var head = response.head
        head.headerFields = content.fields.fields
        head.headerFields[.age] = age
        head.headerFields.append(HTTPField(name: .cacheStatus, value: status.text))
        return ServerResponse(head: head, body: .whole(content.body))
    }

    private func prepared(_ fields: HTTPFields, _ body: [UInt8]) -> PreparedAnswer.Content {
        var fields = fields
        rewriting.apply(to: &fields)
        fields[.age] = nil
        guard let changed = rewriting.applied(to: body, fields) else {
            return .init(fields: SharedFields(fields), body: body)
        }
        // A strong tag would promise the original bytes.
        if let tag = fields[.eTag], tag.hasPrefix("\"") { fields[.eTag] = "W/" + tag }
        return .init(fields: SharedFields(fields), body: changed)
    }
}

extension ProxyAnswer {
    /// Applies the client's conditions (RFC 9110, section 13.2.2).
    private func conditional(_ response: ServerResponse) -> ServerResponse {
        guard !conditions.isEmpty, response.head.status.code == 200, case .whole(let body) = response.body
        else { return response }
        let fields = response.headerFields
        if let list = conditions[.ifNoneMatch] {
            if EntityTag.isListed(fields[.eTag], in: list) { return notModified(fields) }
        } else if let since = conditions[.ifModifiedSince].flatMap(Timestamp.init(httpDate:)),
            let modified = (fields[.lastModified] ?? fields[.date]).flatMap(Timestamp.init(httpDate:)),
            modified <= since
        {
            return notModified(fields)
        }
        guard method == .get, let range = conditions[.range],
            meets(conditions[.ifRange], fields),
            let bytes = ByteRange.bytes(range, of: body.count)
        else { return response }
        return part(bytes, of: body, fields)
    }

    private func notModified(_ fields: HTTPFields) -> ServerResponse {
        var fields = fields
        for name in [HTTPField.Name.contentType, .contentRange] { fields[name] = nil }
        return ServerResponse(head: HTTPResponse(status: .notModified, headerFields: fields))
    }

    private func part(_ bytes: Range<Int>, of body: [UInt8], _ fields: HTTPFields) -> ServerResponse {
        var fields = fields
        guard !bytes.isEmpty else {
            fields[.contentRange] = "bytes */\(body.count)"
            return ServerResponse(head: HTTPResponse(status: .rangeNotSatisfiable, headerFields: fields))
        }
        fields[.contentRange] = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(body.count)"
        return ServerResponse(
            head: HTTPResponse(status: .partialContent, headerFields: fields),
            body: .whole(Array(body[bytes])))
    }

    /// Whether `If-Range` matches the stored answer exactly.
    private func meets(_ condition: String?, _ fields: HTTPFields) -> Bool {
        guard let condition else { return true }
        return condition == fields[.lastModified]
            || (condition == fields[.eTag] && !condition.hasPrefix("W/"))
    }
}
