public import HTTPTypes
public import PatchbayCore

/// Answers from a recording what it holds, and passes on the rest: recording what is missing.
///
/// It stands above ``Retry``, because a recording answers alike each time, and below ``Redirects``, so that each hop
/// may be recorded or not. The recording tells with `notFound` that it does not hold a request. It is the one that
/// ``Recorder`` adds to; what is added after it was opened it does not answer.
public struct RecordedFirst: NetworkingLayer {
    private let recording: any Networking
    private let log: RequestLog?

    public init(_ recording: any Networking, log: RequestLog? = nil) {
        self.recording = recording
        self.log = log
    }

    public func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        let response: Response
        do {
            response = try await recording.send(request, body: body)
        } catch let error as PatchbayError where error.code == .notFound {
            return try await next.send(request, body: body)
        }
        return try await log?.reporting(.recording, request) { response } ?? response
    }
}
