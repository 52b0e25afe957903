import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayNetworking

/// A client's request to the proxy: the request to forward, and the answers that it may receive.
final class ProxyQuestion: Sendable {
    /// The fields that every answer depends on, even if `Vary` does not list them, because servers forget to list the
    /// version.
    private static let alwaysSelecting: Set<HTTPField.Name> = [.accept, .gitHubAPIVersion]
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
    /// A digest of the credentials that are sent; 0 without any.
    let partition: UInt128
    /// Whether the source's own credentials are used.
    let lends: Bool
    let target: String

    /// - Throws: ``ProxyRefusal`` for a request that is not forwarded.
    init(
        _ client: ServerRequest, _ target: ProxyTarget, lender: String?, _ digest: AnswerDigest
    ) throws(ProxyRefusal) {
        guard !ForwardedFields.isLoop(client.head.headerFields) else {
            throw ProxyRefusal(
                .init(code: 508, reasonPhrase: "Loop Detected"),
                "the request came through this proxy already; source.base-url points to this server")
        }
        guard let path = target.path(for: client.head.path ?? "/") else {
            throw ProxyRefusal(
                .badRequest, "the path contains a segment \".\" or \"..\"; send the resolved path")
        }
        var fields = HTTPFields(), conditions = HTTPFields()
        for field in ForwardedFields.request(client.head.headerFields) {
            if Self.conditionNames.contains(field.name) {
                conditions.append(field)
            } else {
                fields.append(field)
            }
        }
        let credentials = Self.credentials(fields)
        method = client.head.method
        body = client.body
        directives = CacheDirectives(fields)
        self.fields = fields
        self.conditions = conditions
        server = target.base
        self.path = path
        self.target = target.origin + path
        place = AnswerPlace(self.target, digest)
        lends = credentials.isEmpty && client.isTrusted && lender != nil
        var owner = credentials
        if credentials.isEmpty, client.isTrusted {
            // All trusted clients belong to one person, even without credentials for the source.
            owner = lender.map { ["lent", $0] } ?? ["owner"]
        }
        partition = owner.isEmpty ? 0 : digest.digest(of: ["partition"] + owner)
    }

    /// Returns the credentials in all fields that may contain some. `Bearer x` and `token x` are the same.
    private static func credentials(_ fields: HTTPFields) -> [String] {
        fields.filter { SecretNames.isSecret(field: $0.name.canonicalName) }.flatMap { field in
            let value = field.value
            guard field.name == .authorization, let space = value.firstIndex(of: " ") else {
                return [field.name.canonicalName, value]
            }
            let scheme = value[..<space].lowercased()
            let isToken = scheme == "bearer" || scheme == "token"
            return [field.name.canonicalName, (isToken ? "" : scheme) + value[space...].drop { $0 == " " }]
        }
    }
}

extension ProxyQuestion {
    var isSafe: Bool { [.get, .head, .options].contains(method) }

    /// The request for the source's server, without conditions and ranges.
    var forwarded: HTTPRequest {
        HTTPRequest(
            method: method, scheme: server.scheme, authority: server.authority, path: path,
            headerFields: fields + ForwardedFields.own)
    }

    /// Returns the value of a field of the request for the source's server.
    func forwardedValue(of name: HTTPField.Name) -> String? {
        fields.value(of: name) ?? ForwardedFields.own.value(of: name)
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

    /// Whether the address contains credentials; such an address is never stored.
    private var holdsSecret: Bool {
        guard place.path != place.address else { return false }
        return target.drop { $0 != "?" }.dropFirst().split(separator: "&").contains { item in
            SecretNames.isSecret(parameter: PercentEncoding.decoded(item.prefix { $0 != "=" }))
        }
    }

    /// Whether an answer repeats the client's credentials; such an answer is never stored.
    func isRepeated(in response: Response) -> Bool {
        let secrets = fields.filter { SecretNames.isSecret(field: $0.name.canonicalName) }
            .flatMap { KnownSecrets.secrets(in: $0.value) }
        // A shorter text might occur in any answer.
        return secrets.filter { $0.utf8.count >= 8 }.contains { secret in
            ByteSearch(for: Array(secret.utf8)).first(in: response.body, from: 0) != nil
                || response.head.headerFields.contains { $0.value.contains(secret) }
        }
    }

    /// Returns the answer to serve or confirm for this client: its own, or a public one.
    func match(in answers: [StoredAnswer]) -> StoredAnswer? {
        answers.last { $0.partition == partition && isSelecting($0) }
            ?? answers.last { $0.partition == 0 && $0.freshness.isForEverybody && isSelecting($0) }
    }

    private func isSelecting(_ answer: StoredAnswer) -> Bool {
        answer.target == target && answer.isSelected(by: self)
    }

    /// Returns the fields that an answer depends on, with the values that were sent.
    func selecting(by response: HTTPFields) -> [StoredAnswer.Selecting] {
        let listed = response[values: .vary].flatMap { $0.split { $0 == "," || $0 == " " || $0 == "\t" } }
        // Partitions already distinguish credentials.
        let names = Self.alwaysSelecting.union(listed.compactMap { HTTPField.Name(String($0)) })
            .subtracting([.authorization])
        return names.sorted { $0.canonicalName < $1.canonicalName }.map {
            .init(name: $0, value: StoredAnswer.normalized(forwardedValue(of: $0)))
        }
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
