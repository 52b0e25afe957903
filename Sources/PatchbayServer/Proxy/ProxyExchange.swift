import HTTPTypes
import PatchbayCore
import PatchbayNetworking

/// Handles one request: chooses a cached answer, queries the server if needed, and stores its answer.
struct ProxyExchange: Sendable {
    let question: ProxyQuestion
    let answer: ProxyAnswer
    let proxy: ProxyResponder
    /// Whether the stored answers could not be looked up in time.
    private var isUnsearched = false

    /// How long a request without another way waits for a storage that is late.
    private static let patienceMax = Duration.seconds(2)

    init(question: ProxyQuestion, answer: ProxyAnswer, proxy: ProxyResponder) {
        self.question = question
        self.answer = answer
        self.proxy = proxy
    }

    var cache: AnswerCache { proxy.cache }

    var clock: LayerClock { proxy.clock }

    /// Returns a stored answer that is in memory and may be served without a request.
    func readyAnswer() -> ServerResponse? {
        guard question.usesCache, let answers = cache.recent(at: question.place),
            let match = question.match(in: answers)
        else { return nil }
        return hit(match)
    }

    /// Why the request is forwarded if no answer is stored.
    var reason: CacheStatus.Reason { question.usesCache ? .uriMiss : question.isSafe ? .bypass : .method }

    /// Returns the answer to a request without a ready one.
    ///
    /// - Throws: errors of the network when no stored answer may be served instead.
    func response() async throws -> ServerResponse {
        guard question.usesCache else { return try await passed(reason) }
        if let answers = try await cache.answers(at: question.place) {
            return try await response(among: answers)
        }
        if question.directives.has("only-if-cached") || proxy.reachability.isLost {
            return try await response(among: lateAnswers())
        }
        // The source may be quicker.
        var exchange = self
        exchange.isUnsearched = true
        do {
            return try await exchange.response(among: [])
        } catch let error as PatchbayError where error.isUnreachable {
            guard let match = try await question.match(in: lateAnswers()),
                let stale = exchange.stale(match, because: error)
            else { throw error }
            return stale
        }
    }

    private func lateAnswers() async throws -> [StoredAnswer] {
        try await cache.answers(at: question.place, within: Self.patienceMax) ?? []
    }

    private func response(among answers: [StoredAnswer]) async throws -> ServerResponse {
        let match = question.match(in: answers)
        if let match, let hit = hit(match) { return hit }
        if question.directives.has("only-if-cached") {
            return .problem(.gatewayTimeout, "the cache has no answer that is valid without a request")
        }
        if question.method == .head || (question.conditions.contains(.range) && match == nil) {
            return try await passed(match == nil ? .uriMiss : .stale)
        }
        return try await forwarded(match)
    }

    /// Returns the status of a forwarded request.
    func forwarded(
        _ reason: CacheStatus.Reason, status code: Int?, isStored: Bool = false
    ) -> CacheStatus {
        let status = CacheStatus.forwarded(reason, status: code, isStored: isStored)
        return isUnsearched ? status.adding(detail: "storage-busy") : status
    }

    /// Returns the stored answer if it may be served without a request.
    private func hit(_ match: StoredAnswer) -> ServerResponse? {
        if question.wantsConfirmation { return nil }
        let now = clock.now()
        let left = match.freshness.secondsLeft(at: now)
        let confirmsAlways = proxy.options.confirmsAlways
        if !confirmsAlways, question.accepts(match.freshness, at: now) {
            cache.used(match, at: now)
            return answer.stored(match, .hit(secondsLeft: left), at: now)
        }
        if !confirmsAlways, match.freshness.isUsableWhileRevalidating(at: now) {
            proxy.refreshes.begin(match.key) {
                // No client waits for this request; the next one tries again.
                _ = try? await forwarded(match)
            }
            return answer.stored(match, .hit(secondsLeft: left), at: now)
        }
        // While the server is unreachable, clients are answered at once.
        guard proxy.reachability.isLost else { return nil }
        return answer.stored(match, CacheStatus.hit(secondsLeft: left).adding(detail: "offline"), at: now)
    }
}

// MARK: - Asking

extension ProxyExchange {
    /// The statuses that refuse a change whatever the state of its target. Others, such as 409 and 412, show that the
    /// stored one may be old.
    private static let refusals: Set<Int> = [400, 401, 402, 403, 405, 406, 411, 413, 414, 415, 422, 428, 429]

