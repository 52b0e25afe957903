package import PatchbayCore
package import PatchbayDomain

// A notice of another process names every collection (``ChangeFeed``), and a server writes accounts into its storage.
// Digests show whether anything has changed that clients see.
extension Reading {
    /// A digest of what observers of a resource see changing: its rows, and which of them its lists have, in which
    /// order and since when. It has no meaning in other processes.
    ///
    /// - Returns: nil for lists with so many pages that they are not read for this.
    package func stateDigest(of resource: Resource) throws -> UInt64? {
        var hasher = Hasher(), left = Self.pagesMax
        hasher.combine(try rowsState(of: resource))
        let name = resource.collection.name
        let lists = [
            Bounds.equal(.text(name)), ListName.withArguments(name).bounds, ListName.views(name).bounds,
        ]
        for collection in [StoredListRun.collection, StoredListPage.collection, StoredListStretch.collection]
        {
            for bounds in lists {
                let isOfPages = collection === StoredListPage.collection
                let digest = try digest(Query(collection, bounds), atMost: &left) { row in
                    let list = row.text(0)
                    guard ListName.isSearch(list, in: name) else { return true }
                    // A client that repeats a search at each event must not cause one.
                    if isOfPages, !row.isNull(StoredListPage.keysPosition) {
                        hasher.combine(list)
                        hasher.combine(row.text(StoredListPage.keysPosition))
                    }
                    return false
                }
                hasher.combine(digest)
            }
        }
        return left < 0 ? nil : UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// The same of the favourites.
    package func favouritesDigest() throws -> UInt64? {
        var left = Self.pagesMax
        let digest = try digest(Query(Favourite.collection), atMost: &left) { _ in true }
        return left < 0 ? nil : UInt64(truncatingIfNeeded: digest)
    }

    private static var pagesMax: Int { 1_000 }

    private func digest(
        _ query: Query, atMost left: inout Int, where isIncluded: (borrowing RowView) -> Bool
    ) throws -> UInt128 {
        var digest = ContentDigest(of: query.collection), query = query
        query.limit = left + 1
        try scan(query) { row in
            left -= 1
            if isIncluded(row) { digest.combine(row) }
            return left < 0 ? .stop : .next
        }
        return digest.value
    }
}
