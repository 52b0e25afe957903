import PatchbayCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file of sorted runs, one after another. It is unlinked as soon as it is open, so that nothing remains however the
/// process ends.
final class RunFile {
    private static let bufferBytes = 1 << 18

    private(set) var runs: [Range<Int>] = []
    private let path: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// The number of bytes in the file, and the start of the run that is being written.
    private var written = 0
    private var runStart = 0

    /// - Throws: `storageFull`, `permissionDenied`.
    init(_ path: String) throws {
        try FileSystem.removeFile(path)
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw PatchbayError.system(errno, "cannot create \"\(path)\"") }
        unlink(path)
        self.path = path
        buffer.reserveCapacity(RunFile.bufferBytes)
    }

    deinit { close(descriptor) }

    /// - Parameter entry: shorter than the buffer.
    func append(_ entry: UnsafeRawBufferPointer) throws {
        if buffer.count + entry.count > RunFile.bufferBytes { try flush() }
        buffer.append(contentsOf: entry)
    }

    func endRun() throws {
        try flush()
        runs.append(runStart..<written)
        runStart = written
    }

    /// Reads some bytes of the file.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws {
        var done = 0
        while done < bytes.count {
            let count = pread(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw PatchbayError.system(count == 0 ? EIO : errno, "cannot read \"\(path)\"")
            }
            done += count
        }
    }

    private func flush() throws {
        var done = 0
        while done < buffer.count {
            let count = buffer.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + done, $0.count - done, off_t(written + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw PatchbayError.system(count == 0 ? ENOSPC : errno, "cannot write \"\(path)\"")
            }
            done += count
        }
        written += done
        buffer.removeAll(keepingCapacity: true)
    }
}
