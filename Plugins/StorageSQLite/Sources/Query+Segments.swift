import PatchbayCore

extension Query {
    /// Returns the segments that the walk visits, in walking order: the entries within the bounds that are beyond
    /// `after`.
    ///
    /// The range from (1, 5) to (3, 2) of an index over (a, b), for instance, is
    ///
    ///     a = 1 and b >= 5
    ///     a > 1 and a < 3
    ///     a = 3 and b <= 2
    ///
    /// An optional part adds a segment for null where an SQL comparison would leave it out.
    ///
    /// - Parameter parts: the parts of an entry: the index's own, followed by those of the primary key.
    /// - Throws: `invalidValue` when a key is longer than ``PatchbayCore/Limits/keyBytes``.
    func segments(along parts: [Index.Part]) throws -> [Segment] {
        // The most common walk needs no splitting.
        if case .equal(let key) = bounds, after == nil { return [Segment(equal: try values(key, parts))] }
        var (lower, upper) = try cuts(parts)
        if let after {
            switch order {
            case .ascending: lower = max(lower, Cut(values: try values(after, parts), isAfter: true))
            case .descending: upper = min(upper, Cut(values: try values(after, parts), isAfter: false))
            }
        }
        guard lower < upper else { return [] }
        let segments = RangeOfSegments(collection: collection, parts: parts).segments(from: lower, to: upper)
        return order == .ascending ? segments : segments.reversed()
    }

    private func cuts(_ parts: [Index.Part]) throws -> (Cut, Cut) {
        switch bounds {
        case .all: return (.start, .end)
        case .equal(let key):
            let values = try values(key, parts)
            return (Cut(values: values, isAfter: false), Cut(values: values, isAfter: true))
        case .prefix(let key):
            let values = try values(key, parts, isPrefix: true)
            return (Cut(values: values, isAfter: false), endOfPrefix(values, parts))
        case .between(let lower, let upper):
            return (
                try lower.map { Cut(values: try values($0.key, parts), isAfter: !$0.isInclusive) } ?? .start,
                try upper.map { Cut(values: try values($0.key, parts), isAfter: $0.isInclusive) } ?? .end
            )
        }
    }

    private func values(_ key: Key, _ parts: [Index.Part], isPrefix: Bool = false) throws -> [PartValue] {
        let type = collection.fields[parts[0].position].type
        switch key {
        case .integer(let value) where type == .integer: return [.integer(value)]
        case .text(let text) where type == .text && text.utf8.count < Limits.keyBytes - 2:
            return [PartValue(key, isCaseFolded: parts[0].isCaseFolded)]
        default:
            // Throws the same error as the other storages for a key that none of them accepts.
            var encoded: [UInt8] = []
            try collection.appendKey(key, in: index, isPrefix: isPrefix, to: &encoded)
            return zip(key.values, parts).map { PartValue($0, isCaseFolded: $1.isCaseFolded) }
        }
    }

    private func endOfPrefix(_ values: [PartValue], _ parts: [Index.Part]) -> Cut {
        guard case .text(let bytes) = values.last else { preconditionFailure("a prefix ends with text") }
        let rest = Array(values.dropLast())
        let isCaseFolded = parts[rest.count].isCaseFolded
        guard let next = PartValue.successor(ofPrefix: bytes, isCaseFolded: isCaseFolded) else {
            return Cut(values: rest, isAfter: true)
        }
        return Cut(values: rest + [next], isAfter: false)
    }
}
