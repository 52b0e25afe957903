import PatchbayCore

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
