import PatchbaySystem

/// Writes rows, one after another, into a buffer that it reuses.
///
/// All fields of a new row are null. Values that cannot be stored are refused when the row is finished: NaN, U+0000 in
/// text, a required field that is null, a row larger than ``Limits/rowBytes``.
///
/// Safe, because it owns its memory, and every offset is checked or within the room that it has reserved.
@safe @frozen public struct RowBuilder: ~Copyable {
    /// The row so far, in manually managed memory, because an array would check for unique ownership at each field.
    @usableFromInline var start: UnsafeMutableRawPointer
    @usableFromInline var capacity = 1_024
    @usableFromInline var count = 0
    @usableFromInline var nulls: UInt64 = 0
    @usableFromInline var fieldCount = 0
    @usableFromInline var collection: CollectionSchema?
    @usableFromInline var required: UInt64 = 0
    /// The field that was set to NaN.
    @usableFromInline var notANumber: Int?

    /// Creates a builder without a row; call ``begin(_:)`` before setting a field.
    public init() { unsafe start = .allocate(byteCount: capacity, alignment: 8) }

    deinit { unsafe start.deallocate() }

    /// Starts a row and discards the previous one.
    public mutating func begin(_ collection: CollectionSchema) {
        // Most rows belong to the same collection as the one before; setting the reference again would count it.
        if self.collection !== collection {
            self.collection = collection
            fieldCount = collection.fields.count
            required = collection.requiredFields.nullBits
        }
        notANumber = nil
        nulls = collection.allNull
        // The capacity is always enough for a header and all slots.
        count = 8 + fieldCount * 8
        unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }

    @inlinable @inline(__always)
    mutating func setSlot(_ position: Int, _ value: UInt64) {
        precondition(UInt(bitPattern: position) < UInt(bitPattern: fieldCount), "the row has no such field")
        nulls &= ~RowHeader.nullBit(position)
        // In bounds: `begin` has reserved a slot for each field.
        unsafe start.storeBytes(of: value.littleEndian, toByteOffset: 8 &+ position &* 8, as: UInt64.self)
    }

    /// Sets a field to null. A position that the collection does not have is a programming error, here and in `set`.
    @inlinable @inline(__always)
    public mutating func setNull(_ position: Int) {
        precondition(UInt(bitPattern: position) < UInt(bitPattern: fieldCount), "the row has no such field")
        nulls |= RowHeader.nullBit(position)
        unsafe start.storeBytes(of: 0, toByteOffset: 8 &+ position &* 8, as: UInt64.self)
    }

    /// Sets an integer field.
    @inlinable @inline(__always)
    public mutating func set(_ position: Int, _ value: Int64) {
        setSlot(position, UInt64(bitPattern: value))
    }

    /// Sets a real field. -0 is stored as 0; NaN is refused by ``finish()``.
    @inlinable public mutating func set(_ position: Int, _ value: Double) {
        if value.isNaN { notANumber = position }
        // There is only one zero: -0 equals 0, and not all storages keep its sign.
        setSlot(position, value == 0 ? 0 : value.bitPattern)
    }

    /// Sets a text field. Setting it again leaves the earlier text in the row as unused bytes.
    public mutating func set(_ position: Int, _ text: String) {
        // A third faster than the span of the text.
        let isWritten: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe append(position, UnsafeRawBufferPointer($0))
        }
        if isWritten == nil { set(position, bytes: text.utf8.span.bytes) }
    }

    /// Sets a text field from UTF-8.
    public mutating func set(_ position: Int, utf8: RawSpan) {
        set(position, bytes: utf8)
    }

    /// Sets a bytes field.
    public mutating func set(_ position: Int, bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe append(position, $0) }
    }

    @inline(__always)
    private mutating func append(_ position: Int, _ bytes: UnsafeRawBufferPointer) {
        // No overflow: the existing bytes and the new ones are in memory at the same time.
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

    /// Writes a field. Reading through this subscript is a programming error.
    @inlinable public subscript<Value: ColumnValue>(column: RowColumn<Value>) -> Value {
        @available(*, unavailable, message: "a row builder is write-only") get { preconditionFailure() }
        set { newValue.write(to: &self, at: column.position) }
    }

    /// The finished row; valid until the next `begin`.
    ///
    /// - Throws: `invalidValue` with the field's name when a value cannot be stored.
    @_lifetime(&self)
    public mutating func finish() throws -> RowView {
        precondition(collection != nil, "finish() before begin(_:)")
        if notANumber != nil || required & nulls != 0 || count > Limits.rowBytes || holdsZero { try refuse() }
        let header = UInt64(fieldCount) | nulls
        unsafe start.storeBytes(of: header.littleEndian, as: UInt64.self)
        let bytes = unsafe RawSpan(_unsafeStart: start, byteCount: count)
        // The memory stays unchanged until the next `begin`, which the lifetime prevents.
        return RowView(unchecked: unsafe _overrideLifetime(bytes, mutating: &self))
    }

    /// Whether there is a zero byte after the slots. This checks all texts at once, because hardly any contain one.
    private var holdsZero: Bool {
        let slotsEnd = 8 &+ fieldCount &* 8
        return unsafe UnsafeRawPointer(start + slotsEnd).offset(of: 0, count: count - slotsEnd) != nil
    }

    /// Throws if the row cannot be stored. A zero byte is allowed in a field of bytes.
    private func refuse() throws {
        guard let collection else { return }
        func refuse(_ position: Int, _ why: String) -> PatchbayError {
            PatchbayError(.invalidValue, "\(collection.name).\(collection.fields[position].name) \(why)")
        }
        if let notANumber { throw refuse(notANumber, "is not a number (NaN), which cannot be stored") }
        if let position = nulText(collection) {
            throw refuse(position, "contains U+0000, which is not allowed in text")
        }
        let missing = RowHeader.nullFields(required & nulls).rawValue
        if missing != 0 { throw refuse(missing.trailingZeroBitCount, "must have a value") }
        if count > Limits.rowBytes {
            throw PatchbayError(
                .invalidValue,
                "a row of \(collection.name) has \(count) bytes; the limit is \(Limits.rowBytes)",
                [.collection(collection.name), .limit(Limits.rowBytes)])
        }
    }

    /// The first text field that contains U+0000, which is allowed in bytes fields.
    private func nulText(_ collection: CollectionSchema) -> Int? {
        collection.fields.indices.first { position in
            guard collection.fields[position].type == .text else { return false }
            let slot = unsafe start.load(fromByteOffset: 8 + position * 8, as: UInt64.self)
            let place = Int(slot & 0xFFFF_FFFF), length = Int(slot >> 32)
            guard place + length <= count else { return false }
            return unsafe UnsafeRawPointer(start + place).offset(of: 0, count: length) != nil
        }
    }
}
