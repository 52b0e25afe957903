package import PatchbayCore

/// A source's API without interpretation, as used by `patchbay api`: requests pass through all layers and reach only
/// the source's own server.
package protocol RawSource: Sendable {
    /// Requests a path such as `/users/octocat`, with its query, or the full address of a next page.
    ///
    /// - Throws: `invalidValue` for a path that is not on this server, and the errors of the network. An error status
    ///   is returned as an answer.
    func get(_ path: String) async throws -> RawAnswer
}

/// An answer as the source's server sent it.
package struct RawAnswer: Sendable {
    /// The HTTP status, which may be that of an error.
    package var status: Int
    /// The header fields in order, without the values of secrets.
    package var fields: [(name: String, value: String)]
    /// The body, decompressed.
    package var body: [UInt8]
    /// The address of the next page, if the answer names one on the same server.
    package var next: String?
    /// The meaning of an error status; nil for a success.
    package var error: PatchbayError?

    /// Creates an answer without a next page and without an error.
    package init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
