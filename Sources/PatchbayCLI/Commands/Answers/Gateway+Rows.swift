import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// What is printed of rows beside what their use case answers; read from the storage alone.
extension Gateway {
    /// Why the source does not tell about some users, by their ids; nothing when it is not printed.
    func refusals(of users: [User], for format: FormatOptions) async throws -> [Int64: StoredRefusal] {
        guard format.hasMoreFields else { return [:] }
        return try await store.read { reading in
            var refusals: [Int64: StoredRefusal] = [:]
            for user in users {
                refusals[user.id] = try reading.get(StoredUser.self, .integer(user.id))?.refusal
            }
            return refusals
        }
    }

    /// The same of repositories.
    func refusals(
        of repositories: [Repository], for format: FormatOptions
    ) async throws -> [Int64: StoredRefusal] {
        guard format.hasMoreFields else { return [:] }
        return try await store.read { reading in
            var refusals: [Int64: StoredRefusal] = [:]
            for repository in repositories {
                let stored = try reading.get(StoredRepository.self, .integer(repository.id))
                refusals[repository.id] = stored?.refusal
            }
            return refusals
        }
    }

    /// Whether a collection has no row.
    func isEmpty(_ collection: Collection) async throws -> Bool {
        try await store.read { reading in
            var isEmpty = true
            try reading.scan(Query(collection, limit: 1)) { _ in
                isEmpty = false
                return .stop
            }
            return isEmpty
        }
    }
}

extension FormatOptions {
    /// Whether fields are printed that only JSON has unasked.
    fileprivate var hasMoreFields: Bool { format == .json || fields != nil }
}
