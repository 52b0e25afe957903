extension RowView {
    /// Returns why bytes are not a valid row of this collection, or nil.
    ///
    /// A storage calls it once for bytes from disk; after that every field can be read without a check.
    public static func check(_ bytes: RawSpan, _ collection: CollectionSchema) -> String? {
        guard bytes.byteCount >= 8 else {
            return "the row has \(bytes.byteCount) bytes, fewer than its header"
        }
        let header = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt64.self)
        let count = Int(header & 0xFF)
        guard count <= collection.fields.count else {
            return "the row has \(count) fields, more than its collection"
        }
        guard bytes.byteCount >= 8 + count * 8 else { return "the row is cut inside its slots" }
        let filled = ~RowHeader.nullFields(header).rawValue & ((1 << UInt64(count)) - 1)
        guard collection.requiredFields.rawValue & ~filled == 0 else {
            return "a required field is null"
        }
        if let position = pointerOutside(bytes, filled & collection.pointingFields.rawValue, 8 + count * 8) {
            return "\(collection.fields[position].name) points outside the row"
        }
        if let position = notANumber(bytes, filled & collection.realFields.rawValue) {
            return "\(collection.fields[position].name) is not a number"
        }
        return nil
    }

    /// The first of the given fields whose text is not between the end of the slots and the end of the row.
    private static func pointerOutside(_ bytes: RawSpan, _ positions: UInt64, _ textStart: Int) -> Int? {
        var left = positions
        while left != 0 {
            let position = left.trailingZeroBitCount
            let slot = uncheckedSlot(bytes, position)
            // Both are under 2^32, so the sum does not overflow.
            let start = Int(slot & 0xFFFF_FFFF), end = start &+ Int(slot >> 32)
            if start < textStart || end > bytes.byteCount { return position }
            left &= left &- 1
        }
        return nil
    }

    private static func notANumber(_ bytes: RawSpan, _ positions: UInt64) -> Int? {
        var left = positions
        while left != 0 {
            let position = left.trailingZeroBitCount
            if Double(bitPattern: uncheckedSlot(bytes, position)).isNaN { return position }
            left &= left &- 1
        }
        return nil
    }

    /// A slot that the caller has found to be inside the bytes.
    private static func uncheckedSlot(_ bytes: RawSpan, _ position: Int) -> UInt64 {
        unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 8 &+ position &* 8, as: UInt64.self)
    }
}
