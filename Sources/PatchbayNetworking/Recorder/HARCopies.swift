import PatchbayCore
import PatchbayJSON
import PatchbaySystem

/// A HAR file that grows and is complete at every moment, however the process ends.
///
/// There are two copies: the file itself, and one beside it that lacks the last entry. A new entry is added to the copy
/// together with the missing one, and then the two swap names. Each entry therefore costs the bytes of two entries
/// instead of the whole file.
///
/// - Only files that this recorder created are written to. An earlier file of the same name is read and replaced, so
///   neither a symbolic nor a hard link can lead the recorder to another file.
/// - The names beside the file are random, `PATH.patchbay-0123456789abcdef`, and are created only if unused. The next
///   recorder of the same file removes the leftovers of a killed process.
/// - On file systems without hard links, the copy is rewritten for each entry.
final class HARCopies {
    /// The maximum number of bytes after the entries in a file that is added to.
    private static let tailBytesMax = 1 << 20
    private static let chunkBytes = 1 << 20
    /// The part of a copy's name between the file's name and the random digits.
    private static let mark = ".patchbay-"

    private let path: String
    private let nextPath: String

    /// The file itself; nil until the first entry of a new file.
    private var current: PrivateFile?
    /// The file that the first entry replaces. It is kept locked so that no other recorder writes to it until then.
    private var replaced: PrivateFile?
    /// The copy; nil until it is needed.
    private var next: PrivateFile?
    /// The end of the entries in the file and in the copy; nil when the copy is empty.
    private var end: Int
    private var nextEnd: Int?
    /// The bytes that the copy lacks: the file's bytes from `nextEnd` to `end`.
    private var lag: [UInt8] = []
    private var hasEntries = false
    /// The bytes before and after the entries.
    private let head: [UInt8]
    private var tail = Array("\n]}}\n".utf8)

    /// - Parameter isAdding: whether to keep the entries of an existing file; otherwise the first entry replaces it.
    /// - Throws: `invalidConfiguration` when the path is a link, a folder or a pipe, or the file is not a HAR file;
    ///   `busy` when another recorder writes to it.
    init(_ path: String, isAdding: Bool, head: [UInt8]) throws {
        self.path = path
        self.head = head
        end = head.count
        nextPath = path + Self.mark + UInt64.random(in: .min ... .max).hexadecimal
        let file = FileSystem.isTaken(path) ? try PrivateFile(existing: path) : nil
        let next = try PrivateFile(new: nextPath, for: path)
        self.next = next
        try clearLeftovers()
        guard let file else { return }
        try next.takePermissions(of: file)
        if isAdding { try resume(file) } else { replaced = file }
    }

    deinit {
        // This also runs when `init` throws. Without `next`, a file at that path belongs to another recorder.
        if next != nil { try? FileSystem.remove(nextPath) }
    }

