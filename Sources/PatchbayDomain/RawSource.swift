public import PatchbayCore

/// A source's API as it is: what `patchbay api` asks, through all layers and of the source's own server only.
public protocol RawSource: Sendable {
    /// Asks for a path such as `/users/octocat`, with its query, or for the whole address of a next page.
    ///
    /// - Throws: `invalidValue` for what is no path of this server; what the network throws. A status that is an
    ///   error is an answer.
    func get(_ path: String) async throws -> RawAnswer
}

/// An answer as the source's server gave it.
public struct RawAnswer: Sendable {
    public var status: Int
    /// The header fields in their order, without the values of secrets.
    public var fields: [(name: String, value: String)]
    public var body: [UInt8]
    /// The address of the next page, where the answer names one of the same server.
    public var next: String?
    /// What a status that is no success means; nil for a success.
    public var error: PatchbayError?

    public init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
