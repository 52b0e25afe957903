public import PatchbayCore
public import PatchbayDomain

/// A whole source for tests: users, repositories, commits, pictures and searches that a test writes, without network.
///
/// It pages, validates and fails as an API does, and writes down what it was asked. With `MemoryStorage` and a
/// ``ManualClock`` a test of your own code needs neither network nor disk, and no time passes that it does not move:
///
///     let script = ScriptedSource(users: ScriptedUserSource.users(1...50))
///     let gateway = try await Gateway(
///         storage: MemoryStorage(), source: script.source, clock: ManualClock().layerClock)
///     script.fail(with: PatchbayError(.offline, "no network"))
///     #expect(script.requests == ["users after 0"])
public final class ScriptedSource: Sendable {
    public let users: ScriptedUserSource
    public let repositories: ScriptedRepositorySource
    public let search: ScriptedSearchSource
    public let avatars: ScriptedAvatarSource
    private let answers = ScriptedAnswers()

    /// - Parameters:
    ///   - commits: the commits of repositories by their ids, the newest first.
    ///   - avatars: pictures by their addresses.
    ///   - pageSize: how many rows a page of a list has.
    public init(
        users: [User] = [], repositories: [Repository] = [], commits: [Int64: [Commit]] = [:],
        avatars: [String: Avatar] = [:], pageSize: Int = 20
    ) {
        self.users = ScriptedUserSource(users: users, pageSize: pageSize, answers: answers)
        self.repositories = ScriptedRepositorySource(
            repositories, commits: commits, pageSize: pageSize, answers: answers)
        search = ScriptedSearchSource(
            users: users, repositories: repositories, pageSize: pageSize, answers: answers)
        self.avatars = ScriptedAvatarSource(avatars, answers: answers)
    }

    /// What a gateway takes.
    public var source: Source {
        var source = Source(name: "scripted", users: users)
        (source.repositories, source.commits) = (repositories, repositories)
        (source.userSearch, source.repositorySearch, source.avatars) = (search, search, avatars)
        return source
    }

    /// Everything that was asked so far, in its order; each with `if changed` when conditional.
    public var requests: [String] { answers.requests }

    /// Fails every request, after so many more answers; nil lets them pass again.
    public func fail(with error: PatchbayError?, afterAnswers count: Int = 0) {
        answers.fail(with: error, afterAnswers: count)
    }
}
