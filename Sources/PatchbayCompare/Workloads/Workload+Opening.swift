import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension Workload {
    private static let openings = 4

    static let open = Workload(
        "open", "open the closed storage and read one user", .users, needsFiles: true
    ) { bench, turn in
        let ids = (0..<openings).map { _ in bench.population.randomID(&turn.draws) }
        try await turn.run(ids, query: { "open, then get users \($0)" }, before: bench.close) { id in
            try await bench.open()
            return try await bench.store.read { try $0.get(StoredUser.self, .integer(id)) }
        } log: { user, log in
            try log.append(CollectionOfOne(user).compactMap(\.self))
        }
    }

    static let firstPage = Workload(
        "first-page", "open the closed storage and list the first page of 20 users", .users, needsFiles: true
    ) { bench, turn in
        try await turn.showFirstPages(openings, of: bench, before: bench.close)
    }

    static let coldStart = Workload(
        "cold-start",
        "as first-page, after the system was asked to forget the files: they come from the disk where it did",
        .users, needsFiles: true
    ) { bench, turn in
        try await turn.showFirstPages(2, of: bench) {
            try await bench.close()
            try bench.folder.dropCache()
        }
    }
}

extension Turn {
    fileprivate func showFirstPages(
        _ count: Int, of bench: Bench, before: @escaping () async throws -> Void
    ) async throws {
        let limits = Array(repeating: Workload.pageUsers, count: count)
        try await run(limits, query: { "open, then list users limit \($0)" }, before: before) { limit in
            try await bench.open()
            return try await bench.gateway.listUsers(limit: limit, policy: .localOnly).window()
        } log: { users, log in
            try log.append(users)
        }
    }
}

extension Answers<ListUsers.Window> {
    /// The users of the last answer.
    ///
    /// - Throws: what made the listing fail.
    func window() async throws -> [StoredUser] {
        var users: [User] = []
        for await answer in self {
            if case .failed(let error) = answer.outcome { throw error }
            users = answer.value?.users ?? []
        }
        return users.map { StoredUser(user: $0, fetchedAt: Population.storedAt) }
    }
}
