import PatchbayCore

extension Gateway {
    /// A window over the list of all users; it shows nothing before its first move.
    ///
    /// - Parameters:
    ///   - size: how many users, 1 to 10,000 (`Limits.pageRows`).
    ///   - maximum: how many users the list has at most from its start on, 1 to 10,000; nil for no end but the
    ///     source's.
    ///   - wraps: whether the last user leads to the first, once the source has told all of them.
    ///   - isOffline: never asks the source; the list is what is stored.
    public func usersWindow(
        size: Int, maximum: Int? = nil, wraps: Bool = false, isOffline: Bool = false
    ) -> Window<UserList> {
        precondition(
            (1...Limits.pageRows).contains(maximum ?? 1), "a list has at most 1 to \(Limits.pageRows) users")
        let list = UserList(
            store: sourceStore, source: source, now: now, maximum: maximum, asksSource: !isOffline)
        return Window(over: list, in: store, size: size, wraps: wraps)
    }

    /// A window over the favourites in the order of their titles; it shows nothing before its first move.
    ///
    /// - Parameters: as of ``usersWindow(size:maximum:wraps:isOffline:)``.
    public func favouritesWindow(size: Int, wraps: Bool = false) -> Window<FavouriteList> {
        Window(over: FavouriteList(), in: store, size: size, wraps: wraps)
    }
}
