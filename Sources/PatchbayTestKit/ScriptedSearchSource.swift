import PatchbayCore
public import PatchbayDomain
import Synchronization

/// A search for tests: it finds the users whose logins, and the repositories whose names, hold the query.
public final class ScriptedSearchSource: UserSearchSource, RepositorySearchSource {
    /// What was asked so far: `users with QUERY`, `users with QUERY page 2`, `repositories with QUERY`.
    public let answers: ScriptedAnswers
    /// Whether the search runs out of time, and says so.
    public var isIncomplete: Bool {
        get { incomplete.withLock { $0 } }
        set { incomplete.withLock { $0 = newValue } }
    }
    private let incomplete = Mutex(false)
    private let users: [User]
    private let repositories: [Repository]
    private let pageSize: Int
    private let cap: Int

    /// - Parameters:
    ///   - cap: the most results of one query.
    ///   - answers: shared with another source, to write down what both were asked in its order.
    public init(
        users: [User] = [], repositories: [Repository] = [], pageSize: Int = 20, cap: Int = 1_000,
        answers: ScriptedAnswers = ScriptedAnswers()
    ) {
        self.answers = answers
        self.users = users
        self.repositories = repositories
        self.pageSize = pageSize
        self.cap = cap
    }

    public func searchUsers(
        _ page: PageRequest<String>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<SearchPage<User>> {
        try search(page, "users with ", validator, among: users) { $0.login }
    }

    public func searchRepositories(
        _ page: PageRequest<String>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<SearchPage<Repository>> {
        try search(page, "repositories with ", validator, among: repositories) { $0.name }
    }

    private func search<Item: Hashable & Sendable>(
        _ page: PageRequest<String>, _ start: String, _ validator: Validator, among items: [Item],
        by text: (Item) -> String
    ) throws -> Fetched<SearchPage<Item>> {
        let (name, number) =
            switch page {
            case .first(let query): (start + query, 1)
            case .next(let link): try (ScriptedLink(link).name, ScriptedLink(link).page)
            }
        let query = name.dropFirst(start.count)
        let found = items.filter { text($0).contains(query) }
        let question = number > 1 ? "\(name) page \(number)" : name
        let fetched = try answers.answer(question, validator) {
            answers.page(number, of: Array(found.prefix(cap)), called: name, size: pageSize)
        }
        guard case .changed(let page, let validator) = fetched else { return .unchanged }
        let isCut = page.next == nil && found.count > cap
        return .changed(
            SearchPage(
                page, total: Int64(found.count), isIncomplete: isIncomplete, cap: isCut ? Int64(cap) : nil),
            validator)
    }
}
