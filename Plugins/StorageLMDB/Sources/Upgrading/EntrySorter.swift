import PatchbayCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Sorts more index entries than fit in memory: a full buffer is sorted and written as a run, and the runs are merged.
///
/// An entry in the buffer and in a run, with native integers:
///
///     size of the key 2 | size of its own part 2, its top bit: may repeat | key
final class EntrySorter {
    static let bytesUsual = 12 << 20
    static let headerBytes = 4
    static let repeatBit: UInt16 = 1 << 15

    /// An entry's offset, and the beginning of its key, which decides most comparisons.
    private struct Place {
        let start: UInt64
        let offset: Int
    }

    private let path: String
    private let bytesMax: Int
    private var buffer: [UInt8] = []
    private var places: [Place] = []
    private var file: RunFile?
    private var count = 0

    /// - Parameters:
    ///   - path: the path of the file of runs, if there are any; the file is unlinked once it is open.
    ///   - bytesMax: the memory for entries that are not written yet, in bytes.
    init(file path: String, bytesMax: Int = EntrySorter.bytesUsual) {
        self.path = path
        self.bytesMax = bytesMax
    }

    /// - Parameters:
    ///   - entry: the complete entry, which ends with the primary key.
    ///   - ownBytes: the number of bytes before the primary key.
    ///   - mayRepeat: whether another entry may have the same own bytes, as one with a null may.
    func add(_ entry: [UInt8], ownBytes: Int, mayRepeat: Bool) throws {
        let size = entry.count + EntrySorter.headerBytes + MemoryLayout<Place>.stride
        if buffer.count + (places.count * MemoryLayout<Place>.stride) + size > bytesMax { try writeRun() }
        places.append(Place(start: EntrySorter.start(of: entry), offset: buffer.count))
        let own = UInt16(ownBytes) | (mayRepeat ? EntrySorter.repeatBit : 0)
        withUnsafeBytes(of: UInt16(entry.count)) { buffer.append(contentsOf: $0) }
        withUnsafeBytes(of: own) { buffer.append(contentsOf: $0) }
        buffer.append(contentsOf: entry)
        count += 1
    }

    /// Returns the entries in order. No entry may be added afterwards.
    func finish() throws -> SortedEntries {
        if file != nil, !places.isEmpty { try writeRun() }
        sort()
        let rest = places.map(\.offset)
        places = []
        return SortedEntries(count: count, memory: buffer, offsets: rest, file: file)
    }

    /// The first 8 bytes as a number that compares like them.
    private static func start(of entry: [UInt8]) -> UInt64 {
        if entry.count >= 8 {
            return entry.withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
        }
        return entry.reduce(0) { $0 << 8 | UInt64($1) } << (8 * UInt64(8 - entry.count))
    }

    private func sort() {
        buffer.withUnsafeBytes { bytes in
            places.sort { left, right in
                if left.start != right.start { return left.start < right.start }
                return SortedEntries.precedes(
                    EntrySorter.key(bytes, left.offset), EntrySorter.key(bytes, right.offset))
            }
        }
    }

    private static func key(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UnsafeRawBufferPointer {
        let count = Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
        return UnsafeRawBufferPointer(rebasing: bytes[offset + headerBytes..<offset + headerBytes + count])
    }

    private func writeRun() throws {
        sort()
        let file = try self.file ?? RunFile(path)
        self.file = file
        try buffer.withUnsafeBytes { bytes in
            for place in places {
                let size = EntrySorter.key(bytes, place.offset).count + EntrySorter.headerBytes
                try file.append(UnsafeRawBufferPointer(rebasing: bytes[place.offset..<place.offset + size]))
            }
        }
        try file.endRun()
        buffer.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }
}
