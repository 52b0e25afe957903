/// Where repositories come from.
public protocol RepositorySource: Sendable {
    /// A page of a list of repositories, in the source's order.
    ///
    /// - Parameters:
    ///   - page: the start of a list, or the page that a former page named as its next.
    ///   - validator: what the page's last answer was stored with; empty asks unconditionally.
    func repositories(
        _ page: PageRequest<RepositoryList>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Page<Repository>>

    /// One repository with its detail. One that was renamed or moved is found by its old name while the
    /// source leads there: its id is the same.
    ///
    /// - Throws: `notFound` when the source says that there is no such repository; an error with a
    ///   ``Refusal`` as its cause when it knows the repository and does not tell.
    func repository(
        _ name: RepositoryName, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Repository>
}

/// Which repositories to list.
public enum RepositoryList: Hashable, Sendable {
    /// Those that a user owns.
    case ofUser(String)
    case ofOrganization(String)
    /// All that are public, in ascending id order, with ids greater than this; 0 is the start.
    case allPublic(after: Int64)
}

/// How to find one repository.
public enum RepositoryName: Hashable, Sendable {
    case named(owner: String, name: String)
    case id(Int64)

    /// Reads `owner/name`. Nil when there is not exactly one slash between two texts.
    public init?(_ fullName: String) {
        let parts = fullName.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        self = .named(owner: String(parts[0]), name: String(parts[1]))
    }
}
