import PatchbayCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// All C calls and unsafe code of the plugin. Each line says why it holds.

/// A file that is open for reading. It is closed when it goes out of use.
struct ReadableFile: ~Copyable {
    let path: String
    let stamp: FileStamp
    private let descriptor: CInt

    /// - Throws: `invalidConfiguration` when there is no such file, `permissionDenied` when it may not be
    ///   read.
    init(_ path: String) throws {
        // Does not wait for a writer when the path is a named pipe.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw systemError(errno, path) }
        do {
            try self.init(descriptor, path, FileStamp(ofFile: descriptor, path))
        } catch {
            close(descriptor)
            throw error
        }
    }

    private init(_ descriptor: CInt, _ path: String, _ stamp: FileStamp) {
        self.descriptor = descriptor
        self.path = path
        self.stamp = stamp
    }

    deinit { close(descriptor) }

    /// The bytes from an offset on: `count` of them, or fewer where the file ends.
    func bytes(at offset: Int, count: Int) throws -> [UInt8] {
        var code: CInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                // Holds: writes at most the rest of the buffer's capacity.
                let size = pread(
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

/// What tells whether a file has changed.
struct FileStamp: Hashable, Sendable {
    let sizeBytes: Int
    let modifiedSeconds: Int
    let modifiedNanoseconds: Int

    fileprivate init(ofFile descriptor: CInt, _ path: String) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw systemError(errno, path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw PatchbayError(
                .invalidConfiguration, "the recording \"\(path)\" is no file; name a HAR file")
        }
        sizeBytes = Int(status.st_size)
        modifiedSeconds = status.st_mtim.tv_sec
        modifiedNanoseconds = status.st_mtim.tv_nsec
    }
}

/// A look at the file system by path.
enum FileSystem {
    /// - Throws: `invalidConfiguration` when nothing has that path.
    static func isFolder(_ path: String) throws -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { throw systemError(errno, path) }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    /// The names in a folder, in the order of their bytes, without hidden ones.
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
            "the recording \"\(path)\" does not exist; name a HAR file, or a folder with some")
    case EACCES, EPERM:
        PatchbayError(.permissionDenied, "the recording \"\(path)\" may not be read; change its permissions")
    default:
        // Holds: strerror returns a C string that lives until the thread's next call.
        PatchbayError(
            .invalidConfiguration,
            "the recording \"\(path)\" cannot be read: \(String(cString: strerror(code)))")
    }
}
