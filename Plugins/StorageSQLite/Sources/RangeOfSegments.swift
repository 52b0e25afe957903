import PatchbayCore

/// Splits a range of one index into segments, in ascending order.
struct RangeOfSegments {
    let collection: CollectionSchema
    /// The parts of an entry: the index's own, followed by those of the primary key.
    let parts: [Index.Part]

    /// `lower` must come before `upper`.
    func segments(from lower: Cut, to upper: Cut) -> [Segment] {
        let (low, high) = (lower.values, upper.values)
        let shared = zip(low, high).prefix { $0 == $1 }.count
        let equal = Array(low.prefix(shared))
        if low.count == shared, high.count == shared { return [Segment(equal: equal)] }
        var segments: [Segment] = []
        // Deeper limits of the lower end precede the entries between the ends, and those of the upper end follow
        // them.
        for depth in stride(from: low.count - 1, to: shared, by: -1) {
            segments += between(Array(low.prefix(depth)), self.lower(lower, at: depth), nil)
        }
        segments += between(equal, self.lower(lower, at: shared), self.upper(upper, at: shared))
        for depth in stride(from: shared + 1, to: high.count, by: 1) {
            segments += between(Array(high.prefix(depth)), nil, self.upper(upper, at: depth))
        }
        return segments
    }

    /// Only the deepest value of a cut can itself belong to the range, because the entries at the values above it
    /// belong to deeper segments.
    private func lower(_ cut: Cut, at depth: Int) -> Segment.Limit? {
        guard depth < cut.values.count else { return nil }
        let isDeepest = depth == cut.values.count - 1
        return Segment.Limit(value: cut.values[depth], isInclusive: isDeepest && !cut.isAfter)
    }

    private func upper(_ cut: Cut, at depth: Int) -> Segment.Limit? {
        guard depth < cut.values.count else { return nil }
        let isDeepest = depth == cut.values.count - 1
        return Segment.Limit(value: cut.values[depth], isInclusive: isDeepest && cut.isAfter)
    }

    /// Returns one segment, or two when the range includes null, which SQL comparisons leave out.
    private func between(_ equal: [PartValue], _ lower: Segment.Limit?, _ upper: Segment.Limit?) -> [Segment]
    {
        let field = collection.fields[parts[equal.count].position]
        let one = Segment(equal: equal, lower: lower, upper: upper)
        guard field.isOptional else { return [one] }
        if let lower, lower.value != .null { return [one] }
        if let lower, !lower.isInclusive {
            let least = Segment.Limit(value: .least(field.type), isInclusive: true)
            return [Segment(equal: equal, lower: least, upper: upper)]
        }
        guard let upper else { return [Segment(equal: equal)] }
        let null = Segment(equal: equal + [.null])
        if upper.value == .null { return upper.isInclusive ? [null] : [] }
        return [null, Segment(equal: equal, upper: upper)]
    }
}

/// A place between two entries of an index: before or after all entries that start with some values.
struct Cut: Equatable {
    var values: [PartValue]
    var isAfter: Bool

    static let start = Cut(values: [], isAfter: false)
    static let end = Cut(values: [], isAfter: true)
}

extension Cut: Comparable {
    static func < (left: Cut, right: Cut) -> Bool {
        for (left, right) in zip(left.values, right.values) where left != right { return left < right }
        if left.values.count == right.values.count { return !left.isAfter && right.isAfter }
        return left.values.count < right.values.count ? !left.isAfter : right.isAfter
    }
}

/// A part of an index that one SQL statement walks: the first parts have fixed values, and the next part lies
/// between two limits.
///
/// Any range of a compound index is a sequence of segments (see `Query.segments(along:)`). Row values
/// such as `(a, b) > (?, ?)` cannot express it, because they support neither null nor a collation per part.
struct Segment: Equatable {
    var equal: [PartValue]
    /// The limits of the part after the equal ones.
    var lower: Limit?
    var upper: Limit?

    struct Limit: Equatable {
        var value: PartValue
        var isInclusive: Bool
    }
}

/// The value of one part of an index entry. Text of a case-folded part is already folded.
enum PartValue: Equatable {
    case null
    case integer(Int64)
    /// UTF-8. The end of a prefix may be in the middle of a character.
    case text([UInt8])

    init(_ key: Key, isCaseFolded: Bool) {
        switch key {
        case .null: self = .null
        case .integer(let value): self = .integer(value)
        case .text(let text): self = .text(isCaseFolded ? text.utf8.map { $0.caseFolded } : Array(text.utf8))
        case .compound: preconditionFailure("the key \(key) is nested")
        }
    }

    /// Returns the smallest value that is not null.
    static func least(_ type: FieldType) -> PartValue { type == .integer ? .integer(.min) : .text([]) }

    /// Returns the smallest text greater than all texts with this prefix, or nil when there is none.
    static func successor(ofPrefix bytes: [UInt8], isCaseFolded: Bool) -> PartValue? {
        guard var next = KeyEncoding.successor(bytes) else { return nil }
        // NOCASE compares A to Z as a to z, so the byte after "@" is "[".
        if isCaseFolded, next.last == 0x41 { next[next.count - 1] = 0x5B }
        return .text(next)
    }
}

extension PartValue: Comparable {
    static func < (left: PartValue, right: PartValue) -> Bool {
        switch (left, right) {
        case (.null, .null): false
        case (.null, _): true
        case (_, .null): false
        case (.integer(let left), .integer(let right)): left < right
        case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
        case (.integer, .text): true
        case (.text, .integer): false
        }
    }
}
