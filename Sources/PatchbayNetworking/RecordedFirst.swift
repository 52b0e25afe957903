package import HTTPTypes
package import PatchbayCore

/// Answers from a recording if it contains a reading request and its success, and otherwise sends the request, so that
/// only missing exchanges are recorded.
///
/// The layer is above ``Retry``, because `RecordedAttempts` replays recorded retries, and below ``Redirects``, so
/// that each hop is looked up. The recording throws `notFound` for a missing request. It is the file that ``Recorder``
/// adds to, and exchanges added after it was opened are not answered from it.
package struct RecordedFirst: NetworkingLayer {
    private let recording: any Networking
    private let repeatsPosts: Bool
    private let log: RequestLog?

    /// Creates a layer over a recording. The log receives an entry for each recorded answer.
    ///
    /// - Parameter repeatsPosts: whether a `POST` only reads.
    package init(_ recording: any Networking, repeatsPosts: Bool, log: RequestLog?) {
        self.recording = recording
        self.repeatsPosts = repeatsPosts
        self.log = log
    }

    /// Returns the recorded answer, or passes the request on if the recording does not contain it.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        let reads = [.get, .head].contains(request.method) || repeatsPosts && request.method == .post
        guard reads else { return try await next.send(request, body: body) }
        // A refusal or a failure says nothing about the next request; an answer after it does.
        for _ in 0..<Self.answersMax {
            let response: Response
            do {
                response = try await recording.send(request, body: body)
            } catch let error as PatchbayError where error.code == .notFound {
                break
            }
            let status = response.head.status.code
            if [401, 403, 408, 429].contains(status) || status >= 500 { continue }
            return try await log?.reporting(.recording, request) { response } ?? response
        }
        return try await next.send(request, body: body)
    }

    /// The maximum number of recorded answers to a request among which a success is looked for.
    private static let answersMax = 8
}
