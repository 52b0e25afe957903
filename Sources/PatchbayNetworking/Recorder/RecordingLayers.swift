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

/// Looks up a request in a recording once more, in the form in which ``Recorder`` wrote it, when the original form is
/// missing.
///
/// The recorder writes a placeholder for a secret in a path, query or body. This layer puts the same placeholder in the
/// same places, for secrets that it recognizes by shape or name.
package struct CleanedRequests: NetworkingLayer {
    private let secrets = SecretFilter()

    /// Creates a layer; it needs no secrets, because it recognizes them by shape or name.
    package init() {}

    /// Passes the request on and, after `notFound`, its cleaned form if that differs.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        do {
            return try await next.send(request, body: body)
        } catch let error as PatchbayError where error.code == .notFound {
            var cleaned = request
            cleaned.path = request.path.map(secrets.cleaned)
            let cleanedBody = secrets.cleaned(body, mediaType: request.headerFields[.contentType] ?? "")
            guard cleaned.path != request.path || cleanedBody != body else { throw error }
            return try await next.send(cleaned, body: cleanedBody)
        }
    }
}

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
