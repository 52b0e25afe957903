import PatchbayCore

/// Excludes other writers from a folder, in this process and others. The kernel frees the lock when the process ends,
/// even when it is killed.
final class FolderLock: Sendable {
    private static let holderBytesMax = 80

    private let file: DiskFile

    /// Takes the lock; nil when another writer holds it.
    init?(_ folder: Folder) throws {
        let file = try folder.open(FileName.lock, .createOrKeep)
        guard try file.lock() else { return nil }
        self.file = file
        // The folder was removed meanwhile, and another one may have been created.
        if try file.isRemoved() { return nil }
        let holder = "\(Disk.processIdentifier) \(FolderLock.command)".utf8.prefix(
            FolderLock.holderBytesMax - 1)
        do {
            try file.truncate(to: 0)
            try unsafe (Array(holder) + [0x0A]).withUnsafeBytes { try unsafe file.write($0.bytes, at: 0) }
        } catch let error as PatchbayError where error.code == .storageFull {
            // The lock is still valid; only the name of its holder is missing.
        }
    }

    // Closing alone would leave the lock to a child process that is just being started: until its `exec` it
    // holds the same open file.
    deinit { file.unlock() }

    /// The name of this process's program, without its arguments, which may contain secrets.
    private static var command: String {
        let path = CommandLine.arguments.first ?? ""
        return String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    }

    /// The error for a folder that another process has kept open for writing for too long, naming that process.
    static func busy(_ folder: Folder, after waited: Duration) -> PatchbayError {
        let milliseconds = Int(waited / .milliseconds(1))
        let advice =
            "for writing, and still was after \(milliseconds) ms; close it there, or set a longer busy-timeout-ms"
        let buffer = ByteBuffer(capacity: holderBytesMax)
        // Without the process number the message is less useful, but still true.
        let file = try? folder.open(FileName.lock, .read)
        buffer.count = unsafe (try? file?.read(holderBytesMax, at: 0, into: buffer.base)) ?? 0
        let words = buffer.copyBytes().prefix { $0 != 0x0A }.split(separator: 0x20, maxSplits: 1)
        guard let digits = words.first, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return PatchbayError(.busy, "\"\(folder.path)\" is open in another process \(advice)")
        }
        let pid = String(decoding: digits, as: UTF8.self)
        // Another program may have written the file.
        let isPlain = words.count == 2 && words[1].allSatisfy { (0x20...0x7E).contains($0) }
        let command = isPlain ? String(decoding: words[1], as: UTF8.self) : ""
        return PatchbayError(
            .busy,
            "\"\(folder.path)\" is open in process \(pid)\(command.isEmpty ? "" : " (\(command))") \(advice)",
            [.note("pid", pid)])
    }
}
