package import PatchbayCore
package import PatchbayDomain

/// The state of the stored rows of a resource. Equal states of two transactions mean that no row was changed, added or
/// removed between them.
package struct RowsState: Hashable, Sendable {
    private let incarnation: String?
    /// The change number of the row that changed last.
    private let number: Int64?
    private let clearings: Int64

    fileprivate init(of resource: Resource, in reading: borrowing Reading) throws {
        incarnation = try reading.incarnation()?.id
        clearings = try reading.clearings(of: resource)
        let place = resource.changeNumberPosition
        var last = Query(resource.collection, by: resource.changeIndex)
        (last.order, last.limit, last.fields) = (.descending, 1, FieldSet(positions: [place]))
        var number: Int64?
        try reading.scan(last) { row in
            number = row.isNull(place) ? nil : row.integer(place)
            return .stop
        }
        self.number = number
    }
}

extension Reading {
    /// The state of the stored rows of a resource.
    package func rowsState(of resource: Resource) throws -> RowsState {
        try RowsState(of: resource, in: self)
    }
}

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
