import HTTPTypes
import PatchbayCore
import PatchbayNetworking

// MARK: - Keeping

extension ProxyExchange {
    func kept(
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
    func changedPaths(_ fields: HTTPFields) -> Set<String> {
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
    func stale(_ match: StoredAnswer, because error: PatchbayError) -> ServerResponse? {
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
    func stale(_ match: StoredAnswer, because response: Response) -> ServerResponse? {
        let code = response.head.status.code
        guard [500, 502, 503, 504].contains(code) || RateLimitRefusal(response) != nil,
            match.freshness.isUsableAfterError(at: clock.now()), !question.wantsConfirmation
        else { return nil }
        return answer.stored(match, .forwarded(.stale, status: code), at: clock.now())
    }
}

extension Response {
    /// Whether the server no longer provides the resource, or not to this client.
    fileprivate var takesBack: Bool { [401, 403, 404, 410, 451].contains(head.status.code) }
}
