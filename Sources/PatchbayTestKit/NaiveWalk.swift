import PatchbayCore

/// The expected result of a query, found by sorting and filtering all rows: slow, and independent of the key encoding.
struct NaiveWalk {
    let rows: [Values]

    /// Returns the rows that the query visits, each with the query's fields.
    func rows(_ query: Query) -> [Values] {
        let parts =
            query.walksPrimaryKey ? query.index.parts : query.index.parts + query.collection.primaryKey.parts
        var found = rows.filter { row in
            let place = parts.map { SortValue(row[$0.position], $0) }
            return NaiveWalk.allows(query.bounds, place, parts) && NaiveWalk.isAfter(query, place, parts)
        }
        found.sort { left, right in
            let left = parts.map { SortValue(left[$0.position], $0) }
            let right = parts.map { SortValue(right[$0.position], $0) }
            let isBefore = left.lexicographicallyPrecedes(right)
            return query.order == .ascending ? isBefore : right.lexicographicallyPrecedes(left)
        }
        return found.prefix(query.limit).map { row in
            row.enumerated().filter { query.fields.contains(position: $0.offset) }.map(\.element)
        }
    }

    private static func allows(_ bounds: Bounds, _ place: [SortValue], _ parts: [Index.Part]) -> Bool {
        switch bounds {
        case .all: return true
        case .equal(let key): return side(of: place, key, parts) == 0
        case .prefix(let key):
            let wanted = zip(key.values, parts).map { SortValue(FieldValue($0), $1) }
            let own = place.prefix(wanted.count)
            return own.dropLast().elementsEqual(wanted.dropLast()) && own.last!.begins(with: wanted.last!)
        case .between(let lower, let upper):
            if let lower {
                let side = side(of: place, lower.key, parts)
                guard side > 0 || (side == 0 && lower.isInclusive) else { return false }
            }
            guard let upper else { return true }
            let side = side(of: place, upper.key, parts)
            return side < 0 || (side == 0 && upper.isInclusive)
        }
    }

    private static func isAfter(_ query: Query, _ place: [SortValue], _ parts: [Index.Part]) -> Bool {
        guard let after = query.after else { return true }
        let side = side(of: place, after, parts)
        return query.order == .ascending ? side > 0 : side < 0
    }

    /// Compares a place with a key that may contain only the first values: before (-1), equal (0) or after (1).
    private static func side(of place: [SortValue], _ key: Key, _ parts: [Index.Part]) -> Int {
        let wanted = zip(key.values, parts).map { SortValue(FieldValue($0), $1) }
        let own = place.prefix(wanted.count)
        if own.lexicographicallyPrecedes(wanted) { return -1 }
        return wanted.lexicographicallyPrecedes(own) ? 1 : 0
    }
}

/// A value in the order of an index.
private enum SortValue: Comparable {
    case null
    case integer(Int64)
    case text([UInt8])

    init(_ value: FieldValue, _ part: Index.Part) {
        switch value {
        case .integer(let value): self = .integer(value)
        case .text(let value):
            let bytes = Array(value.utf8)
            self = .text(part.isCaseFolded ? bytes.map { (65...90).contains($0) ? $0 + 32 : $0 } : bytes)
        case .null, .real, .bytes: self = .null
        }
    }

    func begins(with start: SortValue) -> Bool {
        guard case (.text(let own), .text(let start)) = (self, start) else { return false }
        return own.starts(with: start)
    }

    static func < (left: SortValue, right: SortValue) -> Bool {
        switch (left, right) {
        case (.null, .null): false
        case (.null, _): true
        case (.integer(let left), .integer(let right)): left < right
        case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
        default: false
        }
    }
}

extension FieldValue {
    /// Converts one value of a key.
    init(_ key: Key) {
        switch key {
        case .integer(let value): self = .integer(value)
        case .text(let value): self = .text(value)
        case .null, .compound: self = .null
        }
    }
}
