import PatchbayCore
import PatchbaySystem

/// Excludes other writers from a folder, in this process and others. The kernel frees the lock when the process ends,
/// even when it is killed.
final class FolderLock: Sendable {
    private static let holderBytesMax = 512

    private let file: DiskFile

    /// Takes the lock; nil when another writer holds it.
    init?(_ folder: Folder) throws {
        let file = try folder.open(FileName.lock, .creatingIfMissing)
        guard try file.lock() else { return nil }
        self.file = file
        let status = try file.status()
        // The folder was removed meanwhile, and another one may have been created.
        if status.links == 0 { return nil }
        // The program without its arguments, which may contain secrets.
        let program = FolderPath(CommandLine.arguments.first ?? "", folder.disk).name
        let holder = Array("\(Disk.processIdentifier) (\(program))\n".utf8)
        do {
            // The line first: to empty the file would free its block on the disk, for each process.
            try unsafe file.write(holder.span.bytes, at: 0)
            if status.bytes > holder.count { try file.truncate(to: holder.count) }
        } catch let error as PatchbayError where error.code == .storageFull {
            // The lock is still valid; only the name of its holder is missing.
            try? file.truncate(to: 0)
        }
    }

    // Closing alone would leave the lock to a child process that is just being started: until its `exec` it
    // holds the same open file.
    deinit { file.unlock() }

    /// The error for a folder that another process has kept open for writing for too long, naming that process.
    static func busy(_ folder: Folder, after waited: Duration) -> PatchbayError {
        let milliseconds = Int(waited / .milliseconds(1))
        let advice =
            "for writing, and still was after \(milliseconds) ms; close it there, or set a longer "
            + "storage.busy-timeout-ms"
        let buffer = ByteBuffer(capacity: holderBytesMax)
        // Without the process number the message is less useful, but still true.
        let file = try? folder.open(FileName.lock, .reading)
        buffer.count = unsafe (try? file?.read(holderBytesMax, at: 0, into: buffer.base)) ?? 0
        let holder = buffer.copyBytes().prefix { $0 != 0x0A }
        let pid = String(decoding: holder.prefix(while: \.isASCIIDigit), as: UTF8.self)
        // Another program may have written the file.
        guard !pid.isEmpty, holder.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return PatchbayError(.busy, "\"\(folder.path)\" is open in another process \(advice)")
        }
        return PatchbayError(
            .busy,
            "\"\(folder.path)\" is open in process \(String(decoding: holder, as: UTF8.self)) \(advice)",
            [.note("pid", pid)])
    }
}
