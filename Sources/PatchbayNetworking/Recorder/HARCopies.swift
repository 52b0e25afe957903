import PatchbayCore

/// A HAR file that grows and is whole at each moment, however the process ends.
///
/// There are two copies: the file itself, and one beside it, `PATH.next`, that lacks the last entry. An entry is added
/// to the copy, together with what it lacks, and then the two change names. So each entry costs two entries' bytes, never
/// the whole file again.
///
/// Where a file cannot have two names the copy is made anew each time.
final class HARCopies {
    /// The most bytes that may follow the entries in a file that is added to.
    private static let tailBytesMax = 1 << 20
    private static let chunkBytes = 1 << 20

    private let path: String
    private var nextPath: String { path + ".next" }
    private var previousPath: String { path + ".previous" }

    /// The file itself; nil until the first entry when it is made anew.
    private var current: PrivateFile?
    private var next: PrivateFile
    /// Where the entries end, in the file itself and in the copy; nil when the copy is empty.
    private var end: Int
    private var nextEnd: Int?
    /// What the copy lacks: the file's bytes from `nextEnd` to `end`.
    private var lag: [UInt8] = []
    private var hasEntries = false
    /// What comes before and behind the entries.
    private let head: [UInt8]
    private var tail = Array("\n]}}\n".utf8)

    /// - Parameter isAdding: keeps what a file of this path holds; else the first entry replaces it.
    /// - Throws: `invalidConfiguration` when the file is no HAR; `busy` when another recorder writes to it.
    init(_ path: String, isAdding: Bool, head: [UInt8]) throws {
        let path = FileSystem.resolved(path)
        self.path = path
        self.head = head
        next = try PrivateFile(path + ".next")
        end = head.count
        try next.empty()
        FileSystem.remove(path + ".previous")
        if isAdding, FileSystem.exists(path) { try continueFile() }
    }

    deinit { FileSystem.remove(path + ".next") }

    /// Adds one entry, a JSON object.
    ///
    /// - Throws: `storageFull` and other errors of the disk; then the file is as it was.
    func append(_ entry: [UInt8]) throws {
        let added = Array((hasEntries ? ",\n" : "\n").utf8) + entry
        let start = try startOfNext()
        try next.write(lag + added + tail, at: start)
        try publish(added)
        hasEntries = true
    }

    private func continueFile() throws {
        let file = try PrivateFile(path)
        var place = EntriesEnd()
        while case let chunk = try file.read(Self.chunkBytes, at: place.byteCount), !chunk.isEmpty {
            place.take(chunk)
        }
        guard place.isSound, let offset = place.offset else {
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(path)\" is no whole HAR file, so nothing can be added; record into another file")
        }
        guard place.byteCount - offset <= Self.tailBytesMax else {
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(path)\" holds more than 1 MiB behind its entries; record into another file")
        }
        try next.takePermissions(of: file)
        tail = try file.read(place.byteCount - offset, at: offset)
        hasEntries = place.hasEntries
        end = offset
        current = file
    }

    /// Where the copy goes on, filled up to there first when it is empty.
    private func startOfNext() throws -> Int {
        if let nextEnd { return nextEnd }
        lag = []
        guard let current else {
            try next.write(head, at: 0)
            return end
        }
        var done = 0
        while done < end {
            let chunk = try current.read(min(Self.chunkBytes, end - done), at: done)
            guard !chunk.isEmpty else {
                throw PatchbayError(.corrupted, "the recording \"\(path)\" was cut while it was recorded")
            }
            try next.write(chunk, at: done)
            done += chunk.count
        }
        nextEnd = end
        return end
    }

    /// Lets the copy and the file change names.
    private func publish(_ added: [UInt8]) throws {
        let isKept = current != nil && FileSystem.link(path, as: previousPath)
        try FileSystem.rename(nextPath, to: path)
        if isKept { try FileSystem.rename(previousPath, to: nextPath) }
        let old = current
        current = next
        if isKept, let old {
            next = old
            nextEnd = end
            lag = added
        } else {
            next = try PrivateFile(nextPath)
            nextEnd = nil
        }
        end += added.count
    }
}
