#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Writes rows, one after another, into a buffer that it reuses.
///
/// A row begins with every field null. What no storage can keep is refused when the row is finished: NaN, U+0000 in
/// text, a required field left null, a row over ``Limits/rowBytes``.
@frozen public struct RowBuilder: ~Copyable {
    /// The row so far, in memory of our own: an array would check at each field who else has it.
    @usableFromInline var start: UnsafeMutableRawPointer
    @usableFromInline var capacity = 1_024
    @usableFromInline var count = 0
    @usableFromInline var nulls: UInt64 = 0
    @usableFromInline var fieldCount = 0
    @usableFromInline var collection: Collection?
    @usableFromInline var refused: Refusal?

    @usableFromInline enum Refusal: Sendable { case notANumber(Int), nulCharacter(Int) }

    public init() { start = .allocate(byteCount: capacity, alignment: 8) }

    deinit { unsafe start.deallocate() }

    /// Starts a row; forgets the one before.
    public mutating func begin(_ collection: Collection) {
        fieldCount = collection.fields.count
        self.collection = collection
        refused = nil
        nulls = collection.allNull
        // A header and 48 slots always have room.
        count = 8 + fieldCount * 8
        unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }

    @inlinable mutating func setSlot(_ position: Int, _ value: UInt64) {
        precondition(position >= 0 && position < fieldCount, "the row has no such field")
        nulls &= ~(1 << UInt64(position &+ 16))
        // In bounds: `begin` has made room for a slot of each field.
        unsafe start.storeBytes(of: value.littleEndian, toByteOffset: 8 &+ position &* 8, as: UInt64.self)
    }

    @inlinable public mutating func setNull(_ position: Int) {
        precondition(position >= 0 && position < fieldCount, "the row has no such field")
        nulls |= 1 << UInt64(position &+ 16)
        unsafe start.storeBytes(of: 0, toByteOffset: 8 &+ position &* 8, as: UInt64.self)
    }

    @inlinable public mutating func set(_ position: Int, _ value: Int64) {
        setSlot(position, UInt64(bitPattern: value))
    }

    @inlinable public mutating func set(_ position: Int, _ value: Double) {
        if value.isNaN { refused = .notANumber(position) }
        // One zero: -0 equals 0, and storages differ in keeping its sign.
        setSlot(position, value == 0 ? 0 : value.bitPattern)
    }

    public mutating func set(_ position: Int, _ text: String) {
        let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable {
            unsafe setText(position, UnsafeRawBufferPointer($0))
        }
        if isWritten == nil {
            var text = text
            text.withUTF8 { unsafe setText(position, UnsafeRawBufferPointer($0)) }
        }
    }

    /// Sets a text field from UTF-8.
    public mutating func set(_ position: Int, utf8: RawSpan) {
        utf8.withUnsafeBytes { unsafe setText(position, $0) }
    }

    /// Sets a bytes field.
    public mutating func set(_ position: Int, bytes: RawSpan) {
        bytes.withUnsafeBytes { unsafe append(position, $0) }
    }

    private mutating func setText(_ position: Int, _ utf8: UnsafeRawBufferPointer) {
        if let start = utf8.baseAddress, unsafe memchr(start, 0, utf8.count) != nil {
            refused = .nulCharacter(position)
        }
        unsafe append(position, utf8)
    }

    private mutating func append(_ position: Int, _ bytes: UnsafeRawBufferPointer) {
        let place = count
        if bytes.count > capacity - count { grow(to: count + bytes.count) }
        if let source = bytes.baseAddress {
            unsafe (start + place).copyMemory(from: source, byteCount: bytes.count)
        }
        count = place + bytes.count
        setSlot(position, UInt64(bytes.count) << 32 | UInt64(truncatingIfNeeded: place))
    }

    private mutating func grow(to needed: Int) {
        capacity = max(needed, capacity * 2)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        unsafe larger.copyMemory(from: start, byteCount: count)
        unsafe start.deallocate()
        unsafe start = larger
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
        let header = UInt64(fieldCount) | nulls
        unsafe start.storeBytes(of: header.littleEndian, as: UInt64.self)
        let bytes = unsafe RawSpan(_unsafeStart: start, byteCount: count)
        // The memory is ours until the next `begin`, which the lifetime keeps away.
        return Row(unchecked: unsafe _overrideLifetime(bytes, mutating: &self))
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
        if count > Limits.rowBytes {
            throw PatchbayError(
                .invalidValue,
                "a row of \(collection.name) has \(count) bytes; the limit is \(Limits.rowBytes)")
        }
    }
}
