import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayNetworking

/// A client's request to the proxy: the request to forward, and the answers that it may receive.
final class ProxyQuestion: Sendable {
    /// The conditions that only the server can evaluate.
    private static let serverConditions: [HTTPField.Name] = [.ifMatch, .ifUnmodifiedSince]
    private static let conditionNames = Set(
        serverConditions + [.ifNoneMatch, .ifModifiedSince, .ifRange, .range])

    let method: HTTPRequest.Method
    let body: [UInt8]
    private let server: HTTPAddress
    private let path: String
    /// The client's fields for the source's server, without conditions and ranges.
    private let fields: HTTPFields
    /// The conditions and the range of the client.
    let conditions: HTTPFields
    let directives: CacheDirectives
    let place: AnswerPlace
    /// Whether the source's own credentials are used.
    let lends: Bool
    /// Distinguishes the lent credentials; nil when none are.
    let lender: String?
    let target: String
    /// The target without its query.
    let pathText: String
    /// Whether the address contains credentials; such an address is never stored.
    private let holdsSecret: Bool
    private let roles: FieldRoles
    /// The fields that select one of the answers of a place, with their values.
    private let representation: [StoredAnswer.Selecting]

    /// - Throws: ``ProxyRefusal`` for a request that is not forwarded.
    init(
        _ client: ServerRequest, _ target: ProxyTarget, _ roles: FieldRoles, lender: String?,
        _ digest: AnswerDigest
    ) throws(ProxyRefusal) {
        guard !ForwardedFields.isLoop(client.head.headerFields) else {
            throw ProxyRefusal(
                .init(code: 508, reasonPhrase: "Loop Detected"),
                "the request came through this proxy already; source.base-url points to this server")
        }
        guard let path = target.path(for: client.head.path ?? "/") else {
            throw ProxyRefusal(
                .badRequest,
                "the path contains a segment \".\" or \"..\", possibly encoded; send the resolved path")
        }
        var fields = HTTPFields(), conditions = HTTPFields()
        for field in ForwardedFields.request(client.head.headerFields, credential: roles.credential) {
            guard !ForwardedFields.isDamaged(field) else {
                throw ProxyRefusal(
                    .badRequest,
                    "the field \(field.name.rawName) contains bytes that are not UTF-8, which cannot be forwarded"
                )
            }
            if Self.conditionNames.contains(field.name) {
                conditions.append(field)
            } else {
                fields.append(field)
            }
        }
        method = client.head.method
        body = client.body
        directives = CacheDirectives(fields)
        self.fields = fields
        self.conditions = conditions
        server = target.base
        self.path = path
        let address = target.origin + path
        self.target = address
        self.roles = roles
        let representation = fields.lazy.filter { roles.role(of: $0.name) == .representation }
        self.representation = representation.map { field in
            .init(name: field.name, value: StoredAnswer.normalized(fields[field.name]))
        }
        let start = address.utf8.offset { $0 == UInt8(ascii: "?") }
        let query = start.map { Substring(address.utf8.dropFirst($0 + 1)) } ?? ""
        let pathText = start.map { String(Substring(address.utf8.prefix($0))) }
        self.pathText = pathText ?? address
        let secrets = roles.secrets(in: query)
        holdsSecret = secrets.any
        // All trusted clients without credentials of their own belong to one person.
        let hasCredentials = secrets.credentials || fields.contains { roles.isCredential($0.name) }
        let isPerson = client.isTrusted && !hasCredentials
        lends = isPerson && lender != nil
        self.lender = isPerson ? lender : nil
        let person = isPerson ? lender.map { "lent " + $0 } ?? "owner" : nil
        place = AnswerPlace(
            address, path: pathText,
            of: AnswerOwner(person, fields, roles, digest), digest)
    }

    var isSafe: Bool { [.get, .head, .options].contains(method) }

    /// The request for the source's server, without conditions and ranges.
    var forwarded: HTTPRequest {
        HTTPRequest(
            method: method, scheme: server.scheme, authority: server.authority, path: path,
            headerFields: fields + ForwardedFields.own)
    }

    /// Whether answers may be cached.
    var usesCache: Bool {
        guard method == .get || method == .head, body.isEmpty,
            !directives.has("no-store"), !Self.serverConditions.contains(where: conditions.contains)
        else { return false }
        return !holdsSecret
    }

    /// Whether the client requires an answer confirmed by the server.
    var wantsConfirmation: Bool {
        if directives.has("no-cache") { return true }
        guard let pragma = fields.value(of: .pragma), !fields.contains(.cacheControl) else { return false }
        return pragma.lowercased() == "no-cache"
    }

    /// Whether an answer repeats the client's credentials; such an answer is never stored, so that they are not stored
    /// either.
    func isRepeated(in response: Response) -> Bool {
        let secrets = fields.filter {
            $0.name == roles.credential || SecretNames.isSecret(field: $0.name.canonicalName)
        }.flatMap { KnownSecrets.secrets(in: $0.value) }
        // A shorter text might occur in any answer.
        return secrets.filter { $0.utf8.count >= 8 }.contains { secret in
            ByteSearch(for: Array(secret.utf8)).first(in: response.body, from: 0) != nil
                || response.head.headerFields.contains { $0.value.contains(secret) }
        }
    }

    /// Returns the answer to serve or confirm.
    ///
    /// - Parameter answers: those of the question's place.
    func match(in answers: [StoredAnswer]) -> StoredAnswer? {
        answers.last { answer in
            answer.place == place
                && answer.selecting.allSatisfy { $0.value == StoredAnswer.normalized(value(of: $0.name)) }
                && representation.allSatisfy { sent in answer.selecting.contains { $0.name == sent.name } }
        }
    }

    /// Returns the fields that an answer depends on within its place, with the values that were sent: those of the
    /// representation, and harmless ones that `Vary` lists. The place distinguishes all others already.
    func selecting(by response: HTTPFields) -> [StoredAnswer.Selecting] {
        let listed = response[values: .vary].flatMap { $0.split { $0 == "," || $0 == " " || $0 == "\t" } }
        let names = Set(
            listed.compactMap { HTTPField.Name(String($0)) }.filter { name in
                roles.role(of: name) != .owner && ForwardedFields.isForwarded(name)
            }
        ).union(representation.map(\.name))
        return names.sorted { $0.canonicalName < $1.canonicalName }.map {
            .init(name: $0, value: StoredAnswer.normalized(value(of: $0)))
        }
    }

    /// The value of a field as the client sent it, also of a condition.
    private func value(of name: HTTPField.Name) -> String? {
        fields.value(of: name) ?? conditions.value(of: name)
    }

    /// Whether the client's directives allow an answer of this age without revalidation (RFC 9111, section 5.2.1).
    func accepts(_ freshness: Freshness, at now: Timestamp) -> Bool {
        if let ageMax = directives.seconds("max-age"), freshness.age(at: now) > ageMax { return false }
        let left = freshness.secondsLeft(at: now)
        if let wanted = directives.seconds("min-fresh") { return left >= wanted }
        if left > 0 { return true }
        guard directives.has("max-stale"), !freshness.forbidsStale else { return false }
        return -left <= directives.value("max-stale").map { CacheDirectives.seconds(in: $0) ?? 0 } ?? .max
    }
}

/// The response to a request that is not forwarded to the source's server.
struct ProxyRefusal: Error {
    let response: ServerResponse

    init(_ status: HTTPResponse.Status, _ detail: String) { response = .problem(status, detail) }
}
