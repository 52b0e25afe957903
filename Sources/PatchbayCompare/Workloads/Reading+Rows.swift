import PatchbayCore
import PatchbayDomain

extension Reading {
    func row(_ key: Key, of resource: Resource) throws -> Item? {
        var row: Item?
        _ = try get(key, in: resource.collection) { row = Item($0, of: resource) }
        return row
    }

    func rows(_ query: Query, of resource: Resource) throws -> [Item] {
        var rows: [Item] = []
        rows.reserveCapacity(min(query.limit, 128))
        try scan(query) { row in
            rows.append(Item(row, of: resource))
            return .next
        }
        return rows
    }
}

extension Writing {
    mutating func put(_ rows: some Sequence<Item>) throws {
        for row in rows { try row.withRow { try put($0, in: row.resource.collection) } }
    }
}
