#if Live
import CPlatform
import PatchbayCore
import PatchbaySystem

/// A Unix domain socket that this server has created in the file system.
struct UnixSocket: Sendable {
    let path: String
    let descriptor: CInt
    private let device: dev_t
    private let inode: ino_t

    /// Binds a socket with mode 0600, replacing a stale one of an earlier server.
    ///
    /// - Throws: `busy` when another server answers there; `conflict` when the path is not a socket; `permissionDenied`
    ///   or `notFound` when the folder is not writable or missing.
    init(at path: String) throws {
        guard var address = UnixAddress(path: path) else {
            throw PatchbayError(.invalidConfiguration, "the path \"\(path)\" is too long for a socket")
        }
        try Self.removeStale(path, address)
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        // Linux creates the file with the socket's mode, less the umask, so no other user can connect in between.
        // Changing the umask would affect files that other threads create.
        var status = stat()
        guard fchmod(descriptor, 0o600) == 0,
            unsafe address.withPointer({ unsafe bind(descriptor, $0, $1) }) == 0,
            unsafe lstat(path, &status) == 0
        else {
            let number = errno
            close(descriptor)
            throw Self.failure(path, number)
        }
        self.path = path
        self.descriptor = descriptor
        device = status.st_dev
        inode = status.st_ino
    }

    /// Removes the socket's file, unless another one has replaced it.
    func remove() {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else {
            return
        }
        // If this fails, the next server replaces the stale file.
        _ = unsafe unlink(path)
    }

    private static func removeStale(_ path: String, _ address: UnixAddress) throws {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw PatchbayError(
                .conflict, "\"\(path)\" is not a socket; listen on another path")
        }
        let probe = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { throw failure(path, errno) }
        defer { close(probe) }
        var address = address
        let answer = unsafe address.withPointer { unsafe connect(probe, $0, $1) }
        guard answer != 0, errno == ECONNREFUSED else {
            if answer != 0, errno != EAGAIN { throw failure(path, errno) }
            throw PatchbayError(
                .busy, "another server listens on \"\(path)\"; stop it, or listen on another path")
        }
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure(path, errno) }
    }

    private static func failure(_ path: String, _ number: CInt) -> PatchbayError {
        let code = PatchbayError.Code(systemError: number)
        let words = SystemError(number).words
        let advice =
            switch code {
            case .notFound: "; create its folder, or listen on another path"
            case .permissionDenied: "; change the permissions of its folder, or listen on another path"
            default: ""
            }
        return PatchbayError(code, "the socket \"\(path)\" cannot be opened: \(words)\(advice)")
    }
}
#endif
