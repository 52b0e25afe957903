/// An API as a definition describes it: its address, how requests are authorised, how errors are told apart, and its
/// resources.
public struct Definition: Sendable {
    /// Whose rows these are, and the prefix of their collections: `github` in `github_users`.
    public var api: String
    /// One line for `patchbay plugins list`.
    public var summary: String?
    /// Where the API is when `source.base-url` is not set.
    public var baseURL: String?
    public var authorization = Authorization.none
    /// Sent with every request, in their order; without the authorisation.
    public var headers: [(name: String, value: String)] = []
    /// The hosts that speak this API, for recordings. A `*` stands for any characters but none.
    public var hosts: [String] = []
    /// The path that `doctor` asks.
    public var check: Template?
    /// The pace that the API does not report in headers.
    public var pace: Pace?
    /// Whether requests that differ only in letter case mean the same.
    public var ignoresCase = false
    public var errors = ErrorRules()
    public var resources: [ResourceDeclaration]

    public init(api: String, resources: [ResourceDeclaration]) {
        self.api = api
        self.resources = resources
    }

    /// How `source.token` is sent.
    public enum Authorization: Hashable, Sendable {
        case none
        case bearer
        /// As name and password, `NAME:PASSWORD` (RFC 7617).
        case basic
        case header(name: String, prefix: String?)
        case query(name: String)
    }

    public func resource(named name: String) -> ResourceDeclaration? {
        resources.first { $0.name == name }
    }

    /// Whether a host speaks this API.
    public func isSpoken(by host: String) -> Bool {
        let host = host.lowercased()
        return hosts.contains { Definition.matches($0.lowercased()[...], host[...]) }
    }

    private static func matches(_ pattern: Substring, _ text: Substring) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            return text.indices.dropFirst().contains { matches(pattern.dropFirst(), text[$0...]) }
                || (pattern.count == 1 && !text.isEmpty)
        }
        return text.first == first && matches(pattern.dropFirst(), text.dropFirst())
    }
}

/// How an API's errors are told apart.
public struct ErrorRules: Sendable {
    /// What an answer below 400 holds when it is an error all the same: Slack's `not ok`.
    public var mark: Mark?
    /// Where an error says which it is.
    public var text: JSONPath?
    /// Where it says more: GitHub's `errors/*/message`.
    public var details: [JSONPath] = []
    /// Texts and statuses by what they mean.
    public var words: [Meaning: [String]] = [:]

    public init() {}

    /// A place in a body that marks an error.
    public enum Mark: Hashable, Sendable {
        /// It is an error when something other than null, false or nothing is there.
        case present(JSONPath)
        /// It is an error unless something other than null, false or nothing is there.
        case absent(JSONPath)
    }

    /// What an error means.
    public enum Meaning: String, Hashable, Sendable, CaseIterable {
        case unauthorized, offline, removed
        case permissionDenied = "permission-denied"
        case notFound = "not-found"
        case rateLimited = "rate-limited"
        case invalidValue = "invalid-value"
        /// The cursor is void: the list is asked for from its start.
        case restart
    }

    /// What a text or a status means; nil when no rule names it.
    public func meaning(of word: String) -> Meaning? {
        words.first { $0.value.contains(word) }?.key
    }
}
