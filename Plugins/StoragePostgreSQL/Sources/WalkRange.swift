import PatchbayCore

/// The part of an index that a walk has not visited yet.
struct WalkRange {
    private enum Range {
        /// The order of an integer key is that of its column, which is compared so that the primary key's own index
        /// is used.
        case integers(lower: Int64, upper: Int64)
        case bytes(KeyRange)
    }

    private var range: Range
    private(set) var isEmpty = false
    private let order: Query.Order

    /// - Throws: `invalidValue` for a key that is too long.
    init(_ query: Query, isIntegerKey: Bool) throws {
        order = query.order
        let keys = try query.keyRange()
        isEmpty = keys.isEmpty
        guard isIntegerKey else {
            range = .bytes(keys)
            return
        }
        let lower = WalkRange.integer(keys.lower), upper = keys.upper.map(WalkRange.integer)
        // The upper end is exclusive.
        isEmpty = isEmpty || upper == .min || upper.map { $0 <= lower } ?? false
        range = .integers(lower: lower, upper: upper.map { $0 &- 1 } ?? .max)
    }

    /// Returns the first integer whose encoded key is not before these bytes, which are padded with zeros.
    private static func integer(_ bytes: [UInt8]) -> Int64 {
        let word = (0..<8).reduce(0 as UInt64) { $0 << 8 | UInt64($1 < bytes.count ? bytes[$1] : 0) }
        return Int64(bitPattern: word ^ (1 << 63))
    }

    /// Whether the range covers the whole index.
    var isWhole: Bool {
        switch range {
        case .integers(let lower, let upper): lower == .min && upper == .max
        case .bytes(let keys): keys.lower.isEmpty && keys.upper == nil
        }
    }

    var hasUpper: Bool {
        if case .bytes(let keys) = range { keys.upper != nil } else { true }
    }

    var arguments: Arguments {
        var arguments = Arguments()
        switch range {
        case .integers(let lower, let upper):
            arguments.append(lower)
            arguments.append(upper)
        case .bytes(let keys):
            arguments.append(keys.lower)
            if let upper = keys.upper { arguments.append(upper) }
        }
        return arguments
    }

    /// Reduces the range to the entries after a row.
    mutating func pass(_ row: borrowing RowView, _ collection: CollectionSchema, _ index: Index) throws {
        switch range {
        case .integers(let lower, let upper):
            let key = row.integer(collection.primaryKey.parts[0].position)
            let isLast = order == .ascending ? key >= upper : key <= lower
            if isLast {
                isEmpty = true
            } else {
                range =
                    order == .ascending
                    ? .integers(lower: key + 1, upper: upper) : .integers(lower: lower, upper: key - 1)
            }
        case .bytes(var keys):
            var entry: [UInt8] = []
            try collection.appendEntry(of: row, in: index, to: &entry)
            // No entry is a prefix of another, so the next possible entry is this one followed by a zero byte.
            if order == .ascending { keys.lower = entry + [0] } else { keys.upper = entry }
            isEmpty = keys.isEmpty
            range = .bytes(keys)
        }
    }
}
