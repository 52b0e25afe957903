import PatchbayCore

import CPlatform

/// A new file that is written from start to end.
final class NewFile {
    private static let bufferBytes = 1 << 20

    private let path: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var written = 0
    private var isOpen = true

    /// - Throws: `conflict` when the path exists, `permissionDenied`, `storageFull`.
    init(_ path: String) throws {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { throw PatchbayError(.conflict, "\"\(path)\" already exists") }
            throw PatchbayError.system(errno, "cannot create \"\(path)\"")
        }
        self.path = path
        buffer.reserveCapacity(NewFile.bufferBytes)
    }

    deinit { closeOnce() }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        if buffer.count + bytes.count > NewFile.bufferBytes { try flush() }
        if bytes.count >= NewFile.bufferBytes {
            try unsafe write(bytes, at: written)
            written += bytes.count
        } else {
            unsafe buffer.append(contentsOf: bytes)
        }
    }

    /// Overwrites bytes that were written before.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        var done = 0
        while done < bytes.count {
            let count = unsafe pwrite(
                descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw PatchbayError.system(count == 0 ? ENOSPC : errno, "cannot write \"\(path)\"")
            }
            done += count
        }
    }

    /// Writes and syncs everything, then closes the file.
    func finish() throws {
        try flush()
        guard fsync(descriptor) == 0 else { throw PatchbayError.system(errno, "cannot sync \"\(path)\"") }
        closeOnce()
    }

    /// Closes and removes the file.
    func discard() {
        closeOnce()
        unsafe unlink(path)
    }

    func flush() throws {
        try unsafe buffer.withUnsafeBytes { try unsafe write($0, at: written) }
        written += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    private func closeOnce() {
        if isOpen { close(descriptor) }
        isOpen = false
    }
}
