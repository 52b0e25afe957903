import CPlatform

/// The status of a file or folder.
package struct FileStatus: Sendable {
    package enum Kind: Sendable { case file, folder, link, pipe, other }

    /// Identifies a file independently of its path. A file system gives the number of a removed file to the next one,
    /// so the time of creation is a part.
    package struct Identity: Hashable, Sendable {
        package let device, number: UInt64
        /// When the file was created, in nanoseconds since 1970; 0 where that is not recorded.
        package let born: Int64
    }

    /// A value that changes when the file is replaced or written.
    package struct Stamp: Hashable, Sendable {
        package let identity: Identity
        package let bytes: Int
        let seconds, nanoseconds: Int
    }

    private var status = patchbay_status()

    /// Fails when nothing is found at the path; `errno` contains the reason.
    ///
    /// - Parameters:
    ///   - folder: the open folder in which the path starts; nil for the current one.
    ///   - isLinkFollowed: false to read the status of a link itself.
    package init?(at path: String, in folder: Int32? = nil, isLinkFollowed: Bool = true) {
        // The system call would take an empty path for the folder itself.
        guard !path.isEmpty else {
            errno = ENOENT
            return nil
        }
        guard unsafe patchbay_read_status(folder ?? AT_FDCWD, path, isLinkFollowed ? 1 : 0, &status) == 0
        else { return nil }
    }

    /// Fails as ``init(at:in:isLinkFollowed:)`` does.
    package init?(descriptor: Int32) {
        guard unsafe patchbay_read_status(descriptor, "", 1, &status) == 0 else { return nil }
    }

    /// The status of the file at a path; nil when nothing is there.
    package static func of(_ path: String, isLinkFollowed: Bool = true) throws(SystemError) -> FileStatus? {
        if let status = FileStatus(at: path, isLinkFollowed: isLinkFollowed) { return status }
        guard errno == ENOENT else { throw .last }
        return nil
    }

    package var kind: Kind {
        switch status.mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        case S_IFIFO: .pipe
        default: .other
        }
    }
    package var isSocket: Bool { status.mode & S_IFMT == S_IFSOCK }
    package var identity: Identity {
        let born = Int64(status.born.tv_sec) &* 1_000_000_000 &+ Int64(status.born.tv_nsec)
        return Identity(device: UInt64(status.device), number: UInt64(status.number), born: born)
    }
    package var stamp: Stamp {
        let time = status.modified
        return Stamp(identity: identity, bytes: bytes, seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }
    package var bytes: Int { Int(status.bytes) }
    /// Less than the length for a file with holes.
    package var bytesOnDisk: Int { Int(status.blocks) * 512 }
    /// The number of names (hard links).
    package var links: Int { Int(status.links) }
    /// The permissions.
    package var mode: UInt32 { status.mode & 0o777 }
    /// The ids of the owner and of the group.
    package var owner: UInt32 { status.owner }
    package var group: UInt32 { status.group }
    /// Whether the file belongs to the user of this process.
    package var isOwn: Bool { status.owner == geteuid() }
}
