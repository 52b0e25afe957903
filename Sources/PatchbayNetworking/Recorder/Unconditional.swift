public import HTTPTypes
public import PatchbayCore

/// Asks for whole answers, whatever the asker has: takes `If-None-Match` and `If-Modified-Since` out of requests.
///
/// It stands above ``Recorder``. A recorded 304 answers only who has what it confirms; a recorded whole answer answers
/// everybody, and whoever has it already gets 304 from the replay.
public struct Unconditional: NetworkingLayer {
    public init() {}

    public func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        var request = request
        request.headerFields[.ifNoneMatch] = nil
        request.headerFields[.ifModifiedSince] = nil
        return try await next.send(request, body: body)
    }
}
