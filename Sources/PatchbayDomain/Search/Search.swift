/// A page of what a search found.
public struct SearchPage<Item: Sendable>: Sendable {
    public var page: Page<Item>
    /// How many there are, found or not; nil when the source did not say.
    public var total: Int64?
    /// Whether the source ran out of time, so that some may be missing.
    public var isIncomplete: Bool
    /// The most results that the source gives for one query, when the list ends here because of it.
    public var cap: Int64?

    public init(_ page: Page<Item>, total: Int64? = nil, isIncomplete: Bool = false, cap: Int64? = nil) {
        self.page = page
        self.total = total
        self.isIncomplete = isIncomplete
        self.cap = cap
    }
}

extension SearchPage: Equatable where Item: Equatable {}

/// Where a search for users leads.
public protocol UserSearchSource: Sendable {
    /// A page of the users that a query finds, in the source's order.
    ///
    /// - Parameter page: a query in the source's language, or the page that a former page named as its next.
    func searchUsers(
        _ page: PageRequest<String>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<SearchPage<User>>
}

/// Where a search for repositories leads.
public protocol RepositorySearchSource: Sendable {
    /// A page of the repositories that a query finds, in the source's order.
    ///
    /// - Parameter page: a query in the source's language, or the page that a former page named as its next.
    func searchRepositories(
        _ page: PageRequest<String>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<SearchPage<Repository>>
}
