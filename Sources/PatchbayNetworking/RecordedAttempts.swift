package import HTTPTypes
package import PatchbayCore

/// Replays a failure together with the attempts that followed it.
///
/// A recording contains every attempt of ``Retry`` and ``RateLimit``, and a replay returns the answers in order. This
/// layer requests the next answer at once where one of these layers would send the request again, because no server has
/// to be spared. The last recorded answer is the result if no attempt succeeded.
package struct RecordedAttempts: NetworkingLayer {
    /// The maximum number of attempts of ``Retry`` and ``RateLimit`` together.
    package static let attemptsMax = Retry.Options().attemptsMax * RateLimit.refusalsMax

    private let bodyLimit: (@Sendable (Response) -> BodyLimit)?

    /// Creates a layer over a recording.
    ///
    /// - Parameter bodyLimit: returns what an answer's body states about limits.
    package init(bodyLimit: (@Sendable (Response) -> BodyLimit)? = nil) { self.bodyLimit = bodyLimit }

    /// Returns the first answer that is not temporary, or else the last one.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        var judge = RetryJudge()
        var response = try await next.send(request, body: body)
        for _ in 1..<Self.attemptsMax {
            let again = judge.again(.success(response), request, Timestamp(milliseconds: 0))
            guard again != nil || isRefused(response) else { break }
            response = try await next.send(request, body: body)
        }
        return response
    }

    /// Whether ``RateLimit`` sends a request again after this answer.
    private func isRefused(_ response: Response) -> Bool {
        if RateLimitRefusal(response) != nil { return true }
        guard let limit = bodyLimit?(response) else { return false }
        return limit.isRefusal || limit.wait != nil && response.head.status.code >= 400
    }
}
