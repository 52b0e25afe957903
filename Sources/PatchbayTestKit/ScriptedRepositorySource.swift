import PatchbayCore
public import PatchbayDomain
import Synchronization

/// A source of repositories and their commits for tests: it pages, validates and fails as an API does.
///
///     let source = ScriptedRepositorySource(ScriptedRepositorySource.repositories(1...50), pageSize: 20)
///     source.change { $0.removeAll { $0.id == 7 } }
///     source.answers.fail(with: PatchbayError(.offline, "no network"))
public final class ScriptedRepositorySource: RepositorySource, CommitSource {
    /// What was asked so far: `repositories of octocat`, `repositories of octocat page 2`, `repository
    /// octocat/r-7`, `commits of octocat/r-7`.
    public let answers: ScriptedAnswers
    private let repositories: Mutex<[Repository]>
    private let commits: Mutex<[Int64: [Commit]]>
    private let pageSize: Int

    /// - Parameters:
    ///   - commits: the commits of repositories by their ids, the newest first.
    ///   - answers: shared with another source, to write down what both were asked in its order.
    public init(
        _ repositories: [Repository], commits: [Int64: [Commit]] = [:], pageSize: Int = 20,
        answers: ScriptedAnswers = ScriptedAnswers()
    ) {
        self.answers = answers
        self.repositories = Mutex(repositories)
        self.commits = Mutex(commits)
        self.pageSize = pageSize
    }

    /// Repositories of `octocat` (id 1) with these ids, each with facts and a detail.
    public static func repositories(_ ids: some Sequence<Int64>) -> [Repository] {
        ids.map { id in
            var repository = Repository(
                id: id, owner: .init(id: 1, login: "octocat", type: "User"), name: "r-\(id)",
                url: "https://api.example.org/repos/octocat/r-\(id)")
            var facts = Repository.Facts()
            facts.language = "Swift"
            var detail = Repository.Detail()
            detail.subscribers = id
            (repository.facts, repository.detail) = (facts, detail)
            return repository
        }
    }

    /// Commits in a row, the newest first.
    public static func commits(_ count: Int) -> [Commit] {
        let shas = (1...max(1, count)).map { number in
            String(repeating: "0", count: 40 - String(number, radix: 16).count) + String(number, radix: 16)
        }
        return (0..<count).reversed().map { place in
            var commit = Commit(sha: shas[place], message: "change \(place + 1)")
            commit.parents = place > 0 ? [shas[place - 1]] : []
            commit.committer.date = Timestamp(milliseconds: Int64(place) * 1_000)
            return commit
        }
    }

    /// Changes what the source will tell from now on.
    public func change(_ body: (inout [Repository]) -> Void) { repositories.withLock { body(&$0) } }

    /// Changes the commits that the source will tell from now on.
    public func changeCommits(_ body: (inout [Int64: [Commit]]) -> Void) { commits.withLock { body(&$0) } }

    public func repositories(
        _ page: PageRequest<RepositoryList>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Page<Repository>> {
        let (question, name, number) = try read(page) { list in
            switch list {
            case .ofUser(let login), .ofOrganization(let login): "repositories of \(login)"
            case .allPublic: "repositories of all"
            }
        }
        return try answers.answer(question, validator) {
            let owner = name.dropFirst("repositories of ".count)
            let listed = repositories.withLock { $0 }.filter { owner == "all" || $0.owner.login == owner }
            let rows = listed.map { repository in
                var row = repository
                row.detail = nil
                return row
            }
            return answers.page(number, of: rows, called: name, size: pageSize)
        }
    }

    public func repository(
        _ name: RepositoryName, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Repository> {
        try answers.answer("repository \(text(of: name))", validator) { try find(name) }
    }

    public func commits(
        _ page: PageRequest<RepositoryName>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Page<Commit>> {
        let (question, name, number) = try read(page) { "commits of \(text(of: $0))" }
        return try answers.answer(question, validator) {
            let fullName = String(name.dropFirst("commits of ".count))
            let id = try find(RepositoryName(fullName) ?? .id(Int64(fullName) ?? 0)).id
            let all = commits.withLock { $0[id] } ?? []
            return answers.page(number, of: all, called: name, size: pageSize)
        }
    }

    private func read<First>(
        _ page: PageRequest<First>, _ name: (First) -> String
    ) throws -> (question: String, name: String, number: Int) {
        switch page {
        case .first(let first): return (name(first), name(first), 1)
        case .next(let link):
            let parts = try ScriptedLink(link)
            return (link, parts.name, parts.page)
        }
    }

    private func text(of name: RepositoryName) -> String {
        switch name {
        case .id(let id): String(id)
        case .named(let owner, let name): "\(owner)/\(name)"
        }
    }

    private func find(_ name: RepositoryName) throws -> Repository {
        let text = text(of: name)
        let found = repositories.withLock { $0 }.first { String($0.id) == text || $0.fullName == text }
        guard let found else { throw PatchbayError(.notFound, "there is no repository \"\(text)\"") }
        return found
    }
}
