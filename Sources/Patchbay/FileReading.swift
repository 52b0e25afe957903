#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import PatchbayCore

/// Small files, read whole.
enum FileReading {
    /// The file's bytes; nil when there is no such file.
    ///
    /// - Throws: `invalidConfiguration` when it cannot be read, is a folder, or is larger than `bytesMax`.
    static func bytes(of path: String, bytesMax: Int) throws -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure(path, "cannot be opened: \(message(errno))")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress! + count, $0.count - count)
            }
            if got == 0 { break }
            if got < 0, errno != EINTR { throw failure(path, "cannot be read: \(message(errno))") }
            count += max(0, got)
        }
        guard count <= bytesMax else { throw failure(path, "has more than \(bytesMax) bytes") }
        return Array(bytes.prefix(count))
    }

    /// Whether a file or folder is there.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether something other than a folder is there.
    ///
    /// - Throws: `invalidConfiguration` for a folder.
    static func isFile(_ path: String) throws -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw failure(path, "is a folder") }
        return true
    }

    /// Makes a folder and those above it, as the default place for data.
    static func makeFolders(_ path: String) throws {
        var made = ""
        for name in path.split(separator: "/") {
            made += "/" + name
            if unsafe mkdir(made, 0o755) != 0, errno != EEXIST {
                let code: PatchbayError.Code =
                    errno == EACCES || errno == EROFS ? .permissionDenied : .internalError
                throw PatchbayError(code, "cannot make the folder \"\(made)\": \(message(errno))")
            }
        }
    }

    private static func failure(_ path: String, _ problem: String) -> PatchbayError {
        PatchbayError(.invalidConfiguration, "the file \"\(path)\" \(problem)")
    }

    private static func message(_ code: Int32) -> String {
        unsafe String(cString: strerror(code)).lowercased()
    }
}
