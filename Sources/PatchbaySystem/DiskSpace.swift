import CPlatform

/// Checks whether there is room to write.
///
/// An engine that could write only part of its bytes reports only that writing failed; the reason must be determined
/// separately.
package enum DiskSpace {
    /// With less free space, in bytes, no storage can commit.
    private static let bytesMin = 1 << 20

    /// Whether a system error number means that there is no room: the disk is full, the quota is exceeded, or the file
    /// has reached its size limit.
    package static func isUsedUp(_ errorNumber: Int32) -> Bool {
        [ENOSPC, EDQUOT, EFBIG].contains(errorNumber)
    }

    /// Whether a file cannot grow, because less than 1 MiB is free on its disk or below the process's limit on the size
    /// of a file (`ulimit -f`).
    package static func isUsedUp(forFileAt path: String) -> Bool {
        isDiskFull(path) || isAtSizeLimit(path)
    }

    private static func isDiskFull(_ path: String) -> Bool {
        freeBytes(at: path).map { $0 < bytesMin } ?? false
    }

    /// The bytes on the disk of a file or folder that this user may still write; nil when nothing is at the path.
    package static func freeBytes(at path: String) -> Int? {
        var disk = statvfs()
        guard unsafe statvfs(path, &disk) == 0 else { return nil }
        return Int(disk.f_bavail) * Int(disk.f_frsize)
    }

    private static func isAtSizeLimit(_ path: String) -> Bool {
        var limit = rlimit()
        guard let file = FileStatus(at: path), unsafe getrlimit(patchbay_limit_file_size, &limit) == 0 else {
            return false
        }
        return UInt64(file.bytes) + UInt64(bytesMin) > UInt64(limit.rlim_cur)
    }
}
