// Unsafe: keys by address. It holds because a length comes with every address.

import PatchbayCore

/// The start of an index entry that only one row may have: the values of the primary key, or those of a unique index
/// unless one is null.
struct SolePart: Sendable {
    struct Field: Sendable {
        var isOptional: Bool
        var isInteger: Bool
    }

    /// Empty when the index is not unique, because then rows may share any part.
    let fields: [Field]

    init(_ fields: [Field]) { self.fields = fields }

    init(_ index: Index, of collection: CollectionSchema) {
        let isSole = index.isUnique || index == collection.primaryKey
        let fields = isSole ? index.parts.map { collection.fields[$0.position] } : []
        self.fields = fields.map { Field(isOptional: $0.isOptional, isInteger: $0.type == .integer) }
    }

    static let nothing = SolePart([])

    /// The hash of an entry's part; nil when it has none.
    func hash(of entry: UnsafeRawBufferPointer) -> UInt64? {
        let count = unsafe count(in: entry)
        return unsafe count > 0 ? keyHash(UnsafeRawBufferPointer(rebasing: entry[..<count])) : nil
    }

    /// The length of the part at the start of an entry, in bytes; 0 when the entry has none, or only the beginning of
    /// one.
    func count(in entry: UnsafeRawBufferPointer) -> Int {
        var at = 0
        for field in fields {
            if field.isOptional {
                guard at < entry.count, unsafe entry[at] != 0 else { return 0 }
                at += 1
            }
            if field.isInteger {
                at += 8
            } else {
                while at < entry.count, unsafe entry[at] != 0 { at += 1 }
                at += 1
            }
        }
        return at <= entry.count ? at : 0
    }
}
