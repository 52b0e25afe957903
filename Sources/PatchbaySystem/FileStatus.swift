import CPlatform

/// The status of a file or folder.
package struct FileStatus: Sendable {
    package enum Kind: Sendable { case file, folder, link, pipe, other }

    /// Identifies a file independently of its path.
    package struct Identity: Hashable, Sendable {
        package let device, number: UInt64
    }

    /// A value that changes when the file is replaced or written.
    package struct Stamp: Hashable, Sendable {
        package let identity: Identity
        package let bytes: Int
        let seconds, nanoseconds: Int
    }

    private var status = stat()

    /// Fails when nothing is found at the path; `errno` contains the reason.
    ///
    /// - Parameters:
    ///   - folder: the open folder in which the path starts; nil for the current one.
    ///   - isLinkFollowed: false to read the status of a link itself.
    package init?(at path: String, in folder: Int32? = nil, isLinkFollowed: Bool = true) {
        let flags = isLinkFollowed ? 0 : AT_SYMLINK_NOFOLLOW
        guard unsafe fstatat(folder ?? AT_FDCWD, path, &status, flags) == 0 else { return nil }
    }

    /// Fails as ``init(at:in:isLinkFollowed:)`` does.
    package init?(descriptor: Int32) {
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    }

    /// The status of the file at a path; nil when nothing is there.
    package static func of(_ path: String, isLinkFollowed: Bool = true) throws(SystemError) -> FileStatus? {
        if let status = FileStatus(at: path, isLinkFollowed: isLinkFollowed) { return status }
        guard errno == ENOENT else { throw .last }
        return nil
    }

    package var kind: Kind {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        case S_IFIFO: .pipe
        default: .other
        }
    }
    package var identity: Identity { Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino)) }
    package var stamp: Stamp {
        let time = status.st_mtim
        return Stamp(identity: identity, bytes: bytes, seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }
    package var bytes: Int { Int(status.st_size) }
    /// Less than the length for a file with holes.
    package var bytesOnDisk: Int { Int(status.st_blocks) * 512 }
    /// The number of names (hard links).
    package var links: Int { Int(status.st_nlink) }
    /// The permissions.
    package var mode: UInt32 { status.st_mode & 0o777 }
    /// The ids of the owner and of the group.
    package var owner: UInt32 { status.st_uid }
    package var group: UInt32 { status.st_gid }
    /// Whether the file belongs to the user of this process.
    package var isOwn: Bool { status.st_uid == geteuid() }
}
