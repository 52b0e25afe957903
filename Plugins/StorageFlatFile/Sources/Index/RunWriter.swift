import PatchbayCore

/// Writes a run: entries in the order of their keys, then ``finish(sync:)``.
struct RunWriter: ~Copyable {
    private static let chunkBytes = 64 * PageView.byteCount

    private let file: DiskFile
    private let disk: Disk
    private let number: UInt64
    private let page = Page()
    private let buffer = ByteBuffer(capacity: RunWriter.chunkBytes + PageView.byteCount)
    private var written = 0
    private var fences = Fences()
    private var entryCount: UInt64 = 0
    private let sole: SolePart
    private var filter: KeyFilter?

    /// - Parameter filter: an empty one, for the entries' sole parts; nil when the run is to have none.
    init(
        _ path: String, number: UInt64, _ disk: Disk, _ sole: SolePart = .nothing, _ filter: KeyFilter? = nil
    ) throws {
        file = try DiskFile(path, .create, disk)
        self.disk = disk
        self.number = number
        self.sole = sole
        self.filter = filter
    }

    var path: String { file.path }

    mutating func append(_ key: UnsafeRawBufferPointer, _ place: Place) throws {
        entryCount += 1
        if filter != nil, let hash = sole.hash(of: key) { filter?.insert(hash) }
        if !page.insert(key, place, at: page.view.count) {
            try flushPage()
            let fits = page.insert(key, place, at: 0)
            assert(fits, "an empty page has room for any key")
        }
    }

    private mutating func flushPage() throws {
        page.seal(run: number, number: fences.count)
        fences.append(page.view.key(0))
        page.append(to: buffer)
        page.clear()
        if buffer.count >= RunWriter.chunkBytes { try flushBuffer() }
    }

    private mutating func flushBuffer() throws {
        try buffer.withBytes { try file.write($0, at: written) }
        written += buffer.count
        buffer.count = 0
    }

    /// Writes the rest and opens the run; nil when it has no entry.
    mutating func finish(sync: Bool) throws -> Run? {
        guard entryCount > 0 else {
            try disk.remove(file.path)
            return nil
        }
        try flushPage()
        try flushBuffer()
        fences.write(to: buffer)
        for word in [Run.magic, number, entryCount] {
            withUnsafeBytes(of: word.littleEndian) { buffer.append($0) }
        }
        withUnsafeBytes(of: UInt32(fences.count).littleEndian) { buffer.append($0) }
        let checksum = Run.checksum(buffer.base, buffer.count)
        withUnsafeBytes(of: checksum.littleEndian) { buffer.append($0) }
        try flushBuffer()
        if sync { try file.sync() }
        return try Run(file.path, disk, filter)
    }
}
