import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayNetworking

/// A client's request as a cache sees it: what is sent on, and what answers it may get.
struct ProxyQuestion: Sendable {
    /// The fields that every answer depends on, whatever `Vary` says: servers forget the version.
    private static let alwaysSelecting: Set<HTTPField.Name> = [.accept, .gitHubAPIVersion]
    /// The conditions that only the server can judge.
    private static let serverConditions: [HTTPField.Name] = [.ifMatch, .ifUnmodifiedSince]

    let client: ServerRequest
    /// The request for the source's server, without conditions and ranges.
    let forwarded: HTTPRequest
    /// The conditions and the range of the client.
    let conditions: HTTPFields
    let directives: CacheDirectives
    let place: AnswerPlace
    /// Whose credentials are sent; 0 without any.
    let partition: UInt128
    /// Whether the source's own credentials are lent.
    let lends: Bool
    let target: String
    /// - Throws: ``ProxyRefusal`` for a request that is not sent on.
    init(
        _ client: ServerRequest, _ target: ProxyTarget, lender: String?, _ digest: AnswerDigest
    ) throws(ProxyRefusal) {
        self.client = client
        guard !ForwardedFields.isLoop(client.head.headerFields) else {
            throw ProxyRefusal(
                .init(code: 508, reasonPhrase: "Loop Detected"),
                "the request has passed this proxy already: source.base-url leads here")
        }
        guard let path = target.path(for: client.head.path ?? "/") else {
            throw ProxyRefusal(.badRequest, "the path has a segment \".\" or \"..\"; send it resolved")
        }
        var fields = ForwardedFields.request(client.head.headerFields)
        conditions = HTTPFields(fields.filter { Self.isCondition($0.name) })
        for field in conditions { fields[field.name] = nil }
        forwarded = HTTPRequest(
            method: client.head.method, scheme: target.base.scheme, authority: target.base.authority,
            path: path,
            headerFields: fields)
        self.target = target.base.origin + path
        place = AnswerPlace(self.target, digest)
        directives = CacheDirectives(fields)
        let credentials = Self.credentials(fields)
        lends = credentials.isEmpty && client.isTrusted && lender != nil
        // Who is trusted is one person, also without credentials for the source.
        let anonymous = client.isTrusted ? ["owner"] : []
        let owner = lends ? ["lent", lender ?? ""] : credentials.isEmpty ? anonymous : credentials
        partition = owner.isEmpty ? 0 : digest.digest(of: ["partition"] + owner)
    }

    private static func isCondition(_ name: HTTPField.Name) -> Bool {
        [.ifNoneMatch, .ifModifiedSince, .ifRange, .range].contains(name) || serverConditions.contains(name)
    }

    /// The credentials in any field that may hold some. `Bearer x` and `token x` are one.
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
    var isSafe: Bool { [.get, .head, .options].contains(forwarded.method) }

    /// Whether answers may be kept and given again.
    var usesCache: Bool {
        guard forwarded.method == .get || forwarded.method == .head, client.body.isEmpty,
            !directives.has("no-store"), !Self.serverConditions.contains(where: conditions.contains)
        else { return false }
        return !holdsSecret
    }

    /// Whether the client wants an answer that the server has confirmed.
    var wantsConfirmation: Bool {
        if directives.has("no-cache") { return true }
        let pragma = forwarded.headerFields[.pragma]?.lowercased() ?? ""
        return !forwarded.headerFields.contains(.cacheControl) && pragma == "no-cache"
    }

    /// Whether the address has credentials in it; such an address is not written anywhere.
    private var holdsSecret: Bool {
        guard target.utf8.contains(UInt8(ascii: "?")) else { return false }
        let query = target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        return query.split(separator: "&").contains { item in
            SecretNames.isSecret(parameter: PercentEncoding.decoded(item.prefix { $0 != "=" }))
        }
    }

    /// Whether an answer repeats the client's credentials; such an answer is not written anywhere.
    func isRepeated(in response: Response) -> Bool {
        let secrets = forwarded.headerFields.filter { SecretNames.isSecret(field: $0.name.canonicalName) }
            .flatMap { KnownSecrets.secrets(in: $0.value) }
        // A shorter text may be a word of any answer.
        return secrets.filter { $0.utf8.count >= 8 }.contains { secret in
            ByteSearch(for: Array(secret.utf8)).first(in: response.body, from: 0) != nil
                || response.head.headerFields.contains { $0.value.contains(secret) }
        }
    }

    /// The answer to give this client, or to confirm for it: its own, or one for everybody.
    func match(in answers: [StoredAnswer]) -> StoredAnswer? {
        let candidates = answers.filter { $0.target == target && $0.isSelected(by: forwarded) }
        return candidates.last { $0.partition == partition }
            ?? candidates.last { $0.partition == 0 && $0.freshness.isForEverybody }
    }

    /// The fields that an answer depends on, with the values that were sent.
    func selecting(by response: HTTPFields) -> [StoredAnswer.Selecting] {
        let listed = response[values: .vary].flatMap { $0.split { $0 == "," || $0 == " " || $0 == "\t" } }
        // Credentials are what partitions are made of.
        let names = Self.alwaysSelecting.union(listed.compactMap { HTTPField.Name(String($0)) })
            .subtracting([.authorization])
        return names.sorted { $0.canonicalName < $1.canonicalName }.map {
            .init(name: $0, value: StoredAnswer.normalized(forwarded, $0))
        }
    }

    /// How old an answer may be used without asking, by what the client says (RFC 9111, section 5.2.1).
    func accepts(_ freshness: Freshness, at now: Timestamp) -> Bool {
        if let ageMax = directives.seconds("max-age"), freshness.age(at: now) > ageMax { return false }
        let left = freshness.secondsLeft(at: now)
        if let wanted = directives.seconds("min-fresh") { return left >= wanted }
        if left > 0 { return true }
        guard directives.has("max-stale"), !freshness.forbidsStale else { return false }
        return -left <= directives.value("max-stale").map { CacheDirectives.seconds(in: $0) ?? 0 } ?? .max
    }
}

/// Why a request is not sent to the source's server.
struct ProxyRefusal: Error {
    let response: ServerResponse

    init(_ status: HTTPResponse.Status, _ detail: String) { response = .problem(status, detail) }
}
