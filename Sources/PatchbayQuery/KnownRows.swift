import CSQLite

/// Rows that a cursor has looked up by their keys, so that a join reads a row from the storage once.
///
/// A row stays the same, because a statement sees one snapshot. A plain value in memory that ``RowCursor`` owns, as
/// ``CopiedRows`` is.
///
/// Safe, because it owns its memory, and what it returns is used before the next row is added.
@safe struct KnownRows {
    /// A value of SQLite: an integer, or a text. Safe, because it is used while SQLite keeps the value.
    @safe fileprivate struct Value {
        let hash: UInt64
        /// The size of a text; -1 for an integer.
        let mark: Int
        let number: Int64
        let text: UnsafeRawBufferPointer

        /// The size in an entry.
        var size: Int { mark < 0 ? 8 : KnownRows.words(mark) }
    }

    /// Entries, one after another, each with parts of whole words: the mark of its value, the size of its row or -1,
    /// the bytes of the value, and the row. Allocated at first use; memory is only occupied as far as it is used.
    private var entries = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var end = 0
    private var count = 0
    /// The places of the entries in words, by the hash of the value; 0 for none, where no entry begins.
    private var places = unsafe UnsafeMutableBufferPointer<UInt32>(start: nil, count: 0)
    /// The look-ups before rows are kept, because many statements have only a few.
    private var lookUpsLeft = 32

    /// The number of rows that are kept; with more, all are forgotten.
    static let rowsMax = 12_288
    private static let placesMask = 16_383
    private static let bytesMax = 4 << 20
    /// The size of a row or a value from which on it is not kept.
    private static let longRow = 1_024
    /// The entries that are compared before a row counts as unknown.
    private static let stepsMax = 16

    func deallocate() {
        unsafe entries.deallocate()
        unsafe places.deallocate()
    }

    /// The row of a value.
    ///
    /// - Returns: nil if it is unknown; no bytes if there is no such row.
    func row(_ value: OpaquePointer?) -> UnsafeRawBufferPointer? {
        guard count > 0, let value = unsafe Value(value) else { return nil }
        var slot = Self.slot(value.hash)
        for _ in 0..<Self.stepsMax {
            let place = unsafe Int(places[slot]) &* 8
            if place == 0 { return nil }
            let entry = unsafe UnsafeRawPointer(entries.baseAddress! + place)
            if unsafe value.isEqual(to: entry) {
                let size = unsafe entry.load(fromByteOffset: 8, as: Int.self)
                return unsafe UnsafeRawBufferPointer(start: entry + 16 + value.size, count: max(size, 0))
            }
            slot = (slot &+ 1) & Self.placesMask
        }
        return nil
    }

    /// Keeps the row of a value; nil if there is no such row.
    mutating func add(_ value: OpaquePointer?, _ row: UnsafeRawBufferPointer?) {
        if lookUpsLeft > 0 { return lookUpsLeft -= 1 }
        guard let value = unsafe Value(value) else { return }
        prepare()
        let rowSize = unsafe row?.count ?? 0
        guard rowSize < Self.longRow, value.mark < Self.longRow else { return }
        let needed = 16 &+ value.size &+ Self.words(rowSize)
        if unsafe count == Self.rowsMax || end &+ needed > entries.count { forget() }
        var slot = Self.slot(value.hash), steps = 1
        while unsafe places[slot] != 0 {
            // Look-ups would not find it.
            if steps == Self.stepsMax { return }
            slot = (slot &+ 1) & Self.placesMask
            steps &+= 1
        }
        let entry = unsafe entries.baseAddress! + end
        unsafe value.write(to: entry)
        unsafe entry.storeBytes(of: row == nil ? -1 : rowSize, toByteOffset: 8, as: Int.self)
        if let start = unsafe row?.baseAddress {
            unsafe (entry + 16 + value.size).copyMemory(from: start, byteCount: rowSize)
        }
        unsafe places[slot] = UInt32(truncatingIfNeeded: end / 8)
        end &+= needed
        count &+= 1
    }

    private mutating func prepare() {
        if unsafe entries.baseAddress != nil { return }
        unsafe entries = .allocate(byteCount: Self.bytesMax, alignment: 8)
        unsafe places = .allocate(capacity: Self.placesMask + 1)
        unsafe places.initialize(repeating: 0)
        end = 8
    }

    private mutating func forget() {
        unsafe places.update(repeating: 0)
        (count, end) = (0, 8)
    }

    @inline(__always)
    private static func slot(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & placesMask }

    /// A size rounded up to whole words.
    @inline(__always)
    fileprivate static func words(_ size: Int) -> Int { (size &+ 7) & ~7 }
}

extension KnownRows.Value {
    /// Nil for values of other types, whose rows are not kept.
    @inline(__always)
    fileprivate init?(_ value: OpaquePointer?) {
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_INTEGER:
            let number = unsafe sqlite3_value_int64(value)
            let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
            unsafe self.init(
                hash: Self.mixed(UInt64(bitPattern: number)), mark: -1, number: number, text: none)
        case SQLITE_TEXT:
            let start = unsafe sqlite3_value_text(value)
            let count = Int(unsafe sqlite3_value_bytes(value))
            let text = unsafe UnsafeRawBufferPointer(start: start, count: count)
            unsafe self.init(hash: Self.hash(text), mark: count, number: 0, text: text)
        default: return nil
        }
    }

    /// Whether an entry is that of the value.
    @inline(__always)
    fileprivate func isEqual(to entry: UnsafeRawPointer) -> Bool {
        if unsafe entry.load(as: Int.self) != mark { return false }
        if mark < 0 { return unsafe entry.load(fromByteOffset: 16, as: Int64.self) == number }
        return unsafe text.elementsEqual(UnsafeRawBufferPointer(start: entry + 16, count: mark))
    }

    fileprivate func write(to entry: UnsafeMutableRawPointer) {
        unsafe entry.storeBytes(of: mark, as: Int.self)
        if mark < 0 { return unsafe entry.storeBytes(of: number, toByteOffset: 16, as: Int64.self) }
        if let start = unsafe text.baseAddress {
            unsafe (entry + 16).copyMemory(from: start, byteCount: mark)
        }
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: bytes.count), place = 0
        while place &+ 8 <= bytes.count {
            hash = unsafe mixed(hash ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place &+= 8
        }
        var rest: UInt64 = 0
        while place < bytes.count {
            rest = unsafe rest << 8 | UInt64(bytes[place])
            place &+= 1
        }
        return mixed(hash ^ rest)
    }

    @inline(__always)
    private static func mixed(_ word: UInt64) -> UInt64 {
        let product = word &* 0x9E37_79B9_7F4A_7C15
        return product ^ product >> 32
    }
}
