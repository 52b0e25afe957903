package import PatchbayCore
package import PatchbayDomain

extension Reading {
    /// The items found by a query that the source still lists.
    package func listedItems(_ query: Query, of resource: Resource, limit: Int) throws -> [Item] {
        var items: [Item] = []
        guard limit > 0 else { return items }
        try scan(query) { row in
            if !ItemState.isGone(row) { items.append(Item(row, of: resource)) }
            return items.count < limit ? .next : .stop
        }
        return items
    }
}

extension Writing {
    /// Marks rows as gone that a complete list, or a stretch of one, should contain and does not. They stay stored,
    /// because a source hides rows for many reasons. Rows that a list may omit although they exist
    /// (`ResourceDeclaration.unsure`) are not marked.
    ///
    /// - Parameter atOnce: false to mark a row as missing first, and as gone when it is already marked as missing.
    /// - Returns: the numbers of rows marked.
    mutating func markGone(
        _ query: Query, of resource: Resource, at time: Timestamp, atOnce: Bool = true,
        unless isListed: (Key) -> Bool
    ) throws -> RowChanges {
        let unsure = resource.declaration.unsure.flatMap { resource.field(named: $0)?.position }
        var gone: [Key] = [], missing: [Key] = []
        try reading.scan(query) { row in
            if ItemState.isGone(row) { return .next }
            if let unsure, !row.isNull(unsure), row.integer(unsure) != 0 { return .next }
            let key = resource.collection.key(of: row)
            if isListed(key) { return .next }
            if atOnce || !row.isNull(resource.missingSincePosition) {
                gone.append(key)
            } else {
                missing.append(key)
            }
            return .next
        }
        for key in missing { try change(key, of: resource) { $0.missingSince = time } }
        for key in gone { try change(key, of: resource) { $0.markGone(at: time) } }
        var changes = RowChanges()
        (changes.missing, changes.gone) = (Int64(missing.count), Int64(gone.count))
        return changes
    }
}
