import CPlatform
import PatchbayCore

/// Reads small files that the user or the system's administrator wrote.
///
/// A file is opened once, and the open file is checked: it must be a regular file that belongs to the user or root.
/// Links are followed, because the file at their end is checked. A pipe or device never blocks the reader.
enum FileReading {
    /// The permissions of other users that make a file unfit.
    enum Privacy {
        /// Others may read the file, but not write to it.
        case readable
        /// Others may neither read nor write the file.
        case secret
    }

    /// Why a file is not read, as a phrase that follows its name.
    struct Fault: Error {
        let words: String
    }

    /// Returns the file's bytes, or nil when the file does not exist.
    static func bytes(of path: String, bytesMax: Int, _ privacy: Privacy) throws(Fault) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if descriptor < 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw Fault(words: "cannot be opened: \(PatchbayError.systemWords(errno))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw Fault(words: "cannot be examined: \(PatchbayError.systemWords(errno))")
        }
        if let words = privacy.fault(in: status) { throw Fault(words: words) }
        return try bytes(from: descriptor, bytesMax: bytesMax)
    }

    private static func bytes(from descriptor: Int32, bytesMax: Int) throws(Fault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
        var count = 0
        while count < bytes.count {
            let got = unsafe bytes.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress! + count, $0.count - count)
            }
            if got == 0 { break }
            if got < 0, errno != EINTR {
                throw Fault(words: "cannot be read: \(PatchbayError.systemWords(errno))")
            }
            count += max(0, got)
        }
        guard count <= bytesMax else { throw Fault(words: "has more than \(bytesMax) bytes") }
        return Array(bytes.prefix(count))
    }

    /// Whether a file or folder exists.
    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Whether something other than a folder exists at the path.
    ///
    /// - Throws: `invalidConfiguration` for a folder and for a path that cannot be examined.
    static func isFile(_ path: String) throws -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return false }
            throw failure(path, "cannot be examined: \(PatchbayError.systemWords(errno))")
        }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw failure(path, "is a folder") }
        return true
    }

    static func failure(_ path: String, _ problem: String) -> PatchbayError {
        PatchbayError(.invalidConfiguration, "the file \"\(path)\" \(problem)")
    }
}

extension FileReading.Privacy {
    /// Returns why a file is unfit, or nil.
    fileprivate func fault(in status: stat) -> String? {
        let mode = status.st_mode
        switch mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: return "is a folder"
        default: return "is not a regular file"
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            return "belongs to another user (uid \(status.st_uid)); make a copy that belongs to you"
        }
        switch self {
        case .readable where mode & S_IWOTH != 0 || (mode & S_IWGRP != 0 && !status.hasPrivateGroup):
            return "can be written by others; prevent that with chmod go-w"
        case .secret where mode & (S_IRGRP | S_IROTH) != 0:
            return "can be read by others; prevent that with chmod 600"
        case .secret where mode & (S_IWGRP | S_IWOTH) != 0:
            return "can be written by others; prevent that with chmod 600"
        default: return nil
        }
    }
}

extension stat {
    /// Whether the group belongs to the owner alone. Debian and Ubuntu give each user such a group with the user's
    /// id, and their umask lets it write to every new file.
    fileprivate var hasPrivateGroup: Bool { st_gid == st_uid }
}
