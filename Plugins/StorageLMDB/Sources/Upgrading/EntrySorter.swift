import PatchbayCore

/// Sorts more index entries than fit in memory: a full buffer is sorted and written as a run, and ``SortedEntries``
/// merges the runs.
///
/// An entry in the buffer and in a run, with native integers:
///
///     size of the key 2 | size of its own part 2, its top bit: may repeat | key
final class EntrySorter {
    static let bytesUsual = 12 << 20
    private static let repeatBit: UInt16 = 1 << 15

    /// An entry in a mapped file; safe, because the map exists until the last entry was used.
    @safe struct Entry {
        static let headerBytes = 4

        let key: UnsafeRawBufferPointer
        let ownBytes: Int
        /// Whether another entry may have the same own bytes, as one with a null may.
        let mayRepeat: Bool

        /// The bytes before the primary key.
        var own: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: key[..<ownBytes]) }
        var primaryKey: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: key[ownBytes...]) }

        /// Nil when the bytes end before the entry does.
        @inline(__always)
        init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
            guard offset + Entry.headerBytes <= bytes.count else { return nil }
            let start = offset + Entry.headerBytes
            let count = unsafe Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            let own = unsafe bytes.loadUnaligned(fromByteOffset: offset + 2, as: UInt16.self)
            guard start + count <= bytes.count, own & ~repeatBit <= count else { return nil }
            unsafe key = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
            ownBytes = Int(own & ~repeatBit)
            mayRepeat = own & repeatBit != 0
        }
    }

    /// An entry's offset, and the beginning of its key, which decides most comparisons.
    private struct Place {
        let start: UInt64
        let offset: Int
    }

    private let path: String
    private let bytesMax: Int
    private var buffer: [UInt8] = []
    private var places: [Place] = []
    private var file: NewFile?
    private var runs: [Range<Int>] = []
    private var count = 0

    /// - Parameters:
    ///   - path: the path of the file of runs; it is removed once everything is sorted.
    ///   - bytesMax: the memory for entries that are not written yet, in bytes.
    init(file path: String, bytesMax: Int = EntrySorter.bytesUsual) {
        self.path = path
        self.bytesMax = bytesMax
    }

    deinit { file?.discard() }

    /// - Parameters:
    ///   - entry: the complete entry, which ends with the primary key.
    ///   - ownBytes: the number of bytes before the primary key.
    func add(_ entry: [UInt8], ownBytes: Int, mayRepeat: Bool) throws {
        let size = entry.count + Entry.headerBytes + MemoryLayout<Place>.stride
        if buffer.count + (places.count * MemoryLayout<Place>.stride) + size > bytesMax { try writeRun() }
        places.append(Place(start: EntrySorter.start(of: entry), offset: buffer.count))
        let own = UInt16(ownBytes) | (mayRepeat ? EntrySorter.repeatBit : 0)
        unsafe withUnsafeBytes(of: UInt16(entry.count)) { unsafe buffer.append(contentsOf: $0) }
        unsafe withUnsafeBytes(of: own) { unsafe buffer.append(contentsOf: $0) }
        buffer.append(contentsOf: entry)
        count += 1
    }

    /// Returns the entries in order. No entry may be added afterwards.
    ///
    /// - Throws: `storageFull`, `permissionDenied`.
    func finish() throws -> SortedEntries {
        if !places.isEmpty { try writeRun() }
        buffer = []
        guard let file, let end = runs.last?.upperBound else { return SortedEntries() }
        try file.flush()
        let map = try FileMap(file: path, bytes: end, pageBytes: 1)
        file.discard()
        self.file = nil
        return SortedEntries(count: count, runs: runs, map: map)
    }

    /// The first 8 bytes as a number that compares like them.
    private static func start(of entry: [UInt8]) -> UInt64 {
        if entry.count >= 8 {
            return unsafe entry.withUnsafeBytes {
                unsafe UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self))
            }
        }
        return entry.reduce(0) { $0 << 8 | UInt64($1) } << (8 * UInt64(8 - entry.count))
    }

    private func writeRun() throws {
        if file == nil {
            try FileSystem.removeFile(path)
            file = try NewFile(path)
        }
        try unsafe buffer.withUnsafeBytes { bytes in
            places.sort { left, right in
                if left.start != right.start { return left.start < right.start }
                return unsafe Entry(bytes, at: left.offset)!.key.precedes(Entry(bytes, at: right.offset)!.key)
            }
            for place in places {
                let size = unsafe Entry.headerBytes + Entry(bytes, at: place.offset)!.key.count
                try unsafe file?.append(
                    UnsafeRawBufferPointer(rebasing: bytes[place.offset..<place.offset + size]))
            }
        }
        let start = runs.last?.upperBound ?? 0
        runs.append(start..<start + buffer.count)
        buffer.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }
}
