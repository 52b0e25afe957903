package import HTTPTypes
package import PatchbayCore

/// Removes `If-None-Match` and `If-Modified-Since` from reading requests, so that answers are complete.
///
/// The layer is above ``Recorder``, because a recorded 304 is useful only to a client that already has the answer. A
/// recorded complete answer serves every client, and the replay sends 304 to those that have it.
package struct Unconditional: NetworkingLayer {
    /// Creates a layer, which has no state.
    package init() {}

    /// Passes the request on without its two conditions. Those of a change protect what it would replace.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        var request = request
        guard request.method == .get || request.method == .head else {
            return try await next.send(request, body: body)
        }
        request.headerFields[.ifNoneMatch] = nil
        request.headerFields[.ifModifiedSince] = nil
        return try await next.send(request, body: body)
    }
}