    /// Removes the leftovers of killed recorders of this file.
    ///
    /// - Throws: `busy` when one of them is still running.
    private func clearLeftovers() throws {
        let name = String(path.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
        let folder = name.utf8.count < path.utf8.count ? String(path.dropLast(name.count)) : "./"
        let start = name + Self.mark
        for name in FileSystem.names(in: folder) ?? []
        where name.hasPrefix(start) && !nextPath.hasSuffix(name) {
            let digits = name.utf8.dropFirst(start.utf8.count)
            guard digits.count == 16, digits.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else {
                continue
            }
            guard PrivateFile.isCleared(leftover: folder + name) else { throw PrivateFile.busy(path) }
        }
    }

    /// Adds one entry, a JSON object.
    ///
    /// - Throws: `storageFull` and other errors of the disk; the file is then unchanged.
    func append(_ entry: [UInt8]) throws {
        let added = Array((hasEntries ? ",\n" : "\n").utf8) + entry
        do {
            let next = try next ?? newCopy()
            let start = try fill(next)
            try next.write(lag + added + tail, at: start)
            try publish(added)
        } catch {
            // An unknown part of the entry reached the copy, so the next entry starts with a new copy.
            nextEnd = nil
            lag = []
            throw error
        }
        hasEntries = true
    }

    private func resume(_ file: PrivateFile) throws {
        var byteCount = 0, found: EntriesEnd?
        do {
            found = try EntriesEnd { count in
                let chunk = try file.read(count, at: byteCount)
                byteCount += chunk.count
                return chunk
            }
        } catch is JSONStreamFault {
            // Reported below.
        }
        guard let place = found else {
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(path)\" is not a complete HAR file and cannot be added to; record into another file")
        }
        guard byteCount - place.offset <= Self.tailBytesMax else {
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(path)\" has more than 1 MiB after its entries; record into another file")
        }
        tail = try file.read(byteCount - place.offset, at: place.offset)
        hasEntries = place.hasEntries
        end = place.offset
        current = file
    }

    private func newCopy() throws -> PrivateFile {
        let copy = try PrivateFile(new: nextPath, for: path)
        if let current { try copy.takePermissions(of: current) }
        next = copy
        return copy
    }

    /// Returns the offset at which the copy continues, after filling an empty copy up to there.
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
                throw PatchbayError(.corrupted, "the recording \"\(path)\" was truncated while recording")
            }
            try next.write(chunk, at: done)
            done += chunk.count
        }
        nextEnd = end
        return end
    }

    /// Swaps the names of the copy and the file. A file that this recorder did not create is replaced, not kept as the
    /// copy.
    private func publish(_ added: [UInt8]) throws {
        let oldPath = path + Self.mark + UInt64.random(in: .min ... .max).hexadecimal
        let hasTwoNames = current?.isOwn == true && (try? FileSystem.link(path, as: oldPath)) != nil
        defer { if hasTwoNames { try? FileSystem.remove(oldPath) } }
        try PrivateFile.rename(nextPath, to: path)
        // From here on the entry is in the file, even if the copy is lost.
        let isKept = hasTwoNames && (try? FileSystem.rename(oldPath, to: nextPath)) != nil
        let old = current
        replaced = nil
        current = next
        nextEnd = isKept ? end : nil
        lag = isKept ? added : []
        end += added.count
        next = isKept ? old : nil
    }
}

/// Where the next entry of a HAR file goes: before the bracket that ends `log.entries`.
///
/// Values are not examined; the reader of the file validates them.
struct EntriesEnd {
    /// The offset of that bracket.
    private(set) var offset = 0
    /// Whether there is an entry before it.
    private(set) var hasEntries = false

    /// - Parameter read: returns the next bytes of the file, at most the given number; empty at its end.
    /// - Returns: nil for a file without a log with entries.
    /// - Throws: ``JSONStreamFault`` for a file that is not complete.
    init?(read: @escaping (_ bytesMax: Int) throws -> [UInt8]) throws {
        var walk = try JSONStreamWalk(valueBytesMax: .max, read: read), isFound = false
        guard try walk.peek() == UInt8(ascii: "{") else { return nil }
        walk.enter()
        while let isLog = try walk.enterMember("log", opening: UInt8(ascii: "{")) {
            guard isLog else { continue }
            while let isEntries = try walk.enterMember("entries", opening: UInt8(ascii: "[")) {
                guard isEntries else { continue }
                (isFound, hasEntries) = (true, false)
                while try walk.nextElement() {
                    try walk.takeValue()
                    hasEntries = true
                }
                offset = walk.offset - 1
            }
        }
        try walk.finish()
        guard isFound else { return nil }
    }
}

extension JSONStreamWalk {
    /// Enters the next member of the object if it has the given name and kind, and skips another one; nil at the end.
    fileprivate mutating func enterMember(_ name: String, opening: UInt8) throws -> Bool? {
        guard let key = try nextKey() else { return nil }
        guard key == name, try peek() == opening else {
            try takeValue()
            return false
        }
        enter()
        return true
    }
}
