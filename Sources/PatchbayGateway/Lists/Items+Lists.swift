import PatchbayCore
import PatchbayDomain

extension Reading {
    /// The items that a query finds and lists show: those that the source still lists.
    func listedItems(_ query: Query, of resource: Resource, limit: Int) throws -> [Item] {
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
    /// Marks rows that a complete list, or a stretch of one, should hold and does not. They stay stored: a source hides
    /// rows for many reasons. Those that a list may leave out although they exist are not marked.
    ///
    /// - Returns: how many were marked.
    mutating func markGone(
        _ query: Query, of resource: Resource, at time: Timestamp, unless isListed: (Key) -> Bool
    ) throws -> Int64 {
        let unsure = resource.declaration.unsure.flatMap { resource.field(named: $0)?.position }
        var gone: [Key] = []
        try reading.scan(query) { row in
            if ItemState.isGone(row) { return .next }
            if let unsure, !row.isNull(unsure), row.integer(unsure) != 0 { return .next }
            let key = resource.collection.key(of: row)
            if !isListed(key) { gone.append(key) }
            return .next
        }
        for key in gone { try change(key, of: resource) { $0.markGone(at: time) } }
        return Int64(gone.count)
    }
}
