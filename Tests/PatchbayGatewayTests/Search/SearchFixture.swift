import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit

/// A gateway over a scripted search, with a clock that the test moves.
struct SearchFixture {
    let search: ScriptedSearchSource
    let clock = ManualClock()
    let gateway: Gateway

    init(
        _ users: [User] = ScriptedUserSource.users(1...50), storage: any Storage = MemoryStorage(),
        identity: String = "scripted", settings: SearchSettings = SearchSettings()
    ) async throws {
        search = ScriptedSearchSource(
            users: users, repositories: ScriptedRepositorySource.repositories(1...50), cap: 30)
        var source = Source(name: identity, users: ScriptedUserSource(users: users))
        source.api = "scripted"
        source.userSearch = search
        source.repositorySearch = search
        gateway = try await Gateway(storage: storage, source: source, search: settings, now: clock.now)
    }

    var requests: [String] { search.answers.requests }

    func users(
        _ text: String, page: Int = 1, limit: Int = 20, _ policy: Policy = .localFirst
    ) async -> [Answer<SearchWindow<User>>] {
        await gateway.searchUsers(text, page: page, limit: limit, policy: policy).all
    }

    /// The last answer as words: how it ended, who found it, and which ids.
    func ending(_ text: String, _ policy: Policy = .localFirst) async -> String {
        guard let answer = await users(text, policy).last else { return "none" }
        let ids = answer.value?.items.map { String($0.id) } ?? []
        let origin = answer.value.map { "\($0.origin)" } ?? "nothing"
        return ([answer.searchOutcome()?.word ?? "asking", origin] + ids).joined(separator: " ")
    }

    func users(_ text: String, _ policy: Policy) async -> [Answer<SearchWindow<User>>] {
        await users(text, page: 1, limit: 20, policy)
    }
}

extension SearchOutcome {
    /// The outcome as a word, to compare.
    var word: String {
        switch self {
        case .found: "found"
        case .noRecords: "no records"
        case .noMore: "no more"
        case .unavailable: "unavailable"
        case .interrupted: "interrupted"
        case .offline: "offline"
        case .notRecorded: "not recorded"
        case .failed(let error): "failed: \(error.code)"
        }
    }
}

extension StoredUser {
    /// A user whose detail was fetched, where there is one.
    init(_ user: User, at time: Timestamp) {
        self.init(user: user, fetchedAt: time)
        detailFetchedAt = user.detail == nil ? nil : time
    }
}

extension User {
    /// A user with a name.
    init(_ id: Int64, _ login: String, name: String? = nil) {
        self.init(id: id, login: login, url: "https://api.example.org/users/\(id)")
        if let name { detail = Detail(name: name) }
    }
}
