/// Where commits come from.
public protocol CommitSource: Sendable {
    /// A page of the commits of a repository's default branch, the newest first. A repository without commits
    /// has an empty page.
    ///
    /// - Parameters:
    ///   - page: the start of a list, or the page that a former page named as its next.
    ///   - validator: what the page's last answer was stored with; empty asks unconditionally.
    func commits(
        _ page: PageRequest<RepositoryName>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Page<Commit>>
}
