import PatchbayCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Index entries in order: all in memory, or merged from the runs of a file. They can be visited repeatedly.
struct SortedEntries {
    struct Entry {
        let key: UnsafeRawBufferPointer
        let ownBytes: Int
        let mayRepeat: Bool

        /// The bytes before the primary key.
        var own: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: key[..<ownBytes]) }
        var primaryKey: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: key[ownBytes...]) }

        /// Reads an entry that ``EntrySorter`` wrote; nil when the bytes end before it does.
        @inline(__always)
        init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
            guard offset + EntrySorter.headerBytes <= bytes.count else { return nil }
            let start = offset + EntrySorter.headerBytes
            let count = Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            let own = bytes.loadUnaligned(fromByteOffset: offset + 2, as: UInt16.self)
            guard start + count <= bytes.count else { return nil }
            key = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
            ownBytes = Int(own & ~EntrySorter.repeatBit)
            mayRepeat = own & EntrySorter.repeatBit != 0
        }
    }

    /// The memory for reading runs, divided among them.
    private static let readBytes = 8 << 20

    let count: Int
    let memory: [UInt8]
    let offsets: [Int]
    let file: RunFile?

    @inline(__always)
    static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        let order = memcmp(left.baseAddress!, right.baseAddress!, min(left.count, right.count))
        return order == 0 ? left.count < right.count : order < 0
    }

    /// Visits every entry; its bytes are valid until the visitor returns.
    func forEach(_ visit: (Entry) throws -> Void) throws {
        guard let file else {
            return try memory.withUnsafeBytes { bytes in
                for offset in offsets { if let entry = Entry(bytes, at: offset) { try visit(entry) } }
            }
        }
        let share = min(max(SortedEntries.readBytes / file.runs.count, 4096), 1 << 18)
        var heap = try file.runs.map { try RunReader(file, $0, bufferBytes: share) }.filter {
            $0.entry != nil
        }
        for place in (0..<heap.count / 2).reversed() { SortedEntries.sink(place, &heap) }
        while let first = heap.first, let entry = first.entry {
            try visit(entry)
            try first.advance()
            if first.entry == nil {
                heap.swapAt(0, heap.count - 1)
                heap.removeLast()
            }
            SortedEntries.sink(0, &heap)
        }
    }

    /// Moves a reader down the heap until no reader below it has an earlier entry.
    private static func sink(_ place: Int, _ heap: inout [RunReader]) {
        var place = place
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if precedes(heap[child].entry!.key, heap[least].entry!.key) { least = child }
            }
            if least == place { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
