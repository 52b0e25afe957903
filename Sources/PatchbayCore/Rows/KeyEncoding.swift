/// Encodes keys as bytes whose bytewise order is the order of the keys.
///
/// A storage that sorts by bytes needs no comparison function. The parts follow one another:
///
///     optional field    00 for null, else 01 and the value
///     integer           8 bytes, big-endian, sign bit flipped
///     text              UTF-8 (A-Z as a-z in a case-folded part), then 00
///
/// An index entry ends with the parts of the primary key. The encoding of the first parts of a key is a prefix of the
/// encoding of the whole key. Text contains no U+0000, so no text's encoding is a prefix of another's.
@usableFromInline
package enum KeyEncoding {
    /// Appends the encoding of an integer from a field that is never null.
    @inlinable package static func append(_ value: Int64, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: ordered(value).bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// An unsigned number that sorts like the signed one.
    @inlinable static func ordered(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

    /// The smallest bytes greater than everything that starts with `bytes`; nil when there are none.
    package static func successor(_ bytes: [UInt8]) -> [UInt8]? {
        var bytes = bytes
        while let last = bytes.last {
            if last < 0xFF {
                bytes[bytes.count - 1] = last + 1
                return bytes
            }
            bytes.removeLast()
        }
        return nil
    }
}

extension CollectionSchema {
    /// Appends the entry of a row in an index or in the primary key.
    ///
    /// - Returns: the number of bytes of the index's own parts, without the primary key, and whether one of the parts
    ///   is null. Two rows violate a unique index if these bytes are equal and no part is null.
    /// - Throws: `invalidValue` when the entry is longer than ``Limits/keyBytes``.
    @discardableResult
    public func appendEntry(
        of row: borrowing RowView, in index: Index, to bytes: inout [UInt8]
    ) throws -> (ownBytes: Int, hasNull: Bool) {
        try unsafe withUnsafeTemporaryAllocation(byteCount: Limits.keyBytes, alignment: 8) { room in
            let (count, ownBytes, hasNull) = unsafe try writeEntry(of: row, in: index, to: room)
            unsafe bytes.append(contentsOf: room[..<count])
            return (ownBytes, hasNull)
        }
    }

    /// Writes the entry of a row in an index or in the primary key into memory, for callers that write many.
    ///
    /// - Parameter room: at least ``Limits/keyBytes`` bytes.
    /// - Returns: the size of the entry, and the same as ``appendEntry(of:in:to:)``.
    /// - Throws: `invalidValue` when the entry is longer than ``Limits/keyBytes``.
    package func writeEntry(
        of row: borrowing RowView, in index: Index, to room: UnsafeMutableRawBufferPointer
    ) throws -> (count: Int, ownBytes: Int, hasNull: Bool) {
        var writer = unsafe KeyWriter(room)
        var hasNull = false
        for place in index.parts.indices where write(row, index.parts[place], &writer) { hasNull = true }
        let ownBytes = writer.count
        if !index.isPrimaryKey {
            for place in primaryKey.parts.indices { _ = write(row, primaryKey.parts[place], &writer) }
        }
        if writer.count > Limits.keyBytes { throw tooLong(writer.count, index) }
        return (writer.count, ownBytes, hasNull)
    }

    /// Returns whether the part is null.
    @inline(__always)
    private func write(_ row: borrowing RowView, _ part: Index.Part, _ writer: inout KeyWriter) -> Bool {
        // Tests the set instead of the field, because copying a field counts references to its name.
        if !requiredFields.contains(position: part.position) {
            let isNull = row.isNull(part.position)
            writer.write(isNull: isNull)
            if isNull { return true }
        }
        if pointingFields.contains(position: part.position) {
            writer.write(utf8: row.bytes(part.position), isFolded: part.isCaseFolded)
        } else {
            writer.write(row.integer(part.position))
        }
        return false
    }

    /// Appends the encoding of a key: values for some or all parts of an index, followed by none, some or all values of
    /// the primary key.
    ///
    /// - Parameter isPrefix: whether the last value is the beginning of a text.
    public func appendKey(_ key: Key, in index: Index, isPrefix: Bool = false, to bytes: inout [UInt8]) throws
    {
        if case .integer(let value) = key, !isPrefix, let part = index.parts.first,
            !fields[part.position].isOptional
        {
            precondition(
                fields[part.position].type == .integer, "\(name).\(index.name) is not an integer index")
            return KeyEncoding.append(value, to: &bytes)
        }
        if isPrefix {
            guard case .text = key.values.last else {
                preconditionFailure("the prefix \(key) does not end with text")
            }
        }
        try unsafe withUnsafeTemporaryAllocation(byteCount: Limits.keyBytes + 1, alignment: 8) { room in
            var writer = unsafe KeyWriter(room)
            write(key, index, &writer)
            if isPrefix { writer.removeLast() }
            if writer.count > Limits.keyBytes { throw tooLong(writer.count, index) }
            unsafe bytes.append(contentsOf: room[..<writer.count])
        }
    }

    private func write(_ key: Key, _ index: Index, _ writer: inout KeyWriter) {
        guard case .compound(let values) = key else { return write(key, index.parts[0], &writer) }
        let partCount = index.parts.count + (index.isPrimaryKey ? 0 : primaryKey.parts.count)
        precondition(values.count <= partCount, "the key \(key) has more values than \(name).\(index.name)")
        for (value, part) in zip(values, index.parts) { write(value, part, &writer) }
        for (value, part) in zip(values.dropFirst(index.parts.count), primaryKey.parts) {
            write(value, part, &writer)
        }
    }

    private func write(_ value: Key, _ part: Index.Part, _ writer: inout KeyWriter) {
        let field = fields[part.position]
        if field.isOptional { writer.write(isNull: value == .null) }
        switch value {
        case .null: precondition(field.isOptional, "\(name).\(field.name) is never null")
        case .integer(let value):
            precondition(field.type == .integer, "\(name).\(field.name) is not an integer")
            writer.write(value)
        case .text(let text):
            precondition(field.type == .text, "\(name).\(field.name) is not text")
            writer.write(utf8: text.utf8.span.bytes, isFolded: part.isCaseFolded)
        case .compound: preconditionFailure("the key of \(name) is nested")
        }
    }

    private func tooLong(_ count: Int, _ index: Index) -> PatchbayError {
        PatchbayError(
            .invalidValue,
            "the key of \(name).\(index.name) has \(count) bytes; the limit is \(Limits.keyBytes)",
            [.collection(name), .index(index.name), .limit(Limits.keyBytes)])
    }

    /// The key of a row in an index, with which a later walk continues after this row (``Query/after``).
    public func key(of row: borrowing RowView, in index: Index? = nil) -> Key {
        // Most keys are one value, for which no array is needed.
        if index == nil, primaryKey.parts.count == 1 { return value(of: row, primaryKey.parts[0]) }
        var parts = primaryKey.parts
        if let index, !index.isPrimaryKey { parts = index.parts + parts }
        return parts.count == 1 ? value(of: row, parts[0]) : .compound(parts.map { value(of: row, $0) })
    }

    private func value(of row: borrowing RowView, _ part: Index.Part) -> Key {
        if row.isNull(part.position) { return .null }
        return pointingFields.contains(position: part.position)
            ? .text(row.text(part.position)) : .integer(row.integer(part.position))
    }
}

extension UnsafeRawBufferPointer {
    /// Compares keys by their bytes, a word at a time: less than 0, 0, more than 0.
    @inlinable @inline(__always)
    package func order(to other: UnsafeRawBufferPointer) -> Int {
        let common = Swift.min(count, other.count)
        var at = 0
        while at + 8 <= common {
            let word = unsafe UInt64(bigEndian: loadUnaligned(fromByteOffset: at, as: UInt64.self))
            let otherWord = unsafe UInt64(bigEndian: other.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            if word != otherWord { return word < otherWord ? -1 : 1 }
            at += 8
        }
        while at < common {
            if unsafe self[at] != other[at] { return unsafe self[at] < other[at] ? -1 : 1 }
            at += 1
        }
        return count - other.count
    }

    /// Whether both have the same bytes.
    @inlinable @inline(__always)
    package func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        unsafe count == other.count && order(to: other) == 0
    }

    /// Whether the first bytes are these.
    @inlinable @inline(__always)
    package func hasPrefix(_ other: UnsafeRawBufferPointer) -> Bool {
        unsafe count >= other.count
            && UnsafeRawBufferPointer(rebasing: self[..<other.count]).order(to: other) == 0
    }

    /// Whether these bytes come before others.
    @inlinable @inline(__always)
    package func precedes(_ other: UnsafeRawBufferPointer) -> Bool { unsafe order(to: other) < 0 }
}

/// Writes the parts of a key into memory in the form of ``KeyEncoding``.
///
/// Past the end of the memory it only counts, so that the length of a key that did not fit is known.
///
/// Safe, because it does not outlive the memory and compares every place with its size.
@safe struct KeyWriter: ~Escapable {
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    /// The size of the key in bytes; greater than the memory when the key did not fit.
    private(set) var count = 0

    @_lifetime(borrow room)
    init(_ room: UnsafeMutableRawBufferPointer) {
        guard let start = room.baseAddress else { preconditionFailure("a key needs room") }
        unsafe self.start = start
        capacity = room.count
    }

    /// Writes the byte before the value of an optional field.
    @inline(__always)
    mutating func write(isNull: Bool) {
        if count < capacity {
            unsafe start.storeBytes(of: isNull ? 0 : 1, toByteOffset: count, as: UInt8.self)
        }
        count &+= 1
    }

    @inline(__always)
    mutating func write(_ value: Int64) {
        if count &+ 8 <= capacity {
            let ordered = KeyEncoding.ordered(value).bigEndian
            unsafe start.storeBytes(of: ordered, toByteOffset: count, as: UInt64.self)
        }
        count &+= 8
    }

    @inline(__always)
    mutating func write(utf8: RawSpan, isFolded: Bool) {
        let end = count &+ utf8.byteCount
        if end < capacity {
            let text = unsafe UnsafeMutableRawBufferPointer(start: start + count, count: utf8.byteCount)
            unsafe utf8.withUnsafeBytes { unsafe text.copyMemory(from: $0) }
            if isFolded { unsafe KeyWriter.fold(text) }
            unsafe start.storeBytes(of: 0, toByteOffset: end, as: UInt8.self)
        }
        count = end &+ 1
    }

    private static func fold(_ text: UnsafeMutableRawBufferPointer) {
        for place in text.indices where unsafe text[place].isASCIIUppercase {
            unsafe text[place] |= 0x20
        }
    }

    /// Removes the last byte.
    mutating func removeLast() { count -= 1 }
}
