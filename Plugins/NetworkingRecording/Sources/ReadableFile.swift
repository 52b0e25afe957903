import PatchbayCore
import CPlatform

// All C calls and unsafe code of the plugin. A comment at each use explains why it is safe.

/// A file that is open for reading. It is closed when the value is destroyed.
struct ReadableFile: ~Copyable {
    let path: String
    let stamp: FileStatus.Stamp
    private let descriptor: CInt

    /// - Throws: `invalidConfiguration` when the file does not exist or is not a regular file; `permissionDenied` when
    ///   it may not be read.
    init(_ path: String) throws {
        // O_NONBLOCK avoids waiting for a writer when the path is a named pipe.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw systemError(errno, path) }
        do {
            guard let status = FileStatus(descriptor: descriptor) else { throw systemError(errno, path) }
            guard status.kind == .file else {
                throw PatchbayError(
                    .invalidConfiguration, "the recording \"\(path)\" is not a file; name a HAR file")
            }
            self.init(descriptor, path, status.stamp)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private init(_ descriptor: CInt, _ path: String, _ stamp: FileStatus.Stamp) {
        self.descriptor = descriptor
        self.path = path
        self.stamp = stamp
    }

    deinit { close(descriptor) }

    /// Returns the contents of a file below a folder.
    ///
    /// - Parameter names: the folders below `folder`, and the file. None is a link, even if it changes meanwhile.
    static func bytes(attached names: [String], in folder: String) throws(AttachedBody.Fault) -> [UInt8] {
        let name = names.joined(separator: "/")
        var descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        for (index, part) in names.enumerated() where descriptor >= 0 {
            let kind = index == names.count - 1 ? O_NONBLOCK : O_DIRECTORY
            let inner = unsafe openat(descriptor, part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | kind)
            let code = errno
            close(descriptor)
            errno = code
            descriptor = inner
        }
        guard descriptor >= 0 else { throw fault(errno, name) }
        guard let status = FileStatus(descriptor: descriptor), status.kind == .file else {
            close(descriptor)
            throw .link(name)
        }
        let file = ReadableFile(descriptor, name, status.stamp)
        guard status.bytes <= HARFile.entryBytesMax else { throw .tooLarge(name) }
        do {
            return try file.bytes(at: 0, count: status.bytes)
        } catch {
            throw .unreadable(name, (error as? PatchbayError)?.message ?? "\(error)")
        }
    }

    private static func fault(_ code: CInt, _ name: String) -> AttachedBody.Fault {
        switch code {
        case ENOENT: .missing(name)
        // A folder in the way is a link or a file.
        case ELOOP, ENOTDIR: .link(name)
        default: .unreadable(name, PatchbayError.systemWords(code))
        }
    }

    /// Returns `count` bytes from an offset, or fewer at the end of the file.
    func bytes(at offset: Int, count: Int) throws -> [UInt8] {
        var code: CInt = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                // Safe: writes at most the rest of the buffer's capacity.
                let size = unsafe pread(
                    descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
                if size < 0, errno == EINTR { continue }
                if size < 0 { code = errno }
                if size <= 0 { break }
                filled += size
            }
        }
        guard code == 0 else { throw systemError(code, path) }
        return bytes
    }
}

/// Queries of the file system by path.
enum FileSystem {
    /// - Throws: `invalidConfiguration` when nothing exists at the path.
    static func isFolder(_ path: String) throws -> Bool {
        guard let status = FileStatus(at: path) else { throw systemError(errno, path) }
        return status.kind == .folder
    }

    /// Returns the names in a folder in byte order, without hidden ones.
    static func names(inFolder path: String) throws -> [String] {
        guard let names = Folder.names(in: path) else { throw systemError(errno, path) }
        return names.filter { !$0.hasPrefix(".") }
    }
}

private func systemError(_ code: CInt, _ path: String) -> PatchbayError {
    switch code {
    case ENOENT, ENOTDIR:
        PatchbayError(
            .invalidConfiguration,
            "the recording \"\(path)\" does not exist; name a HAR file, or a folder of HAR files")
    case EACCES, EPERM:
        PatchbayError(.permissionDenied, "the recording \"\(path)\" may not be read; change its permissions")
    default:
        PatchbayError(
            .invalidConfiguration,
            "the recording \"\(path)\" cannot be read: \(PatchbayError.systemWords(code))")
    }
}
