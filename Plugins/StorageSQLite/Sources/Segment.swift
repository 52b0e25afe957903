import PatchbayCore

/// A stretch of an index that one SQL statement walks: the first parts have fixed values, the next one lies between
/// two limits.
///
/// Any range of a compound index is a row of segments (see ``PatchbayCore/Query/segments()``). Row values such as
/// `(a, b) > (?, ?)` would not do: they know no null and no collation of their own.
struct Segment: Equatable {
    var equal: [PartValue]
    /// On the part after the equal ones.
    var lower: Limit?
    var upper: Limit?

    struct Limit: Equatable {
        var value: PartValue
        var isInclusive: Bool
    }

    /// Every value that is bound, in the order of the statement's parameters.
    var values: [PartValue] {
        equal + [lower?.value, upper?.value].compactMap { $0 }
    }
}

/// What one part of an index entry holds. Text of a case-folded part is folded already.
enum PartValue: Equatable {
    case null
    case integer(Int64)
    /// UTF-8; the end of a prefix need not be whole characters.
    case text([UInt8])

    init(_ key: Key, isCaseFolded: Bool) {
        switch key {
        case .null: self = .null
        case .integer(let value): self = .integer(value)
        case .text(let text): self = .text(isCaseFolded ? text.utf8.map(PartValue.fold) : Array(text.utf8))
        case .compound: preconditionFailure("the key \(key) is nested")
        }
    }

    /// The least value that is not null.
    static func least(_ type: FieldType) -> PartValue { type == .integer ? .integer(.min) : .text([]) }

    private static func fold(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// The first text after all that begin so; nil for the empty text, which has none.
    static func successor(ofPrefix bytes: [UInt8], isCaseFolded: Bool) -> PartValue? {
        guard var next = KeyEncoding.successor(bytes) else { return nil }
        // NOCASE reads A to Z as a to z, so what follows "@" is "[".
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
