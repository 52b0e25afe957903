import PatchbayCore

/// Keeps other processes, and other openers in this one, away from a folder. The kernel frees it when the
/// process ends, however it ends.
final class FolderLock: Sendable {
    private static let holderBytesMax = 80

    private let file: DiskFile

    /// - Throws: `busy` naming the process that holds the folder.
    init(_ layout: FolderLayout, _ disk: Disk) throws {
        let file = try DiskFile(layout.lock, .createOrKeep, disk)
        guard try file.lock() else { throw FolderLock.busy(layout, file) }
        self.file = file
        let holder = "\(Disk.processIdentifier) \(FolderLock.command)".utf8.prefix(
            FolderLock.holderBytesMax - 1)
        try file.truncate(to: 0)
        try (Array(holder) + [0x0A]).withUnsafeBytes { try file.write($0.bytes, at: 0) }
    }

    // Closing alone would leave the lock to a child process that is just being started: until its `exec` it
    // holds the same open file.
    deinit { file.unlock() }

    /// The name of this process's program; its arguments may hold secrets.
    private static var command: String {
        let path = CommandLine.arguments.first ?? ""
        return String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    }

    private static func busy(_ layout: FolderLayout, _ file: DiskFile) -> PatchbayError {
        let buffer = ByteBuffer(capacity: holderBytesMax)
        // Without the number the message is less useful, but still true.
        buffer.count = (try? file.read(holderBytesMax, at: 0, into: buffer.base)) ?? 0
        let words = buffer.copyBytes().prefix { $0 != 0x0A }.split(separator: 0x20, maxSplits: 1)
        guard let digits = words.first, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return PatchbayError(
                .busy, "\"\(layout.path)\" is open in another process; close it there or set another path")
        }
        let pid = String(decoding: digits, as: UTF8.self)
        // The file is text from outside.
        let isPlain = words.count == 2 && words[1].allSatisfy { (0x20...0x7E).contains($0) }
        let command = isPlain ? String(decoding: words[1], as: UTF8.self) : ""
        return PatchbayError(
            .busy,
            "\"\(layout.path)\" is open in process \(pid)\(command.isEmpty ? "" : " (\(command))"); "
                + "close it there or set another path",
            ["pid": pid].merging(command.isEmpty ? [:] : ["command": command]) { $1 })
    }
}
