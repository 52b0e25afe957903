/// A walk along one index. Every query uses an index, so there is no hidden full scan.
public struct Query: Sendable {
    /// Along the index, or in reverse.
    public enum Order: Sendable, Hashable { case ascending, descending }

    /// The collection whose rows are visited.
    public var collection: CollectionSchema
    /// The index to walk; the default is the primary key.
    public var index: Index
    /// The part of the index to walk; the default is the whole index.
    public var bounds: Bounds
    /// Only rows strictly after this key in walking order are visited. It contains the values of the index, or these
    /// and the primary key's (``CollectionSchema/key(of:in:)``).
    public var after: Key?
    /// The direction of the walk.
    public var order: Order
    /// The maximum number of rows to visit; must not be negative.
    public var limit: Int
    /// The fields that the visitor will read; a storage may omit the others from the row.
    public var fields: FieldSet

    /// Creates a query, which visits every row in the order of the primary key by default.
    public init(
        _ collection: CollectionSchema, by index: Index? = nil, _ bounds: Bounds = .all, after: Key? = nil,
        order: Order = .ascending, limit: Int = .max, fields: FieldSet = .all
    ) {
        precondition(limit >= 0, "a limit is not negative")
        self.collection = collection
        self.index = index ?? collection.primaryKey
        self.bounds = bounds
        self.after = after
        self.order = order
        self.limit = limit
        self.fields = fields
    }

    /// Whether the query walks the primary key instead of one of the collection's indexes.
    public var walksPrimaryKey: Bool { index == collection.primaryKey }

    /// The position of the index among the declared ones; nil for the primary key. Another index is a programming
    /// error.
    package var indexPlace: Int? {
        if walksPrimaryKey { return nil }
        guard let place = collection.indexes.firstIndex(of: index) else {
            preconditionFailure("\(collection.name) has no index \(index.name)")
        }
        return place
    }
}

/// The part of an index that a query walks. Keys may have values for only the first parts of the index.
public enum Bounds: Sendable, Hashable {
    /// The whole index.
    case all
    /// The rows whose first values equal these.
    case equal(Key)
    /// The rows whose first values equal these, and whose next text begins with the last one.
    case prefix(Key)
    /// The rows from one key to another; nil leaves a side open.
    case between(Bound?, Bound?)

    /// The start or end of a range.
    public struct Bound: Sendable, Hashable {
        /// The values for all or the first parts of the index.
        public var key: Key
        /// Whether the rows with these values are within the range.
        public var isInclusive: Bool

        /// Returns a bound whose rows are within the range.
        public static func including(_ key: Key) -> Bound { Bound(key: key, isInclusive: true) }
        /// Returns a bound whose rows are outside the range.
        public static func excluding(_ key: Key) -> Bound { Bound(key: key, isInclusive: false) }
    }
}

/// The encoded keys from `lower` up to, but not including, `upper`; a nil `upper` is the end.
public struct KeyRange: Sendable, Equatable {
    /// The first key of the range; empty for the start of the index.
    public var lower: [UInt8]
    /// The first key after the range; nil for the end of the index.
    public var upper: [UInt8]?

    /// Creates a range, which contains every key by default.
    package init(lower: [UInt8] = [], upper: [UInt8]? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Whether no key can be in the range.
    package var isEmpty: Bool { upper.map { !lower.lexicographicallyPrecedes($0) } ?? false }
}

extension Query {
    /// The index entries that the walk visits, as bytes in the order of the index: those within the bounds and after
    /// ``after``.
    public func keyRange() throws -> KeyRange {
        var range = try boundsRange()
        guard let after else { return range }
        let passed = try encode(after)
        switch order {
        case .ascending:
            guard let start = KeyEncoding.successor(passed) else { return KeyRange(lower: [], upper: []) }
            if range.lower.lexicographicallyPrecedes(start) { range.lower = start }
        case .descending:
            range.upper = range.upper.map { $0.lexicographicallyPrecedes(passed) ? $0 : passed } ?? passed
        }
        return range
    }

    private func boundsRange() throws -> KeyRange {
        switch bounds {
        case .all: return KeyRange()
        case .equal(let key): return startingWith(try encode(key))
        case .prefix(let key): return startingWith(try encode(key, isPrefix: true))
        case .between(let lower, let upper):
            var range = KeyRange()
            if let lower {
                let bytes = try encode(lower.key)
                let start = lower.isInclusive ? bytes : KeyEncoding.successor(bytes)
                guard let start else { return KeyRange(lower: [], upper: []) }
                range.lower = start
            }
            if let upper {
                let bytes = try encode(upper.key)
                range.upper = upper.isInclusive ? KeyEncoding.successor(bytes) : bytes
            }
            return range
        }
    }

    private func startingWith(_ bytes: [UInt8]) -> KeyRange {
        KeyRange(lower: bytes, upper: KeyEncoding.successor(bytes))
    }

    private func encode(_ key: Key, isPrefix: Bool = false) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        try collection.appendKey(key, in: index, isPrefix: isPrefix, to: &bytes)
        return bytes
    }
}
