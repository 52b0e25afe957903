public import HTTPTypes
public import PatchbayCore

/// Removes `If-None-Match` and `If-Modified-Since` from requests, so that answers are complete.
///
/// The layer is above ``Recorder``, because a recorded 304 is useful only to a client that already has the answer. A
/// recorded complete answer serves every client, and the replay sends 304 to those that have it.
public struct Unconditional: NetworkingLayer {
    /// Creates a layer, which has no state.
    public init() {}

    /// Passes the request on without its two conditions.
    public func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        var request = request
        request.headerFields[.ifNoneMatch] = nil
        request.headerFields[.ifModifiedSince] = nil
        return try await next.send(request, body: body)
    }
}
