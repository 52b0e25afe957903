public import PatchbayCore
import PatchbayDomain

extension Store {
    /// Gives users that were written before names were folded, or imported without, what local search finds them by.
    ///
    /// The index of folded names tells which these are; where there are none, this is one look. Each step is a
    /// transaction of so many users, so the next call goes on where one was ended. A row of another program that no
    /// storage would take, say with U+0000 in a text, stays as it is and is not found by name.
    ///
    /// - Parameter progress: hears of the work when there is any.
    public func fillFoldedNames(progress: WorkProgress.Handler = { _ in }) async throws {
        let unfilled = Query(
            StoredUser.collection, by: StoredUser.byFoldedName, .equal(.null), limit: 1_000)
        guard schema.collections.contains(StoredUser.collection) else { return }
        guard try await read({ try $0.count(unfilled) }) > 0 else { return }
        var done = 0
        while true {
            let count = try await write { writing in
                let users = try writing.reading.list(StoredUser.self, unfilled)
                return try users.count { user in
                    do {
                        try writing.put(user)
                        return true
                    } catch let error as PatchbayError where error.code == .invalidValue {
                        return false
                    }
                }
            }
            guard count > 0 else { return }
            done += count
            progress(WorkProgress("indexing the names of users", done: done))
        }
    }
}
