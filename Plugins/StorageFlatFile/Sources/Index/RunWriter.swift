import PatchbayCore

/// Writes a run: entries in the order of their keys, then ``finish(sync:)``.
struct RunWriter: ~Copyable {
    private static let chunkBytes = 64 * PageView.byteCount

    /// The folder of the file; nil when the run stays in memory.
    private let folder: Folder?
    private let file: DiskFile?
    private let number: UInt64
    private let page = Page()
    private let buffer = ByteBuffer(capacity: RunWriter.chunkBytes + PageView.byteCount)
    private var written = 0
    private var fences = Fences()
    private var entryCount: UInt64 = 0
    private let sole: SolePart
    private var filter: KeyFilter?

    /// - Parameter filter: an empty one, for the entries' sole parts; nil when the run is to have none.
    /// - Parameter folder: where to create the file; nil when the run is to stay in memory.
    init(
        _ number: UInt64, in folder: Folder?, _ sole: SolePart = .nothing, _ filter: KeyFilter? = nil
    ) throws {
        file = try folder?.open(FileName.run(number), .create)
        self.folder = folder
        self.number = number
        self.sole = sole
        self.filter = filter
    }

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
        guard let file else { return }
        try buffer.withBytes { try file.write($0, at: written) }
        written += buffer.count
        buffer.count = 0
    }

    /// Writes the rest and opens the run; nil when it has no entry.
    mutating func finish(sync: Bool) throws -> Run? {
        guard entryCount > 0 else {
            try remove()
            return nil
        }
        try flushPage()
        try flushBuffer()
        let pagesEnd = buffer.count
        fences.write(to: buffer)
        for word in [Run.magic, number, entryCount] {
            withUnsafeBytes(of: word.littleEndian) { buffer.append($0) }
        }
        withUnsafeBytes(of: UInt32(fences.count).littleEndian) { buffer.append($0) }
        let checksum = Run.checksum(buffer.base + pagesEnd, buffer.count - pagesEnd)
        withUnsafeBytes(of: checksum.littleEndian) { buffer.append($0) }
        guard let folder, let file else { return Run(buffer, number, filter) }
        try flushBuffer()
        if sync { try file.sync() }
        return try Run(folder.open(FileName.run(number), .read), filter)
    }

    func remove() throws { try folder?.remove(FileName.run(number)) }
}
