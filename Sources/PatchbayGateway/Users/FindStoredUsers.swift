import PatchbayCore
public import PatchbayDomain

/// The stored users whose login or shown name begins with a text, each once: by login, then by name. The source is not
/// asked.
///
/// They are found along indexes, as the local matches of ``SearchUsers`` are: all that are stored count, and no row is
/// read that does not begin so.
public struct FindStoredUsers: Sendable {
    let store: Store

    /// What was found.
    public struct Found: Sendable {
        public let users: [StoredUser]
        /// False when there are more than the limit.
        public let isComplete: Bool
    }

    /// - Parameters:
    ///   - text: normalised as `SearchText` says; an empty one finds nobody.
    ///   - limit: how many users, 1 to 10,000 (`Limits.pageRows`).
    /// - Throws: `invalidValue` for a text that `SearchText` refuses.
    public func callAsFunction(_ text: String, limit: Int = 200) async throws -> Found {
        precondition((1...Limits.pageRows).contains(limit), "1 to \(Limits.pageRows) users are found")
        guard let text = try SearchText(text) else { return Found(users: [], isComplete: true) }
        let users = try await store.read { try $0.users(beginningWith: text, limit: limit + 1) }
        return Found(users: Array(users.prefix(limit)), isComplete: users.count <= limit)
    }
}
