import PatchbayCore

/// Writes entries one after another on its own thread.
actor RecordingFile {
    /// The maximum number of entries that one recorder writes, which is also the maximum of a replay.
    static let entriesMax = 1_000_000

    private let executor = BlockingExecutor(label: "patchbay.recorder")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let path: String
    /// Nil after `close`.
    private var copies: HARCopies?
    private var entryCount = 0

    init(_ path: String, isAdding: Bool) throws {
        self.path = path
        copies = try HARCopies(path, isAdding: isAdding, head: HAREntry.fileHead)
    }

    func append(_ entry: [UInt8]) throws {
        guard entryCount < Self.entriesMax else {
            throw PatchbayError(
                .storageFull, "the recording \"\(path)\" has \(Self.entriesMax) new entries; start another")
        }
        guard let copies else {
            throw PatchbayError(.busy, "the recording \"\(path)\" was closed; open the source again")
        }
        try copies.append(entry)
        entryCount += 1
    }

    func close() { copies = nil }
}
