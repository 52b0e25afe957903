package import HTTPTypes
package import PatchbayCore

/// Answers from a recording if it contains the request, and otherwise sends the request, so that only missing exchanges
/// are recorded.
///
/// The layer is above ``Retry``, because `RecordedAttempts` replays recorded retries, and below ``Redirects``, so
/// that each hop is looked up. The recording throws `notFound` for a missing request. It is the file that ``Recorder``
/// adds to, and exchanges added after it was opened are not answered from it.
package struct RecordedFirst: NetworkingLayer {
    private let recording: any Networking
    private let log: RequestLog?

    /// Creates a layer over a recording. The log receives an entry for each recorded answer.
    package init(_ recording: any Networking, log: RequestLog?) {
        self.recording = recording
        self.log = log
    }

    /// Returns the recorded answer, or passes the request on if the recording does not contain it.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        let response: Response
        do {
            response = try await recording.send(request, body: body)
        } catch let error as PatchbayError where error.code == .notFound {
            return try await next.send(request, body: body)
        }
        return try await log?.reporting(.recording, request) { response } ?? response
    }
}
