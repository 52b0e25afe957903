import PatchbayCore

extension Query {
    /// The segments that the walk visits, in walking order: what the bounds allow and `after` has not passed yet.
    ///
    /// The range from (1, 5) to (3, 2) of an index over (a, b), for instance, is
    ///
    ///     a = 1 and b >= 5
    ///     a > 1 and a < 3
    ///     a = 3 and b <= 2
    ///
    /// A part that may be null adds a segment for it where a comparison would leave it out.
    ///
    /// - Throws: `invalidValue` when a key is longer than ``PatchbayCore/Limits/keyBytes``.
    func segments() throws -> [Segment] {
        let parts = walkedParts
        var (lower, upper) = try cuts(parts)
        if let after {
            switch order {
            case .ascending: lower = max(lower, try cut(after, parts, isAfter: true))
            case .descending: upper = min(upper, try cut(after, parts, isAfter: false))
            }
        }
        guard lower < upper else { return [] }
        let segments = RangeOfSegments(collection: collection, parts: parts).segments(from: lower, to: upper)
        return order == .ascending ? segments : segments.reversed()
    }

    /// The parts of an entry: the index's own, then the primary key's.
    var walkedParts: [Index.Part] {
        walksPrimaryKey ? index.parts : index.parts + collection.primaryKey.parts
    }

    private func cuts(_ parts: [Index.Part]) throws -> (Cut, Cut) {
        switch bounds {
        case .all: return (.start, .end)
        case .equal(let key):
            let cut = try cut(key, parts, isAfter: false)
            return (cut, Cut(values: cut.values, isAfter: true))
        case .prefix(let key):
            let cut = try cut(key, parts, isAfter: false, isPrefix: true)
            return (cut, endOfPrefix(cut.values, parts))
        case .between(let lower, let upper):
            return (
                try lower.map { try cut($0.key, parts, isAfter: !$0.isInclusive) } ?? .start,
                try upper.map { try cut($0.key, parts, isAfter: $0.isInclusive) } ?? .end
            )
        }
    }

    private func cut(_ key: Key, _ parts: [Index.Part], isAfter: Bool, isPrefix: Bool = false) throws -> Cut {
        if case .integer(let value) = key, collection.fields[parts[0].position].type == .integer {
            return Cut(values: [.integer(value)], isAfter: isAfter)
        }
        // Refuses what no storage takes, in the same words.
        var encoded: [UInt8] = []
        try collection.appendKey(key, in: index, isPrefix: isPrefix, to: &encoded)
        let values = zip(key.values, parts).map { PartValue($0, isCaseFolded: $1.isCaseFolded) }
        return Cut(values: values, isAfter: isAfter)
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
