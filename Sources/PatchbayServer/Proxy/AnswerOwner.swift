import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// Decides how each field of a request affects the answers that its client may receive. This is the only place that
/// does, and Docs/Serving.md has its table.
///
/// An answer belongs to the fields that it was requested with. No list of secret names takes part, because any field
/// may carry credentials or change the answer: a field that is in neither list separates clients.
struct FieldRoles: Sendable {
    enum Role: Sendable {
        /// Never separates answers.
        case harmless
        /// Selects one of the answers that belong to the same client.
        case representation
        /// Separates clients: an answer is used only for requests with the same value.
        case owner
    }

    /// Conditions and ranges choose how an answer is sent, directives how old it may be, and the others follow a
    /// request through logs. Fields that are not forwarded do not separate either (``ForwardedFields``).
    private static let harmless = [
        "baggage", "b3", "cache-control", "if-match", "if-modified-since", "if-none-match", "if-range",
        "if-unmodified-since", "pragma", "priority", "range", "traceparent", "tracestate", "x-amzn-trace-id",
        "x-b3-flags", "x-b3-parentspanid", "x-b3-sampled", "x-b3-spanid", "x-b3-traceid",
        "x-client-request-id", "x-cloud-trace-context", "x-correlation-id", "x-request-id",
    ]
    /// These always select, even if `Vary` does not list them, because servers forget to list the version.
    private static let representation = [
        "accept", "accept-charset", "accept-language", "api-version", "x-api-version", "x-github-api-version",
    ]

    private let roles: [String: Role]
    /// The field in which the source's credentials are sent.
    let credential: HTTPField.Name
    /// The query parameter in which the source's credentials are sent, encoded in any way.
    private let parameter: String?

    /// - Parameters:
    ///   - authorization: how the source's credentials are sent.
    ///   - ignored: further harmless fields (`serve.cache-ignores`).
    /// - Throws: `invalidConfiguration` when one of them carries credentials.
    init(_ authorization: Definition.Authorization, ignoring ignored: [HTTPField.Name]) throws {
        var roles: [String: Role] = [:]
        for name in Self.representation { roles[name] = .representation }
        for name in Self.harmless + ignored.map(\.canonicalName) { roles[name] = .harmless }
        self.roles = roles
        switch authorization {
        case .header(let name, _): credential = HTTPField.Name(name) ?? .authorization
        default: credential = .authorization
        }
        parameter = if case .query(let name) = authorization { name } else { nil }
        if let wrong = ignored.first(where: isCredential) {
            throw PatchbayError(
                .invalidConfiguration,
                "serve.cache-ignores: credentials are sent in the field \"\(wrong.rawName)\", so answers must be "
                    + "separated by it; remove it from the list")
        }
    }

    func role(of name: HTTPField.Name) -> Role { roles[name.canonicalName] ?? .owner }

    /// Whether a field carries credentials for the source.
    func isCredential(_ name: HTTPField.Name) -> Bool { name == credential || name == .authorization }

    /// Finds secrets in a query. A placeholder is none: it comes from a link in an answer, of which the secret was
    /// removed.
    ///
    /// - Returns: whether there is any secret, so that answers are not stored, because links in them would repeat it;
    ///   and whether there are credentials for the source.
    func secrets(in query: Substring) -> (any: Bool, credentials: Bool) {
        var found = (any: false, credentials: false)
        for item in query.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentEncoding.decoded(parts[0])
            if parts.count == 2, PercentEncoding.decoded(parts[1]) == SecretNames.placeholder { continue }
            found.credentials = found.credentials || name == parameter
            found.any = found.any || found.credentials || SecretNames.isSecret(parameter: name)
        }
        return found
    }
}

/// The client that an answer belongs to, as digests.
struct AnswerOwner: Sendable {
    /// A digest of everything that separates clients; 0 for a request without any of it.
    let partition: UInt128
    /// A digest of the credentials and of the names of the other fields that separate clients; 0 without any. The
    /// partitions of one such client compete for space with each other, and not with those of other clients.
    let client: UInt128

    /// - Parameters:
    ///   - person: a word for the trusted person who sends a request without credentials; nil for anyone else.
    ///   - fields: the fields that are forwarded.
    init(_ person: String?, _ fields: HTTPFields, _ roles: FieldRoles, _ digest: AnswerDigest) {
        var parts = Array(fields.lazy.filter { roles.role(of: $0.name) == .owner })
        guard person != nil || !parts.isEmpty else {
            (partition, client) = (0, 0)
            return
        }
        // The order of values of the same name is kept, because it may have a meaning.
        if parts.count > 1 { parts.sort { $0.name.canonicalName < $1.name.canonicalName } }
        let values = parts.map(Self.value)
        // The person makes the number of texts even, so no field can take the place of one.
        var texts = ["partition"] + (person.map { [$0] } ?? [])
        let start = texts.count
        for (part, value) in zip(parts, values) { texts += [part.name.canonicalName, value] }
        partition = digest.digest(of: texts)
        for (place, part) in parts.enumerated() where !roles.isCredential(part.name) {
            texts[start + 2 * place + 1] = ""
        }
        // Most requests have no field besides the credentials.
        client =
            parts.allSatisfy { roles.isCredential($0.name) }
            ? partition : digest.digest(of: ["client"] + texts)
    }

    /// Returns the value of a field. `Bearer x` and `token x` are the same credentials.
    private static func value(_ field: HTTPField) -> String {
        guard field.name == .authorization, let space = field.value.firstIndex(of: " ") else {
            return field.value
        }
        let scheme = field.value[..<space].lowercased()
        let isToken = scheme == "bearer" || scheme == "token"
        return (isToken ? "" : scheme) + " " + field.value[space...].drop { $0 == " " }
    }
}
