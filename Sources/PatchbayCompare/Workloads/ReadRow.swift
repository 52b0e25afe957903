import PatchbayCore
import PatchbayDomain

/// A stored row as a program reads it: the item and the values of its fields.
struct ReadRow: Sendable {
    let item: Item
    private let values: [ItemValue?]

    init(_ item: Item) {
        self.item = item
        values = item.values
    }
}

extension Reading {
    func row(_ key: Key, of resource: Resource) throws -> ReadRow? {
        var row: ReadRow?
        _ = try get(key, in: resource.collection) { row = ReadRow(Item($0, of: resource)) }
        return row
    }

    func rows(_ query: Query, of resource: Resource) throws -> [ReadRow] {
        var rows: [ReadRow] = []
        rows.reserveCapacity(min(query.limit, 128))
        try scan(query) { row in
            rows.append(ReadRow(Item(row, of: resource)))
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
