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
        if hasOwner {
            feed.finish = { keys, writing, time in
                guard let key = keys.first.flatMap(Int64.init),
                    let one = try writing.reading.get(StoredRepository.self, .integer(key))
                else { return }
                try writing.markUnlisted(ofOwner: one.repository.owner.id, except: keys, at: time)
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

    fileprivate var hasOwner: Bool { if case .allPublic = self { false } else { true } }
}
