#if Live
import PatchbayCore
import PatchbaySystem

/// A Unix domain socket that this server has created in the file system.
struct UnixSocket: Sendable {
    let path: String
    let descriptor: CInt
    private let identity: FileStatus.Identity?

    /// Binds a socket with mode 0600, replacing a stale one of an earlier server.
    ///
    /// - Throws: `busy` when another server answers there; `conflict` when the path is not a socket; `permissionDenied`
    ///   or `notFound` when the folder is not writable or missing.
    init(at path: String) throws {
        guard let address = UnixAddress(path: path) else {
            throw PatchbayError(.invalidConfiguration, "the path \"\(path)\" is too long for a socket")
        }
        try Self.removeStale(path, address)
        do throws(SystemError) {
            descriptor = try address.bind(mode: 0o600)
        } catch {
            throw Self.failure(path, error)
        }
        self.path = path
        identity = FileStatus(at: path, isLinkFollowed: false)?.identity
    }

    /// Removes the socket's file, unless another one has replaced it.
    func remove() {
        guard let identity, FileStatus(at: path, isLinkFollowed: false)?.identity == identity else { return }
        // If this fails, the next server replaces the stale file.
        try? FileSystem.remove(path)
    }

    private static func removeStale(_ path: String, _ address: UnixAddress) throws {
        guard let status = FileStatus(at: path, isLinkFollowed: false) else { return }
        guard status.isSocket else {
            throw PatchbayError(
                .conflict, "\"\(path)\" is not a socket; listen on another path")
        }
        do throws(SystemError) {
            try address.probe()
        } catch  where error == .connectionRefused {
            return try removeUnused(path)
        } catch  where error != .tryAgain {
            throw failure(path, error)
        } catch {}
        throw PatchbayError(
            .busy, "another server listens on \"\(path)\"; stop it, or listen on another path")
    }

    private static func removeUnused(_ path: String) throws {
        do throws(SystemError) {
            try FileSystem.remove(path)
        } catch  where error == .missing {
            // Another server has removed it.
        } catch {
            throw failure(path, error)
        }
    }

    private static func failure(_ path: String, _ error: SystemError) -> PatchbayError {
        let code = PatchbayError.Code(systemError: error.number)
        let advice =
            switch code {
            case .notFound: "; create its folder, or listen on another path"
            case .permissionDenied: "; change the permissions of its folder, or listen on another path"
            default: ""
            }
        return PatchbayError(code, "the socket \"\(path)\" cannot be opened: \(error.words)\(advice)")
    }
}
#endif
