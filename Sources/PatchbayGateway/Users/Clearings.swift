import PatchbayCore
import PatchbayDomain

extension Reading {
    /// How often the users were cleared; read before a source is asked.
    func clearings() throws -> Int64 {
        try get(StoredClearing.self, .text(UserListFeed.name))?.count ?? 0
    }
}

extension Writing {
    /// Checks, in the transaction that saves an answer, that the users were not cleared since it was asked for.
    ///
    /// - Throws: `conflict` when they were.
    func requireNoClearing(since count: Int64) throws {
        guard try reading.clearings() == count else { throw PatchbayError.cleared }
    }

    /// The user's row to merge an answer into. A user who is new gets back the edit that a clear has kept.
    mutating func row(for user: User, at time: Timestamp) throws -> StoredUser {
        if let stored = try reading.get(StoredUser.self, .integer(user.id)) { return stored }
        var new = StoredUser(user: user, fetchedAt: time)
        if let edit = try reading.get(StoredUserEdit.self, .integer(user.id)) {
            new.user.nameOverride = edit.name
            try delete(StoredUserEdit.self, .integer(user.id))
        }
        return new
    }
}

extension PatchbayError {
    /// An answer came too late.
    static var cleared: PatchbayError {
        PatchbayError(
            .conflict, "the users were cleared while the source was being asked; nothing was saved, ask again"
        )
    }
}
