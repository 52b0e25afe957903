import PatchbayCore
public import PatchbayDomain

/// Fetches a list of repositories, page by page, from where it was interrupted.
///
/// Facts and details that are stored stay where the list does not tell them. When the whole list of an owner
/// was fetched, public repositories that it does not hold are marked gone.
public struct SyncRepositories: Sendable {
    let store: SourceStore
    let source: Source
    let now: @Sendable () -> Timestamp

    /// - Parameter maximumRequests: after how many requests it ends, at least 1; nil for no end but the list's.
    public func callAsFunction(
        _ list: RepositoryList, from start: SyncStart = .whereItStopped, maximumRequests: Int? = nil
    ) -> Sync {
        Sync([stage(list, from: start)], in: store, maximumRequests: maximumRequests, source: source)
    }

    private func stage(_ list: RepositoryList, from start: SyncStart) -> any SyncStage {
        guard let repositories = source.repositories else {
            return FailedStage(error: source.lacks("repositories"))
        }
        return ListStage(list.feed(repositories, of: source.identity), in: store, from: start, now: now)
    }
}

extension RepositoryList {
    /// The list, page by page.
    func feed(
        _ repositories: any RepositorySource, of identity: String
    ) -> LinkedFeed<RepositoryList, Repository> {
        var feed = LinkedFeed(
            list: name, query: "\(identity) \(name)", first: self,
            ask: { try await repositories.repositories($0, ifChangedFrom: $1) },
            key: { String($0.id) },
            save: { try $1.save($0, at: $2) })
        feed.confirm = { try $1.confirmListed(repository: $0) }
        feed.isShown = { try $1.listedRepository($0) != nil }
        if let owner {
            feed.finish = { keys, writing, time in
                for id in try writing.reading.owners(called: owner, of: keys) {
                    try writing.markUnlisted(ofOwner: id, except: keys, at: time)
                }
            }
        }
        return feed
    }

    /// What messages call the list, and what it is stored under.
    var name: String {
        switch self {
        case .ofUser(let login): "repositories of user \(login.lowercased())"
        case .ofOrganization(let login): "repositories of organization \(login.lowercased())"
        case .allPublic(let id): id > 0 ? "public repositories after \(id)" : "public repositories"
        }
    }

    fileprivate var owner: String? {
        switch self {
        case .ofUser(let login), .ofOrganization(let login): login
        case .allPublic: nil
        }
    }
}

extension Reading {
    /// The ids of those whose repositories a list holds. An empty list names nobody, so it is about those whose stored
    /// repositories have the login before their names.
    fileprivate func owners(called login: String, of keys: Set<String>) throws -> Set<Int64> {
        if let key = keys.first.flatMap(Int64.init) {
            let one = try get(StoredRepository.self, .integer(key))
            return one.map { [$0.repository.owner.id] } ?? []
        }
        var ids: Set<Int64> = []
        let names = Bounds.prefix(.text("\(login)/"))
        try scan(Query(StoredRepository.collection, by: StoredRepository.byFullName, names)) { row in
            ids.insert(StoredRepository(row).repository.owner.id)
            return .next
        }
        return ids
    }
}
