import HTTPTypes
import PatchbayCore
import Synchronization

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

    /// Fields that describe the bytes of the original body (RFC 9530, RFC 3230, RFC 1864).
    private static let digests = ["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"]
        .map { HTTPField.Name($0)! }

    private func prepared(_ fields: HTTPFields, _ body: [UInt8]) -> PreparedAnswer.Content {
        var fields = fields
        rewriting.apply(to: &fields)
        fields[.age] = nil
        guard let changed = rewriting.applied(to: body, fields) else {
            return .init(fields: SharedFields(fields), body: body)
        }
        for digest in Self.digests { fields[digest] = nil }
        // A strong tag would promise the original bytes.
        if let tag = fields[.eTag], tag.hasPrefix("\"") { fields[.eTag] = "W/" + tag }
        return .init(fields: SharedFields(fields), body: changed)
    }

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

/// A stored answer as it is sent: rewritten once for all clients that use the same server name, with an age that is
/// written once a second.
final class PreparedAnswer: Sendable {
    struct Content: Sendable {
        /// The fields that do not change over time.
        let fields: SharedFields
        let body: [UInt8]
    }

    private let latest = Mutex<(rewriting: AddressRewriting, content: Content)?>(nil)
    private let latestAge = Mutex<(age: Int, status: CacheStatus, fields: SharedFields)?>(nil)

    /// Returns the answer with rewritten addresses. Calls `make` if those for the previous client were rewritten in
    /// another way.
    func content(for rewriting: AddressRewriting, _ make: () -> Content) -> Content {
        if let content = latest.withLock({ $0?.rewriting == rewriting ? $0?.content : nil }) {
            return content
        }
        let content = make()
        latest.withLock { $0 = (rewriting, content) }
        return content
    }

    /// Returns the fields that change over time.
    func fields(age: Int, _ status: CacheStatus) -> SharedFields {
        latestAge.withLock { latest in
            if let latest, latest.age == age, latest.status == status { return latest.fields }
            let fields = SharedFields([.age: String(age), .cacheStatus: status.text])
            latest = (age, status, fields)
            return fields
        }
    }
}

/// A single range of bytes (RFC 9110, section 14.1.2).
enum ByteRange {
    /// Returns the bytes that a `Range` field selects. Nil means that the field is ignored: several ranges, another
    /// unit or a syntax error. An empty range means that it selects none of the bytes.
    static func bytes(_ field: String, of count: Int) -> Range<Int>? {
        guard field.hasPrefix("bytes=") else { return nil }
        let parts = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = number(parts[0]), let last = number(parts[1]) else { return nil }
        switch (first, last) {
        case (nil, nil): return nil
        case (nil, let suffix?): return suffix == 0 ? 0..<0 : max(0, count - suffix)..<count
        case (let first?, nil): return first < count ? first..<count : 0..<0
        case (let first?, let last?):
            if last < first { return nil }
            return first < count ? first..<min(count, last + 1) : 0..<0
        }
    }

    /// Returns nil for invalid text and `.some(nil)` for empty text.
    private static func number(_ text: Substring) -> Int?? {
        if text.isEmpty { return .some(nil) }
        guard text.utf8.count <= 18, text.isASCIIDigits else { return nil }
        return .some(Int(text))
    }
}
