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
    @usableFromInline var collection: CollectionSchema?
    @usableFromInline var required: UInt64 = 0
    /// The field that was given what is not a number.
    @usableFromInline var notANumber: Int?

    public init() { start = .allocate(byteCount: capacity, alignment: 8) }

    deinit { unsafe start.deallocate() }

    /// Starts a row; forgets the one before.
    public mutating func begin(_ collection: CollectionSchema) {
        // Most rows are of the same collection as the one before; another reference would be counted.
        if self.collection !== collection {
            self.collection = collection
            fieldCount = collection.fields.count
            required = collection.requiredFields.rawValue << 16
        }
        notANumber = nil
        nulls = collection.allNull
        // A header and 48 slots always have room.
        count = 8 + fieldCount * 8
        unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }

    @inlinable @inline(__always)
    mutating func setSlot(_ position: Int, _ value: UInt64) {
        precondition(UInt(bitPattern: position) < UInt(bitPattern: fieldCount), "the row has no such field")
        nulls &= ~(1 &<< UInt64(truncatingIfNeeded: position &+ 16))
        // In bounds: `begin` has made room for a slot of each field.
        unsafe start.storeBytes(of: value.littleEndian, toByteOffset: 8 &+ position &* 8, as: UInt64.self)
    }

    @inlinable @inline(__always)
    public mutating func setNull(_ position: Int) {
        precondition(UInt(bitPattern: position) < UInt(bitPattern: fieldCount), "the row has no such field")
        nulls |= 1 &<< UInt64(truncatingIfNeeded: position &+ 16)
        unsafe start.storeBytes(of: 0, toByteOffset: 8 &+ position &* 8, as: UInt64.self)
    }

    @inlinable @inline(__always)
    public mutating func set(_ position: Int, _ value: Int64) {
        setSlot(position, UInt64(bitPattern: value))
    }

    @inlinable public mutating func set(_ position: Int, _ value: Double) {
        if value.isNaN { notANumber = position }
        // One zero: -0 equals 0, and storages differ in keeping its sign.
        setSlot(position, value == 0 ? 0 : value.bitPattern)
    }

    public mutating func set(_ position: Int, _ text: String) {
        let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable {
            unsafe append(position, UnsafeRawBufferPointer($0))
        }
        if isWritten == nil {
            var text = text
            text.withUTF8 { unsafe append(position, UnsafeRawBufferPointer($0)) }
        }
    }

    /// Sets a text field from UTF-8.
    public mutating func set(_ position: Int, utf8: RawSpan) {
        utf8.withUnsafeBytes { unsafe append(position, $0) }
    }

    /// Sets a bytes field.
    public mutating func set(_ position: Int, bytes: RawSpan) {
        bytes.withUnsafeBytes { unsafe append(position, $0) }
    }

    @inline(__always)
    private mutating func append(_ position: Int, _ bytes: UnsafeRawBufferPointer) {
        // No overflow: the bytes that are there and those that come are in memory at once.
        let end = count &+ bytes.count
        if end > capacity { grow(to: end) }
        if let source = bytes.baseAddress {
            unsafe (start + count).copyMemory(from: source, byteCount: bytes.count)
        }
        setSlot(position, UInt64(truncatingIfNeeded: bytes.count) << 32 | UInt64(truncatingIfNeeded: count))
        count = end
    }

    @inline(never)
    private mutating func grow(to needed: Int) {
        capacity = max(needed, capacity * 2)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        unsafe larger.copyMemory(from: start, byteCount: count)
        unsafe start.deallocate()
        unsafe start = larger
    }

    /// Writes a field; reading one back gives nothing useful and is a mistake of the caller.
    @inlinable public subscript<Value: ColumnValue>(column: RowColumn<Value>) -> Value {
        @available(*, unavailable, message: "a row builder is write-only") get { preconditionFailure() }
        set { newValue.write(to: &self, at: column.position) }
    }

    /// The finished row; valid until the next `begin`.
    ///
    /// - Throws: `invalidValue` with the field's name, when a value cannot be kept.
    @_lifetime(&self)
    public mutating func finish() throws -> RowView {
        precondition(collection != nil, "finish() before begin(_:)")
        if notANumber != nil || required & nulls != 0 || count > Limits.rowBytes || holdsZero { try refuse() }
        let header = UInt64(fieldCount) | nulls
        unsafe start.storeBytes(of: header.littleEndian, as: UInt64.self)
        let bytes = unsafe RawSpan(_unsafeStart: start, byteCount: count)
        // The memory is ours until the next `begin`, which the lifetime keeps away.
        return RowView(unchecked: unsafe _overrideLifetime(bytes, mutating: &self))
    }

    /// Whether there is a zero behind the slots: one look at all texts, which hardly ever have one.
    private var holdsZero: Bool {
        let slotsEnd = 8 &+ fieldCount &* 8
        return unsafe memchr(start + slotsEnd, 0, count - slotsEnd) != nil
    }

    /// Throws when the row cannot be kept; a zero in a field of bytes is no reason.
    private func refuse() throws {
        guard let collection else { return }
        func refuse(_ position: Int, _ why: String) -> PatchbayError {
            PatchbayError(.invalidValue, "\(collection.name).\(collection.fields[position].name) \(why)")
        }
        if let notANumber { throw refuse(notANumber, "is not a number (NaN), which no storage keeps") }
        if let position = nulText(collection) { throw refuse(position, "holds U+0000, which text must not") }
        let missing = (required & nulls) >> 16
        if missing != 0 { throw refuse(missing.trailingZeroBitCount, "must have a value") }
        if count > Limits.rowBytes {
            throw PatchbayError(
                .invalidValue,
                "a row of \(collection.name) has \(count) bytes; the limit is \(Limits.rowBytes)")
        }
    }

    /// The first text that holds U+0000; bytes may.
    private func nulText(_ collection: CollectionSchema) -> Int? {
        collection.fields.indices.first { position in
            guard collection.fields[position].type == .text else { return false }
            let slot = unsafe start.load(fromByteOffset: 8 + position * 8, as: UInt64.self)
            let place = Int(slot & 0xFFFF_FFFF), length = Int(slot >> 32)
            guard place + length <= count else { return false }
            return unsafe memchr(start + place, 0, length) != nil
        }
    }
}
