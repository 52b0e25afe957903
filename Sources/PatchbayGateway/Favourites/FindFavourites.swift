import PatchbayCore
public import PatchbayDomain

/// Which of some users are favourites.
public struct FindFavourites: Sendable {
    let store: Store

    /// Finds them in one walk over the favourites between the least and the greatest id.
    ///
    /// - Returns: the ids of those that are.
    public func callAsFunction(among users: [User]) async throws -> Set<Int64> {
        guard let least = users.map(\.id).min(), let greatest = users.map(\.id).max() else { return [] }
        let ids = Set(users.map(\.id))
        return try await store.read { reading in
            var found: Set<Int64> = []
            let range = Bounds.between(.including(.integer(least)), .including(.integer(greatest)))
            let query = Query(StoredFavourite.collection, range, fields: StoredFavourite.idField)
            try reading.scan(query) { row in
                let id = StoredFavourite.id(row)
                if ids.contains(id) { found.insert(id) }
                return .next
            }
            return found
        }
    }
}
