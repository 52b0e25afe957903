public import PatchbayCore
public import PatchbayDomain

/// Asks the source for the details of some users, a few at a time.
///
/// When the caller's task is cancelled, so are the requests under way; what was saved stays.
public struct RefreshUsers: Sendable {
    let store: SourceStore
    let source: Source
    let now: @Sendable () -> Timestamp

    /// What came of one user.
    public struct Refreshed: Sendable {
        public let login: String
        /// The user as it is stored now; nil when it is not.
        public let user: StoredUser?
        /// Why it was not refreshed; nil when it was.
        public let error: PatchbayError?
    }

    /// - Parameters:
    ///   - logins: no more than 10,000.
    ///   - concurrency: how many are asked for at a time, 1 to 100.
    /// - Returns: one for each login, in their order. After a rate limit, a lost connection or lost
    ///   credentials the rest is not asked for and carries the same error.
    /// - Throws: `CancellationError`, `unsupported` when the source has no users, `conflict` when the rows
    ///   come from another API.
    public func callAsFunction(_ logins: [String], concurrency: Int = 8) async throws -> [Refreshed] {
        precondition((1...100).contains(concurrency), "1 to 100 requests at a time")
        precondition(logins.count <= Limits.pageRows, "no more than \(Limits.pageRows) users at once")
        try await store.check()
        let details = UserDetails(store: store, feed: try source.requireUsers(), now: now)
        let refreshed = await concurrently(
            logins, atMost: concurrency, isEnough: { $0.error?.endsAll == true },
            { await details.refreshed($0) })
        try Task.checkCancellation()
        let end = refreshed.lazy.compactMap { $0?.error }.first { $0.endsAll }
        return zip(logins, refreshed).map { $1 ?? Refreshed(login: $0, user: nil, error: end) }
    }
}

extension UserDetails {
    fileprivate func refreshed(_ login: String) async -> RefreshUsers.Refreshed {
        do {
            let known = try await store.read { try $0.user(named: login) }
            let (user, _) = try await refresh(login, known: known, isConditional: true)
            return .init(login: login, user: user, error: nil)
        } catch {
            // What is stored explains itself; that it cannot be read either is said by the error.
            let stored = try? await store.read { try $0.user(named: login) }
            return .init(login: login, user: stored, error: PatchbayError(wrapping: error))
        }
    }
}

extension PatchbayError {
    /// Whether the next question would fare alike.
    fileprivate var endsAll: Bool { code.isRetryable || code == .unauthorized }
}
