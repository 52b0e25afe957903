/// Writes rows, one after another, into a buffer that it reuses.
///
/// A row begins with every field null. What no storage can keep is refused when the row is finished: NaN, U+0000 in
/// text, a required field left null, a row over ``Limits/rowBytes``.
@frozen public struct RowBuilder: ~Copyable {
    @usableFromInline var buffer: [UInt8] = []
    @usableFromInline var nulls: UInt64 = 0
    @usableFromInline var fieldCount = 0
    @usableFromInline var collection: Collection?
    @usableFromInline var refused: Refusal?

    @usableFromInline enum Refusal: Sendable { case notANumber(Int), nulCharacter(Int) }

    @inlinable public init() {}

    /// Starts a row; forgets the one before.
    @inlinable public mutating func begin(_ collection: Collection) {
        fieldCount = collection.fields.count
        self.collection = collection
        refused = nil
        nulls = (fieldCount == 48 ? UInt64.max >> 16 : (1 << UInt64(fieldCount)) - 1) << 16
        buffer.removeAll(keepingCapacity: true)
        buffer.append(contentsOf: repeatElement(0, count: 8 + fieldCount * 8))
    }

    @inlinable mutating func setSlot(_ position: Int, _ value: UInt64) {
        precondition(position >= 0 && position < fieldCount, "the row has no such field")
        nulls &= ~(1 << UInt64(position &+ 16))
        buffer.withUnsafeMutableBytes {
            unsafe $0.storeBytes(of: value.littleEndian, toByteOffset: 8 &+ position &* 8, as: UInt64.self)
        }
    }

    @inlinable public mutating func setNull(_ position: Int) {
        precondition(position >= 0 && position < fieldCount, "the row has no such field")
        nulls |= 1 << UInt64(position &+ 16)
        buffer.withUnsafeMutableBytes {
            unsafe $0.storeBytes(of: 0, toByteOffset: 8 &+ position &* 8, as: UInt64.self)
        }
    }

    @inlinable public mutating func set(_ position: Int, _ value: Int64) {
        setSlot(position, UInt64(bitPattern: value))
    }

    @inlinable public mutating func set(_ position: Int, _ value: Double) {
        if value.isNaN { refused = .notANumber(position) }
        // One zero: -0 equals 0, and storages differ in keeping its sign.
        setSlot(position, value == 0 ? 0 : value.bitPattern)
    }

    @inlinable public mutating func set(_ position: Int, _ text: String) {
        var text = text
        text.withUTF8 { unsafe setText(position, UnsafeRawBufferPointer($0)) }
    }

    /// Sets a text field from UTF-8.
    @inlinable public mutating func set(_ position: Int, utf8: RawSpan) {
        utf8.withUnsafeBytes { unsafe setText(position, $0) }
    }

    /// Sets a bytes field.
    @inlinable public mutating func set(_ position: Int, bytes: RawSpan) {
        bytes.withUnsafeBytes { unsafe append(position, $0) }
    }

    @inlinable mutating func setText(_ position: Int, _ utf8: UnsafeRawBufferPointer) {
        if unsafe utf8.hasZero { refused = .nulCharacter(position) }
        unsafe append(position, utf8)
    }

    @inlinable mutating func append(_ position: Int, _ bytes: UnsafeRawBufferPointer) {
        let start = buffer.count
        unsafe buffer.append(contentsOf: bytes)
        setSlot(position, UInt64(bytes.count) << 32 | UInt64(truncatingIfNeeded: start))
    }

    /// Writes a field; reading one back gives nothing useful and is a mistake of the caller.
    @inlinable public subscript<Value: ColumnValue>(column: Column<Value>) -> Value {
        @available(*, unavailable, message: "a row builder is write-only") get { preconditionFailure() }
        set { newValue.write(to: &self, at: column.position) }
    }

    /// The finished row; valid until the next `begin`.
    ///
    /// - Throws: `invalidValue` with the field's name, when a value cannot be kept.
    @_lifetime(&self)
    public mutating func finish() throws -> Row {
        guard let collection else { preconditionFailure("finish() before begin(_:)") }
        try check(collection)
        let header = UInt64(collection.fields.count) | nulls
        buffer.withUnsafeMutableBytes { unsafe $0.storeBytes(of: header.littleEndian, as: UInt64.self) }
        return Row(unchecked: buffer.span.bytes)
    }

    private func check(_ collection: Collection) throws {
        func refuse(_ position: Int, _ why: String) -> PatchbayError {
            PatchbayError(.invalidValue, "\(collection.name).\(collection.fields[position].name) \(why)")
        }
        switch refused {
        case .notANumber(let position):
            throw refuse(position, "is not a number (NaN), which no storage keeps")
        case .nulCharacter(let position): throw refuse(position, "holds U+0000, which text must not")
        case nil: break
        }
        let missing = collection.requiredFields.rawValue & (nulls >> 16)
        if missing != 0 { throw refuse(missing.trailingZeroBitCount, "must have a value") }
        if buffer.count > Limits.rowBytes {
            throw PatchbayError(
                .invalidValue,
                "a row of \(collection.name) has \(buffer.count) bytes; the limit is \(Limits.rowBytes)")
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether one of the bytes is 0; looks at eight at a time.
    @inlinable var hasZero: Bool {
        var offset = 0
        while offset &+ 8 <= count {
            let word = unsafe loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            // A byte's top bit is set by the subtraction when it was 0, or when it was set already.
            if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
            offset &+= 8
        }
        while offset < count {
            if unsafe self[offset] == 0 { return true }
            offset &+= 1
        }
        return false
    }
}
