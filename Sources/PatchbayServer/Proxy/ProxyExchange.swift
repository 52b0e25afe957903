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

    private var cache: AnswerCache { proxy.cache }

    private var clock: LayerClock { proxy.clock }

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
    private func forwarded(
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
        do {
            let response = try await send(request)
            if !question.isSafe, !Self.refusals.contains(response.head.status.code) {
                await cache.invalidate(changedPaths(response.head.headerFields))
            }
            return answer.new(response, forwarded(reason, status: response.head.status.code))
        } catch {
            if !question.isSafe { await cache.invalidate(changedPaths(HTTPFields())) }
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
            // A 404 with a tag comes from a cache on the way.
            if response.head.status == .notFound, response.head.headerFields[.eTag] != nil,
                !question.wantsConfirmation
            {
                var past = question.forwarded
                past.headerFields[.cacheControl] = "no-cache"
                response = try await send(past)
            }
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
    private func confirms(_ response: Response, _ candidate: StoredAnswer?) -> Bool {
        guard let candidate else { return false }
        guard let tag = response.head.headerFields[.eTag], EntityTag.isUsable(tag),
            let own = candidate.entityTag
        else { return true }
        return EntityTag.isEqual(own, tag)
    }
}

// MARK: - Keeping

extension ProxyExchange {
    private func kept(
        _ response: Response, _ candidate: StoredAnswer?, _ match: StoredAnswer?, _ requestedAt: Timestamp,
        since change: Int
    ) -> ServerResponse {
        let now = clock.now(), code = response.head.status.code
        let reason: CacheStatus.Reason =
            match == nil ? .uriMiss : question.wantsConfirmation ? .request : .stale
        if code == 304, var own = candidate, confirms(response, own) {
            own.confirm(
                ForwardedFields.response(response.head.headerFields, status: 304), requestedAt: requestedAt,
                receivedAt: now)
            let isKept = own.isStillKept(for: question)
            if isKept { cache.save(own, isConfirmed: true, since: change) } else { cache.remove(own) }
            return answer.stored(own, .forwarded(reason, status: 304, isStored: isKept), at: now)
        }
        let new =
            proxy.marksError(response)
            ? nil
            : StoredAnswer(response, to: question, requestedAt: requestedAt, receivedAt: now, cache.digest)
        if let new {
            cache.save(new, since: change)
        } else if let match, response.takesBack {
            cache.remove(match)
        }
        let status = forwarded(reason, status: code, isStored: new != nil)
        guard let new, code == 200, !question.conditions.isEmpty else { return answer.new(response, status) }
        return answer.stored(new, status, at: now)
    }

    /// Returns the paths whose answers a change affects: its own, the parent path, and those in `Location` fields, each
    /// with a slash at the end and without.
    private func changedPaths(_ fields: HTTPFields) -> Set<String> {
        let address = HTTPAddress(of: question.forwarded), root = address.scheme + ":/"
        func trimmed(_ path: Substring) -> Substring { path.hasSuffix("/") ? path.dropLast() : path }
        let path = trimmed(question.pathText[...])
        var paths = [path]
        if let slash = path.lastIndex(of: "/"), path[..<slash] != root { paths.append(path[..<slash]) }
        for name in [HTTPField.Name.location, .contentLocation] {
            guard let named = fields[name].flatMap(address.resolving), named.origin == address.origin else {
                continue
            }
            paths.append(trimmed(named.text.prefix { $0 != "?" }))
        }
        return Set(paths.flatMap { [String($0), $0 + "/"] })
    }
}

// MARK: - Serving stale answers

extension ProxyExchange {
    /// Returns the stored answer when the server sent none.
    private func stale(_ match: StoredAnswer, because error: PatchbayError) -> ServerResponse? {
        guard [.offline, .rateLimited, .invalidResponse].contains(error.code), !question.wantsConfirmation
        else {
            return nil
        }
        // Without a connection, a stale answer is served with its age even if the server forbids it, because working
        // offline is the purpose of this proxy.
        guard error.isUnreachable || match.freshness.isUsableAfterError(at: clock.now()) else { return nil }
        let detail = error.isUnreachable ? "offline" : error.code == .rateLimited ? "rate-limited" : "failed"
        return answer.stored(
            match, CacheStatus.forwarded(.stale, status: nil).adding(detail: detail), at: clock.now())
    }

    /// Returns the stored answer when the server reports an internal failure or a limit.
    private func stale(_ match: StoredAnswer, because response: Response) -> ServerResponse? {
        let code = response.head.status.code
        guard [500, 502, 503, 504].contains(code) || RateLimitRefusal(response) != nil,
            match.freshness.isUsableAfterError(at: clock.now()), !question.wantsConfirmation
        else { return nil }
        return answer.stored(match, .forwarded(.stale, status: code), at: clock.now())
    }
}

extension HTTPRequest {
    /// Whether 304 is a possible answer.
    fileprivate var isConditional: Bool {
        headerFields.contains(.ifNoneMatch) || headerFields.contains(.ifModifiedSince)
    }
}

extension Response {
    /// Whether the server no longer provides the resource, or not to this client.
    fileprivate var takesBack: Bool { [401, 403, 404, 410, 451].contains(head.status.code) }
}
