import PatchbayCore

/// Keeps other processes, and other openers in this one, away from a folder. The kernel frees it when the process
/// ends, however it ends.
final class FolderLock: Sendable {
    private let file: DiskFile

    /// - Throws: `busy` naming the process that holds the folder.
    init(_ layout: FolderLayout, _ disk: Disk) throws {
        let exists = try disk.kind(of: layout.lock) != .nothing
        let file = try DiskFile(layout.lock, exists ? .readWrite : .create, disk)
        guard try file.lock() else { throw FolderLock.busy(layout, file) }
        self.file = file
        try file.truncate(to: 0)
        try Array("\(Disk.processIdentifier)\n".utf8).withUnsafeBytes { try file.write($0.bytes, at: 0) }
    }

    private static func busy(_ layout: FolderLayout, _ file: DiskFile) -> PatchbayError {
        let buffer = ByteBuffer(capacity: 16)
        // Without the number the message is less useful, but still true.
        buffer.count = (try? file.read(16, at: 0, into: buffer.base)) ?? 0
        let digits = buffer.withBytes { bytes in
            bytes.withUnsafeBytes { String(decoding: $0.prefix { (0x30...0x39).contains($0) }, as: UTF8.self) }
        }
        let holder = digits.isEmpty ? "another process" : "process \(digits)"
        return PatchbayError(
            .busy, "\"\(layout.path)\" is open in \(holder); close it there or set another path",
            digits.isEmpty ? [:] : ["pid": digits])
    }
}
