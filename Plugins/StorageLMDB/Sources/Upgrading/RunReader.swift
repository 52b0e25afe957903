import PatchbayCore

/// Reads one run of a file, a buffer at a time.
final class RunReader {
    /// The current entry, valid until `advance`; nil after the last one.
    private(set) var entry: SortedEntries.Entry?
    private let file: RunFile
    private let buffer: UnsafeMutableRawBufferPointer
    private var rest: Range<Int>
    private var filled = 0
    private var offset = 0

    /// - Parameter bufferBytes: more than the size of any entry.
    init(_ file: RunFile, _ run: Range<Int>, bufferBytes: Int) throws {
        self.file = file
        rest = run
        buffer = .allocate(byteCount: bufferBytes, alignment: 8)
        try advance()
    }

    deinit { buffer.deallocate() }

    func advance() throws {
        if let entry { offset += EntrySorter.headerBytes + entry.key.count }
        entry = next()
        if entry == nil, !rest.isEmpty {
            try refill()
            entry = next()
        }
    }

    private func next() -> SortedEntries.Entry? {
        SortedEntries.Entry(UnsafeRawBufferPointer(rebasing: buffer[..<filled]), at: offset)
    }

    /// Moves the unread bytes to the front and reads more after them.
    private func refill() throws {
        let left = filled - offset
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[offset..<filled]))
        let count = min(buffer.count - left, rest.count)
        try file.read(into: .init(rebasing: buffer[left..<left + count]), at: rest.lowerBound)
        rest = rest.lowerBound + count..<rest.upperBound
        filled = left + count
        offset = 0
    }
}
