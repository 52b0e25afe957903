/// Keys as bytes whose bytewise order is the order of the keys.
///
/// A storage that keeps sorted bytes needs no comparison of its own. One part after another:
///
///     optional field    00 for null, else 01 and the value
///     integer           8 bytes, big-endian, sign bit flipped
///     text              UTF-8 (A-Z as a-z in a case-folded part), then 00
///
/// An entry of an index ends with the parts of the primary key. The bytes of the first parts of a key are a prefix of
/// the bytes of the whole key. Text holds no U+0000, so no text's encoding is a prefix of another's.
public enum KeyEncoding {
    @inlinable public static func append(_ value: Int64, to bytes: inout [UInt8]) {
        let ordered = UInt64(bitPattern: value) ^ (1 << 63)
        withUnsafeBytes(of: ordered.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    @inlinable static func append(
        utf8: UnsafeRawBufferPointer, folded: Bool, to bytes: inout [UInt8]
    ) {
        let start = bytes.count
        unsafe bytes.append(contentsOf: utf8)
        guard folded else { return }
        for place in start..<bytes.count where (0x41...0x5A).contains(bytes[place]) { bytes[place] |= 0x20 }
    }

    /// The first bytes after everything that starts with `bytes`; nil when nothing comes after.
    public static func successor(_ bytes: [UInt8]) -> [UInt8]? {
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

extension Collection {
    /// Appends the entry that an index (or the primary key) has for a row.
    ///
    /// - Returns: the bytes of the index's own parts, and whether one of them is null: two rows with the same own
    ///   bytes break a unique index unless one is null.
    /// - Throws: `invalidValue` when the entry is longer than ``Limits/keyBytes``.
    @discardableResult
    public func appendEntry(
        of row: borrowing Row, in index: Index, to bytes: inout [UInt8]
    ) throws -> (ownBytes: Int, hasNull: Bool) {
        let start = bytes.count
        var hasNull = false
        for part in index.parts where appendPart(of: row, part, to: &bytes) { hasNull = true }
        let ownBytes = bytes.count - start
        if index != primaryKey {
            for part in primaryKey.parts { _ = appendPart(of: row, part, to: &bytes) }
        }
        try checkLength(bytes.count - start, index)
        return (ownBytes, hasNull)
    }

    /// Returns whether the part is null.
    private func appendPart(of row: borrowing Row, _ part: Index.Part, to bytes: inout [UInt8]) -> Bool {
        // By the sets, because a field has a name, of which a copy would count references.
        if !requiredFields.contains(position: part.position) {
            let isNull = row.isNull(part.position)
            bytes.append(isNull ? 0 : 1)
            if isNull { return true }
        }
        if !pointingFields.contains(position: part.position) {
            KeyEncoding.append(row.integer(part.position), to: &bytes)
        } else {
            row.bytes(part.position).withUnsafeBytes {
                unsafe KeyEncoding.append(utf8: $0, folded: part.isCaseFolded, to: &bytes)
            }
            bytes.append(0)
        }
        return false
    }

    /// Appends the bytes of a key: values for the first parts of an index, or all, followed by none, some or all
    /// values of the primary key.
    ///
    /// - Parameter isPrefix: whether the last value is the beginning of a text.
    public func appendKey(_ key: Key, in index: Index, isPrefix: Bool = false, to bytes: inout [UInt8]) throws
    {
        let start = bytes.count
        if case .integer(let value) = key, !isPrefix, let part = index.parts.first,
            !fields[part.position].isOptional
        {
            precondition(
                fields[part.position].type == .integer, "\(name).\(index.name) is not an integer index")
            return KeyEncoding.append(value, to: &bytes)
        }
        if case .compound(let values) = key {
            let partCount = index.parts.count + (index == primaryKey ? 0 : primaryKey.parts.count)
            precondition(
                values.count <= partCount, "the key \(key) has more values than \(name).\(index.name)")
            for (value, part) in zip(values, index.parts) { append(value, part, to: &bytes) }
            for (value, part) in zip(values.dropFirst(index.parts.count), primaryKey.parts) {
                append(value, part, to: &bytes)
            }
        } else {
            append(key, index.parts[0], to: &bytes)
        }
        if isPrefix {
            guard case .text = key.values.last else {
                preconditionFailure("the prefix \(key) does not end with text")
            }
            bytes.removeLast()
        }
        try checkLength(bytes.count - start, index)
    }

    private func append(_ value: Key, _ part: Index.Part, to bytes: inout [UInt8]) {
        let field = fields[part.position]
        if field.isOptional { bytes.append(value == .null ? 0 : 1) }
        switch value {
        case .null: precondition(field.isOptional, "\(name).\(field.name) is never null")
        case .integer(let value):
            precondition(field.type == .integer, "\(name).\(field.name) is not an integer")
            KeyEncoding.append(value, to: &bytes)
        case .text(var text):
            precondition(field.type == .text, "\(name).\(field.name) is not text")
            text.withUTF8 {
                unsafe KeyEncoding.append(
                    utf8: UnsafeRawBufferPointer($0), folded: part.isCaseFolded, to: &bytes)
            }
            bytes.append(0)
        case .compound: preconditionFailure("the key of \(name) is nested")
        }
    }

    private func checkLength(_ count: Int, _ index: Index) throws {
        guard count > Limits.keyBytes else { return }
        throw PatchbayError(
            .invalidValue,
            "the key of \(name).\(index.name) has \(count) bytes; the limit is \(Limits.keyBytes)")
    }

    /// The key of a row along an index: where a walk that continues after this row starts (``Query/after``).
    public func key(of row: borrowing Row, in index: Index? = nil) -> Key {
        let index = index ?? primaryKey
        var values: [Key] = []
        for part in index.parts { values.append(value(of: row, part)) }
        if index != primaryKey { for part in primaryKey.parts { values.append(value(of: row, part)) } }
        return values.count == 1 ? values[0] : .compound(values)
    }

    private func value(of row: borrowing Row, _ part: Index.Part) -> Key {
        if row.isNull(part.position) { return .null }
        return fields[part.position].type == .integer
            ? .integer(row.integer(part.position)) : .text(row.text(part.position))
    }
}