    /// Forwards the request with the client's own conditions. A change deletes the stored answers that it affects,
    /// unless the server refused it: after a failure, it may have been made.
    private func passed(_ reason: CacheStatus.Reason) async throws -> ServerResponse {
        var request = question.forwarded
        for field in question.conditions { request.headerFields.append(field) }
        // A range of a compressed body would not be that of the body which the client gets.
        if question.conditions.contains(.range) { request.headerFields[.acceptEncoding] = "identity" }
        let response: Response
        if question.isSafe {
            response = try await send(request)
        } else {
            // The server makes the change although the client has left. Answers that were stored meanwhile are old.
            let complete = request
            response = try await Task { try await changed(complete) }.value
        }
        return answer.new(response, forwarded(reason, status: response.head.status.code))
    }

    private func changed(_ request: HTTPRequest) async throws -> Response {
        do {
            let response = try await send(request)
            if !Self.refusals.contains(response.head.status.code) {
                await cache.invalidate(changedPaths(response.head.headerFields))
            }
            return response
        } catch {
            await cache.invalidate(changedPaths(HTTPFields()))
            throw error
        }
    }

    /// Sends the request with the tag of the stored answer, and stores the new answer.
    private func forwarded(_ match: StoredAnswer?) async throws -> ServerResponse {
        let change = cache.lastChange
        let requestedAt = clock.now()
        let candidate = match.flatMap { $0.isFullLastPage || !$0.canBeConfirmed ? nil : $0 }
        var response: Response
        do {
            response = try await send(conditional(candidate))
            if response.head.status == .notModified, candidate != nil,
                isOwnerReplaced || !confirms(response, candidate)
            {
                // The 304 does not match the tag that was sent, so the server has confused them, or it was sent to
                // another account, whose answer may have the same tag.
                response = try await send(question.forwarded)
            }
            response = try await confirmedIfMissing(response)
        } catch let error as PatchbayError {
            if let match, !isOwnerReplaced, let stale = stale(match, because: error) { return stale }
            throw error
        }
        if isOwnerReplaced {
            return answer.new(response, forwarded(.uriMiss, status: response.head.status.code))
        }
        if let match, let stale = stale(match, because: response) { return stale }
        return kept(response, candidate, match, requestedAt, since: change)
    }

    /// Requests the answer again, past caches, if it is a 404 with a tag, which may come from a cache on the way.
    ///
    /// - Returns: the first answer if the second one says nothing about the target.
    private func confirmedIfMissing(_ response: Response) async throws -> Response {
        guard response.head.status == .notFound, response.head.headerFields[.eTag] != nil,
            !question.wantsConfirmation
        else { return response }
        var past = question.forwarded
        past.headerFields[.cacheControl] = "no-cache"
        do {
            let again = try await send(past)
            let isRefusal = again.head.status.kind == .serverError || RateLimitRefusal(again) != nil
            return isRefusal ? response : again
        } catch is PatchbayError {
            return response
        }
    }

    /// Whether the source's token was read again since the request arrived, and is another one. The answer then belongs
    /// to another account than the stored ones that were found.
    private var isOwnerReplaced: Bool { question.lender != nil && question.lender != proxy.lender }

    private func send(_ request: HTTPRequest) async throws -> Response {
        do {
            let response = try await proxy.networking(lends: question.lends).send(
                request, body: question.body)
            proxy.reachability.succeeded()
            guard response.head.status != .notModified || request.isConditional else {
                throw PatchbayError(
                    .invalidResponse, "the server answered 304 to a request without a condition")
            }
            return response
        } catch let error as PatchbayError {
            if error.isUnreachable { proxy.reachability.failed() }
            throw error
        }
    }

    private func conditional(_ candidate: StoredAnswer?) -> HTTPRequest {
        var request = question.forwarded
        if let tag = candidate?.entityTag {
            request.headerFields[.ifNoneMatch] = tag
        } else if let date = candidate?.fields.usableLastModified {
            request.headerFields[.ifModifiedSince] = date
        } else if !question.conditions.isEmpty, !question.conditions.contains(.range) {
            // Nothing is stored, but the client has an answer.
            for field in question.conditions { request.headerFields.append(field) }
        }
        return request
    }

    /// Whether a 304 confirms the stored answer whose tag was sent.
    func confirms(_ response: Response, _ candidate: StoredAnswer?) -> Bool {
        guard let candidate else { return false }
        guard let tag = response.head.headerFields[.eTag], EntityTag.isUsable(tag),
            let own = candidate.entityTag
        else { return true }
        return EntityTag.isEqual(own, tag)
    }
}

extension HTTPRequest {
    /// Whether 304 is a possible answer.
    fileprivate var isConditional: Bool {
        headerFields.contains(.ifNoneMatch) || headerFields.contains(.ifModifiedSince)
    }
}
