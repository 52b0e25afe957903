package import PatchbayCore
package import PatchbayDomain

// A notice of another process names every collection (``ChangeFeed``), and a server writes accounts into its storage.
// Digests show whether anything has changed that clients see.
extension Reading {
    /// A digest of what observers of a resource see changing: its rows, and which of them its lists have, in which
    /// order and since when. It has no meaning in other processes.
    ///
    /// - Returns: nil for lists with more pages than are read for a digest.
    package func stateDigest(of resource: Resource) throws -> UInt64? {
        var hasher = Hasher(), left = Self.pagesMax
        hasher.combine(try rowsState(of: resource))
        let name = resource.collection.name
        let lists = [
            Bounds.equal(.text(name)), ListName.withArguments(name).bounds, ListName.views(name).bounds,
        ]
        for collection in [StoredListRun.collection, StoredListPage.collection, StoredListStretch.collection]
        {
            let isOfPages = collection === StoredListPage.collection
            for bounds in lists {
                var digest = ContentDigest(of: collection)
                try scan(Query(collection, bounds), atMost: &left) { row in
                    let list = row.text(0)
                    guard ListName.isSearch(list, in: name) else { return digest.combine(row) }
                    // A client that repeats a search at each event must not cause one.
                    guard isOfPages, !row.isNull(StoredListPage.keysPosition) else { return }
                    hasher.combine(list)
                    hasher.combine(row.text(StoredListPage.keysPosition))
                }
                hasher.combine(digest.value)
            }
        }
        return left < 0 ? nil : UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// The same of the favourites.
    package func favouritesDigest() throws -> UInt64? {
        var left = Self.pagesMax, digest = ContentDigest(of: Favourite.collection)
        try scan(Query(Favourite.collection), atMost: &left) { digest.combine($0) }
        return left < 0 ? nil : UInt64(truncatingIfNeeded: digest.value)
    }

    private static var pagesMax: Int { 1_000 }

    private func scan(
        _ query: Query, atMost left: inout Int, _ visit: (borrowing RowView) -> Void
    ) throws {
        var query = query
        query.limit = left + 1
        try scan(query) { row in
            left -= 1
            visit(row)
            return left < 0 ? .stop : .next
        }
    }
}
