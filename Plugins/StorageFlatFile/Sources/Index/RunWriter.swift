import PatchbayCore

/// Writes a run: entries in the order of their keys, then ``finish(sync:)``.
struct RunWriter: ~Copyable {
    private static let chunkBytes = 64 * PageView.byteCount

    private let folder: Folder
    private let file: DiskFile
    private let number: UInt64
    private let page = Page()
    private let buffer = ByteBuffer(capacity: RunWriter.chunkBytes + PageView.byteCount)
    private let fences = ByteBuffer()
    private var written = 0
    private var pageCount = 0
    private var entryCount: UInt64 = 0
    private let sole: SolePart
    private var filter: KeyFilter?

    /// - Parameter filter: an empty one, for the entries' sole parts; nil when the run is to have none.
    init(
        _ number: UInt64, in folder: Folder, _ sole: SolePart = .nothing, _ filter: KeyFilter? = nil
    ) throws {
        file = try folder.open(FileName.run(number), .create)
        self.folder = folder
        self.number = number
        self.sole = sole
        self.filter = filter
    }

    mutating func append(_ key: UnsafeRawBufferPointer, _ place: Place) throws {
        entryCount += 1
        if filter != nil, let hash = unsafe sole.hash(of: key) { filter?.insert(hash) }
        if unsafe !page.insert(key, place, at: page.view.count) {
            try flushPage()
            let fits = unsafe page.insert(key, place, at: 0)
            assert(fits, "an empty page has room for any key")
        }
    }

    private mutating func flushPage() throws {
        let key = unsafe page.view.key(0)
        fences.append(UInt16(key.count))
        unsafe fences.append(key)
        page.seal(run: number, number: pageCount)
        page.append(to: buffer)
        page.clear()
        pageCount += 1
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
            try remove()
            return nil
        }
        try flushPage()
        for word in [Run.magic, number, entryCount] { fences.append(word) }
        fences.append(UInt32(pageCount))
        unsafe fences.append(Run.checksum(fences.base, fences.count))
        unsafe buffer.append(UnsafeRawBufferPointer(start: fences.base, count: fences.count))
        try flushBuffer()
        if sync { try file.sync() }
        return try Run(folder.open(FileName.run(number), .read), filter)
    }

    func remove() throws { try folder.remove(FileName.run(number)) }
}
