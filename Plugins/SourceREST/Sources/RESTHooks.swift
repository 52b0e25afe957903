public import PatchbayDomain

/// What a definition cannot say about an API. Each hook has a default that suits most.
public struct RESTHooks: Sendable {
    /// The refusal that an error reports about the requested row itself; nil when the error is about the request or
    /// whoever sends it. Called for every error that is not a rate limit.
    public var refusal: @Sendable (RESTAnswer) -> Refusal?
    /// Whether a host serves pictures of the API, beside the server itself and hosts of the same domain.
    public var isPictureHost: @Sendable (_ host: String) -> Bool = { _ in false }
    /// The word of a server that has ids of its own, from its base URL; nil for the API's main server.
    public var serverWord: @Sendable (_ baseURL: String) -> String? = { _ in nil }
    /// The state of the source and the credentials, from the answer to `check`; nil leaves it to the status.
    public var status: @Sendable (RESTAnswer) throws -> SourceStatus? = { _ in nil }
    /// Values of text fields that an answer may leave out although they follow from others, by `RESOURCE.FIELD`:
    /// `users.url`. They are called with the row and the base URL.
    public var defaults: [String: @Sendable (_ row: Item, _ baseURL: String) -> String?] = [:]

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
