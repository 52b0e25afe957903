extension Row {
    /// Says what is wrong with bytes that claim to be a row of this collection, or nil when they are sound.
    ///
    /// A storage calls it once for bytes that come from disk; after that every field can be read without a check.
    public static func check(_ bytes: RawSpan, _ collection: Collection) -> String? {
        guard bytes.byteCount >= 8 else {
            return "the row has \(bytes.byteCount) bytes, fewer than its header"
        }
        let header = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt64.self)
        let count = Int(header & 0xFFFF)
        guard count <= collection.fields.count else {
            return "the row has \(count) fields, more than its collection"
        }
        guard bytes.byteCount >= 8 + count * 8 else { return "the row is cut inside its slots" }
        let present = count == 48 ? UInt64.max >> 16 : (1 << UInt64(count)) - 1
        let filled = ~(header >> 16) & present
        guard collection.requiredFields.rawValue & ~filled == 0 else {
            return "a field that must be filled is null"
        }
        for position in 0..<count where filled & (1 << UInt64(position)) != 0 {
            let slot = unsafe bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: 8 + position * 8, as: UInt64.self)
            if let fault = checkSlot(slot, collection.fields[position], bytes, count) { return fault }
        }
        return nil
    }

    private static func checkSlot(_ slot: UInt64, _ field: Field, _ bytes: RawSpan, _ count: Int) -> String? {
        switch field.type {
        case .integer: return nil
        case .real: return Double(bitPattern: slot).isNaN ? "\(field.name) is not a number" : nil
        case .text, .bytes:
            let start = Int(slot & 0xFFFF_FFFF), length = Int(slot >> 32)
            let isInside =
                start >= 8 + count * 8 && start <= bytes.byteCount && length <= bytes.byteCount - start
            return isInside ? nil : "\(field.name) points outside the row"
        }
    }
}

extension Row {
    /// Whether both rows hold the same values, whatever their bytes' layout.
    public static func haveEqualValues(
        _ left: borrowing Row, _ right: borrowing Row, _ collection: Collection
    ) -> Bool {
        for (position, field) in collection.fields.enumerated() {
            guard left.isNull(position) == right.isNull(position) else { return false }
            if left.isNull(position) { continue }
            switch field.type {
            case .integer, .real: if left.slot(position) != right.slot(position) { return false }
            case .text, .bytes:
                if !left.bytes(position).isEqual(to: right.bytes(position)) { return false }
            }
        }
        return true
    }
}

extension RawSpan {
    /// Whether both spans hold the same bytes.
    public func isEqual(to other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        return withUnsafeBytes { left in other.withUnsafeBytes { right in unsafe left.elementsEqual(right) } }
    }
}
