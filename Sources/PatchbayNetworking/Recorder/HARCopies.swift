import PatchbayCore

/// A HAR file that grows and is whole at each moment, however the process ends.
///
/// There are two copies: the file itself, and one beside it that lacks the last entry. An entry is added to the copy,
/// together with what it lacks, and then the two change names. So each entry costs two entries' bytes, never the whole
/// file again.
///
/// - Only files that this recorder made are written to. What had the file's name before is read and replaced, so
///   neither a symbolic nor a hard link leads the recorder to another file.
/// - The names beside the file are random, `PATH.patchbay-0123456789abcdef`, and made only where nothing has them. What
///   a process that was killed leaves behind is removed by the next recorder of the same file.
/// - Where a file cannot have two names the copy is made again each time.
final class HARCopies {
    /// The most bytes that may follow the entries in a file that is added to.
    private static let tailBytesMax = 1 << 20
    private static let chunkBytes = 1 << 20
    /// What follows the file's name in the names beside it, before the random digits.
    private static let mark = ".patchbay-"

    private let path: String
    private let nextPath: String

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
    /// - Throws: `invalidConfiguration` when the path is a link, a folder or a pipe, or the file is no HAR; `busy` when
    ///   another recorder writes to it.
    init(_ path: String, isAdding: Bool, head: [UInt8]) throws {
        self.path = path
        self.head = head
        end = head.count
        nextPath = path + Self.mark + FileSystem.randomName()
        let file = FileSystem.exists(path) ? try PrivateFile(existing: path) : nil
        let next = try PrivateFile(new: nextPath, for: path)
        self.next = next
        try clearLeftovers()
        guard let file else { return }
        try next.takePermissions(of: file)
        if isAdding { try goOn(file) } else { replaced = file }
    }

    deinit {
        // Also runs when `init` throws: a copy that was not made here is another recorder's.
        if next != nil { FileSystem.remove(nextPath) }
    }

    /// Removes what recorders of this file left behind when they were killed.
    ///
    /// - Throws: `busy` when one of them still runs.
    private func clearLeftovers() throws {
        let name = String(path.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
        let folder = name.utf8.count < path.utf8.count ? String(path.dropLast(name.count)) : "./"
        let start = name + Self.mark
        for name in Folder.names(in: folder) ?? []
        where name.hasPrefix(start) && !nextPath.hasSuffix(name) {
            let digits = name.utf8.dropFirst(start.utf8.count)
            guard digits.count == 16, digits.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else {
                continue
            }
            guard FileSystem.isCleared(leftover: folder + name) else { throw PrivateFile.busy(path) }
        }
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
        let copy = try PrivateFile(new: nextPath, for: path)
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

    /// Lets the copy and the file change names. A file that somebody else made is replaced, not kept as the copy.
    private func publish(_ added: [UInt8]) throws {
        let oldPath = path + Self.mark + FileSystem.randomName()
        let hasTwoNames = current?.isOwn == true && FileSystem.link(path, as: oldPath)
        defer { if hasTwoNames { FileSystem.remove(oldPath) } }
        try FileSystem.rename(nextPath, to: path)
        // From here on the entry is in the file, whatever becomes of the copy.
        let isKept = hasTwoNames && FileSystem.isRenamed(oldPath, to: nextPath)
        let old = current
        replaced = nil
        current = next
        nextEnd = isKept ? end : nil
        lag = isKept ? added : []
        end += added.count
        next = isKept ? old : nil
    }
}
