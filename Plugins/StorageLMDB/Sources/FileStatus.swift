import CLMDB
import PatchbayCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the file system says about a file or folder.
struct FileStatus {
    /// Names a file by what it is, not by its path.
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    let bytes: Int
    let identity: Identity

    /// Nil when there is nothing.
    init?(path: String) throws {
        let status = patchbay_status_of_path(path)
        if status.error == ENOENT { return nil }
        try self.init(status, path)
    }

    /// - Parameter path: for the message.
    init(descriptor: Int32, path: String) throws {
        try self.init(patchbay_status_of_file(descriptor), path)
    }

    private init(_ status: patchbay_file_status, _ path: String) throws {
        guard status.error == 0 else { throw PatchbayError.system(status.error, "cannot open \"\(path)\"") }
        bytes = Int(status.bytes)
        identity = Identity(device: status.device, number: status.number)
    }
}
