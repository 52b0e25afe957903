public import PatchbayDomain

/// Code for parts of an API that a definition cannot describe. Each hook has a default that suits most APIs.
public struct RESTHooks: Sendable {
    /// Returns the refusal of the requested row itself; nil when the error concerns the request or its sender. Called
    /// for every error except rate limits.
    public var refusal: @Sendable (RESTAnswer) -> Refusal?
    /// Whether a host serves pictures of the API, in addition to the server itself and hosts of the same domain.
    public var isPictureHost: @Sendable (_ host: String) -> Bool = { _ in false }
    /// Returns the name of a server with its own ids, from its base URL; nil for the API's main server.
    public var serverWord: @Sendable (_ baseURL: String) -> String? = { _ in nil }
    /// Returns the state of the source and the credentials from the answer to `check`; nil uses the HTTP status. Throws
    /// ``RESTAnswer/invalid(_:)`` for an answer that cannot be used.
    public var status: @Sendable (RESTAnswer) throws -> SourceStatus? = { _ in nil }
    /// Closures that derive missing text fields from other fields, by `RESOURCE.FIELD`, such as `users.url`. They are
    /// called with the row and the base URL.
    public var defaults: KeyValuePairs<String, @Sendable (_ row: Item, _ baseURL: String) -> String?> = [:]

    /// Creates the default hooks, of which only ``refusal`` interprets answers: 451 as a legal block, 410 as a removal.
    public init() { refusal = RESTHooks.usualRefusal }

    /// 451 is a legal block, 410 a removal (RFC 9110, section 15.5.11; RFC 7725).
    @Sendable private static func usualRefusal(_ answer: RESTAnswer) -> Refusal? {
        switch answer.status {
        case 451: Refusal(.blocked, reason: answer.text)
        case 410: Refusal(.removed, reason: answer.text)
        default: nil
        }
    }
}
