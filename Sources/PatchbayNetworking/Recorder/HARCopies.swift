import PatchbayCore

/// A HAR file that grows and is whole at each moment, however the process ends.
///
/// There are two copies: the file itself, and one beside it, `PATH.next`, that lacks the last entry. An entry is added
/// to the copy, together with what it lacks, and then the two change names. So each entry costs two entries' bytes,
/// never the whole file again.
///
/// Where a file cannot have two names the copy is made anew each time. A process that was killed leaves the copy
/// behind; the next recorder takes it over.
final class HARCopies {
    /// The most bytes that may follow the entries in a file that is added to.
    private static let tailBytesMax = 1 << 20
    private static let chunkBytes = 1 << 20

    private let path: String
    private var nextPath: String { path + ".next" }
    private var previousPath: String { path + ".previous" }

    /// The file itself; nil until the first entry when it is made anew.
    private var current: PrivateFile?
    /// The file that the first entry replaces, so that no other recorder writes to it until then.
    private var replaced: PrivateFile?
    /// The copy; nil until it is needed.
    private var next: PrivateFile?
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
        end = head.count
        let next = try PrivateFile(path + ".next")
        self.next = next
        guard FileSystem.exists(path) else { return }
        let file = try PrivateFile(path)
        try next.takePermissions(of: file)
        if isAdding { try goOn(file) } else { replaced = file }
    }

    deinit {
        // Also runs when `init` throws: a copy that was not opened here is another recorder's.
        if next != nil { FileSystem.remove(nextPath) }
    }

    /// Adds one entry, a JSON object.
    ///
    /// - Throws: `storageFull` and other errors of the disk; then the file is as it was.
    func append(_ entry: [UInt8]) throws {
        let added = Array((hasEntries ? ",\n" : "\n").utf8) + entry
        do {
            let next = try next ?? newCopy()
            let start = try fill(next)
            try next.write(lag + added + tail, at: start)
            try publish(added)
        } catch {
            // Nobody knows how much of it reached the copy, so the next entry begins with a new one.
            nextEnd = nil
            lag = []
            throw error
        }
        hasEntries = true
    }

    private func goOn(_ file: PrivateFile) throws {
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
        tail = try file.read(place.byteCount - offset, at: offset)
        hasEntries = place.hasEntries
        end = offset
        current = file
    }

    private func newCopy() throws -> PrivateFile {
        let copy = try PrivateFile(nextPath)
        if let current { try copy.takePermissions(of: current) }
        next = copy
        return copy
    }

    /// Where the copy goes on, filled up to there first when it is empty.
    private func fill(_ next: PrivateFile) throws -> Int {
        if let nextEnd { return nextEnd }
        try next.empty()
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
        FileSystem.remove(previousPath)
        let hasTwoNames = current != nil && FileSystem.link(path, as: previousPath)
        try FileSystem.rename(nextPath, to: path)
        // From here on the entry is in the file, whatever becomes of the copy.
        let isKept = hasTwoNames && FileSystem.isRenamed(previousPath, to: nextPath)
        let old = current
        replaced = nil
        current = next
        nextEnd = isKept ? end : nil
        lag = isKept ? added : []
        end += added.count
        next = isKept ? old : nil
    }
}
