import PatchbayCore
import PatchbayDomain

/// Fetches the list of all users, page by page, from where it was interrupted.
///
/// What was edited here and the details that are stored stay; users that the list no longer holds are marked
/// gone.
public struct SyncUsers: Sendable {
    let store: SourceStore
    let source: Source
    let now: @Sendable () -> Timestamp

    /// - Parameter maximumRequests: after how many requests it ends, at least 1; nil for no end but the list's.
    public func callAsFunction(
        from start: SyncStart = .whereItStopped, maximumRequests: Int? = nil
    ) -> Sync {
        Sync([stage(from: start)], in: store, maximumRequests: maximumRequests, source: source)
    }

    func stage(from start: SyncStart) -> any SyncStage {
        guard let users = source.users else { return FailedStage(error: source.lacks("users")) }
        let feed = UserListFeed(source: users, query: "\(source.identity) users")
        return ListStage(feed, in: store, from: start, now: now)
    }
}

/// Fetches the list of all users, then the detail of each that has none.
///
/// A detail that is stored is not asked for again, nor a user who is gone or refused.
public struct SyncUserDetails: Sendable {
    let store: SourceStore
    let source: Source
    let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - concurrency: how many details are asked for at a time, 1 to 100.
    ///   - maximumRequests: after how many requests it ends, at least 1.
    public func callAsFunction(
        from start: SyncStart = .whereItStopped, concurrency: Int = 8, maximumRequests: Int? = nil
    ) -> Sync {
        precondition((1...100).contains(concurrency), "1 to 100 requests at a time")
        let list = SyncUsers(store: store, source: source, now: now).stage(from: start)
        guard let users = source.users else {
            return Sync([list], in: store, maximumRequests: maximumRequests, source: source)
        }
        let details = UserDetailStage(
            UserDetails(store: store, feed: users, now: now), concurrency: concurrency)
        return Sync([list, details], in: store, maximumRequests: maximumRequests, source: source)
    }
}
