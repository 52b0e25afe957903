import PatchbayCore
import PatchbayDomain

/// Fetches the details of repositories and saves them, or why there is none.
struct RepositoryDetails: Sendable {
    let store: SourceStore
    let feed: any RepositorySource
    let now: @Sendable () -> Timestamp

    /// Asks for one repository.
    ///
    /// - Parameter known: the repository as it is stored; nil when it is not.
    /// - Throws: what the source throws, after it was noted whether the repository is gone or refused.
    func refresh(
        _ name: RepositoryName, known: StoredRepository?, isConditional: Bool
    ) async throws -> (StoredRepository, hasChanged: Bool) {
        let isPresentName = known?.repository.isCalled(name) ?? false
        var validator = isConditional ? known?.detailValidator ?? Validator() : Validator()
        // Another repository may have a former name by now, and may be older than the stored answer.
        if !isPresentName { validator.lastModified = nil }
        do {
            let fetched = try await feed.repository(name, ifChangedFrom: validator)
            return try await save(fetched, asked: name, known)
        } catch let error as PatchbayError {
            if let known, isPresentName { try await note(error, about: known.repository.id) }
            throw error
        }
    }

    /// The repository that a name means now. The source is asked unless the stored one has the name: a former name may
    /// belong to another repository by now.
    func present(_ name: RepositoryName, isConditional: Bool) async throws -> Repository {
        let known = try await store.read { try $0.repository(name) }
        if let known, known.repository.isCalled(name) { return known.repository }
        return try await refresh(name, known: known, isConditional: isConditional).0.repository
    }

    private func save(
        _ fetched: Fetched<Repository>, asked name: RepositoryName, _ known: StoredRepository?
    ) async throws -> (StoredRepository, hasChanged: Bool) {
        let time = now()
        switch fetched {
        case .unchanged:
            guard let knownID = known?.repository.id else {
                throw PatchbayError(
                    .invalidResponse, "the source says \"unchanged\" about a repository that it never told")
            }
            return (try await store.write { try $0.confirm(knownID, at: time) }, false)
        case .changed(let repository, let validator):
            return try await store.write { writing in
                // Another one has the name now: the stored one was moved or deleted.
                if let known, known.repository.id != repository.id, known.repository.isCalled(name) {
                    try writing.change(known.repository.id) { $0.markGone(at: time) }
                }
                if let asked = name.fullName {
                    try writing.note(
                        .repository, asked: asked, told: repository.fullName, id: repository.id, at: time)
                }
                return (try writing.save(repository, validator, at: time), true)
            }
        }
    }

    /// Notes what an error says about the repository itself. A limit, lost credentials and a lost connection
    /// say nothing.
    private func note(_ error: PatchbayError, about id: Int64) async throws {
        guard let refusal = error.refusalOfRow else { return }
        let time = now()
        try await store.write { _ = try $0.change(id) { $0.refuse(StoredRefusal(refusal, since: time)) } }
    }
}

extension RepositoryName {
    /// `owner/name`; nil for an id.
    fileprivate var fullName: String? {
        if case .named(let owner, let name) = self { "\(owner)/\(name)" } else { nil }
    }
}

extension Repository {
    /// Whether a name is the present one. An id always is.
    func isCalled(_ name: RepositoryName) -> Bool {
        name.fullName.map(fullName.isSameName) ?? true
    }
}

extension Reading {
    /// The repository that a name means now, or meant before; of two with one name, the one that was heard of last.
    func repository(_ name: RepositoryName) throws -> StoredRepository? {
        guard case .named(let owner, let name) = name else {
            guard case .id(let id) = name else { return nil }
            return try get(StoredRepository.self, .integer(id))
        }
        let query = Query(
            StoredRepository.collection, by: StoredRepository.byFullName, .equal(.text("\(owner)/\(name)")),
            limit: 10)
        let found = try list(StoredRepository.self, query)
            .max { ($0.goneAt == nil ? 1 : 0, $0.fetchedAt) < ($1.goneAt == nil ? 1 : 0, $1.fetchedAt) }
        guard found == nil, let id = try alias(.repository, "\(owner)/\(name)") else { return found }
        return try get(StoredRepository.self, .integer(id))
    }
}

extension Writing {
    /// Saves a repository from a list, which does not touch the detail that is stored.
    mutating func save(_ repository: Repository, at time: Timestamp) throws {
        var stored =
            try reading.get(StoredRepository.self, .integer(repository.id))
            ?? StoredRepository(repository: repository, fetchedAt: time)
        stored.repository = repository.merged(into: stored.repository)
        stored.fetchedAt = time
        stored.goneAt = nil
        // Its own address may answer again, too.
        if stored.refusal?.refusal.kind == .missing { stored.refusal = nil }
        try put(stored)
    }

    /// Notes that a list still holds a repository.
    mutating func confirmListed(repository key: String) throws {
        guard let id = Int64(key), var stored = try reading.get(StoredRepository.self, .integer(id)),
            stored.goneAt != nil
        else { return }
        stored.goneAt = nil
        try put(stored)
    }

    /// Marks the public repositories of an owner that a complete list does not hold. Private ones may be
    /// missing because the credentials may not see them any more, which says nothing about them.
    mutating func markUnlisted(ofOwner id: Int64, except keys: Set<String>, at time: Timestamp) throws {
        var unlisted: [StoredRepository] = []
        let query = Query(
            StoredRepository.collection, by: StoredRepository.byOwner, .equal(.integer(id)))
        try reading.scan(query) { row in
            let stored = StoredRepository(row)
            let isListed = keys.contains(String(stored.repository.id))
            if !isListed, stored.goneAt == nil, !stored.repository.isPrivate { unlisted.append(stored) }
            return .next
        }
        for stored in unlisted { try change(stored.repository.id) { $0.markGone(at: time) } }
    }

    fileprivate mutating func confirm(_ id: Int64, at time: Timestamp) throws -> StoredRepository {
        let confirmed = try change(id) { $0.confirm(at: time) }
        guard let confirmed else {
            throw PatchbayError(
                .conflict, "repository \(id) was removed while the source was being asked; ask again")
        }
        return confirmed
    }

    fileprivate mutating func save(
        _ repository: Repository, _ validator: Validator, at time: Timestamp
    ) throws -> StoredRepository {
        try save(repository, at: time)
        let saved = try change(repository.id) { stored in
            stored.confirm(at: time)
            stored.detailValidator = validator
        }
        return saved ?? StoredRepository(repository: repository, fetchedAt: time)
    }

    /// Changes a row that is stored; nil when it is not.
    @discardableResult
    fileprivate mutating func change(
        _ id: Int64, _ body: (inout StoredRepository) -> Void
    ) throws -> StoredRepository? {
        guard var stored = try reading.get(StoredRepository.self, .integer(id)) else { return nil }
        body(&stored)
        try put(stored)
        return stored
    }
}

extension StoredRepository {
    fileprivate mutating func confirm(at time: Timestamp) {
        fetchedAt = time
        detailFetchedAt = time
        goneAt = nil
        refusal = nil
    }

    /// What is gone is asked for unconditionally, should it come back.
    fileprivate mutating func markGone(at time: Timestamp) {
        goneAt = goneAt ?? time
        detailValidator = Validator()
    }

    fileprivate mutating func refuse(_ refusal: StoredRefusal) {
        self.refusal = refusal
        detailValidator = Validator()
    }
}
