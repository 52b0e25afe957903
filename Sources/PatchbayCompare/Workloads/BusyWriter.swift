import PatchbayCore
import PatchbayDomain
import Synchronization

/// Writes some users again and again while others read.
final class BusyWriter: Sendable {
    private let store: Store
    private let users: [StoredUser]
    private let isStopped = Atomic(false)

    /// How many users a transaction saves.
    private static let usersAtOnce = 20

    init(_ store: Store, _ users: [StoredUser]) {
        self.store = store
        self.users = users
    }

    /// Writes while `body` runs.
    func writing<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        async let written: Void = run()
        do {
            let result = try await body()
            isStopped.store(true, ordering: .relaxed)
            try await written
            return result
        } catch {
            isStopped.store(true, ordering: .relaxed)
            // The first error is the one to tell.
            try? await written
            throw error
        }
    }

    /// Writes the users as they were at first: how far the writing came then shows no more.
    func leaveAsItWas() async throws {
        try await store.write { [users] writing in for user in users { try writing.put(user) } }
    }

    /// A storage that never waits, as one in memory, would keep its thread from the readers; so each write is followed
    /// by a yield.
    private func run() async throws {
        var number: Int64 = 0
        while !isStopped.load(ordering: .relaxed) {
            for start in stride(from: 0, to: users.count, by: BusyWriter.usersAtOnce) {
                number += 1
                try await write(users[start..<min(start + BusyWriter.usersAtOnce, users.count)], number)
                if isStopped.load(ordering: .relaxed) { return }
                await Task.yield()
            }
        }
    }

    private func write(_ users: ArraySlice<StoredUser>, _ number: Int64) async throws {
        try await store.write { writing in
            for var user in users {
                user.user.detail?.followers = number
                try writing.put(user)
            }
        }
    }
}
