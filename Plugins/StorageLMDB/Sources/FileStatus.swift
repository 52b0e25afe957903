import CLMDB
import PatchbayCore

import CPlatform

/// The status of a file or folder.
struct FileStatus {
    /// Identifies a file independently of its path.
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    let bytes: Int
    /// Less than the length for a file with holes.
    let bytesOnDisk: Int
    let isFolder: Bool
    /// Whether it is a regular file.
    let isFile: Bool
    /// Whether it is a regular file without a second name (hard link).
    let isOwnFile: Bool
    /// The permissions.
    let mode: UInt32
    let identity: Identity

    /// Fails when the path does not exist.
    ///
    /// - Parameter isLinkFollowed: false to read the status of a link itself.
    init?(path: String, isLinkFollowed: Bool = true) throws {
        let status = unsafe isLinkFollowed ? patchbay_status_of_path(path) : patchbay_status_of_name(path)
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
        bytesOnDisk = Int(status.bytes_on_disk)
        isFolder = status.is_folder != 0
        isFile = status.is_file != 0
        isOwnFile = status.is_own_file != 0
        mode = UInt32(status.mode)
        identity = Identity(device: status.device, number: status.number)
    }
}
