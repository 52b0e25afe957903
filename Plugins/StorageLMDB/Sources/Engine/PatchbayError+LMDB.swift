import CLMDB
import PatchbayCore
import PatchbaySystem

extension PatchbayError {
    /// The error for a code that LMDB returned: one of its own (negative) or the operating system's.
    ///
    /// - Parameters:
    ///   - doing: the failed operation, such as "commit", for the message.
    ///   - path: the environment's folder.
    static func lmdb(_ code: Int32, _ doing: String, _ path: String) -> PatchbayError {
        let reason = unsafe String(cString: mdb_strerror(code))
        let details: [Detail] = [.file(path + "/data.mdb"), .note("operation", doing)]
        switch code {
        case MDB_INVALID, MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_VERSION_MISMATCH, MDB_PANIC, MDB_CURSOR_FULL:
            return PatchbayError(
                .corrupted, "the storage \"\(path)\" is damaged (\(reason)); restore it from a copy", details)
        case MDB_MAP_FULL:
            return PatchbayError(
                .storageFull,
                "the storage \"\(path)\" has reached its maximum size; raise storage.size-mib-max", details)
        case MDB_MAP_RESIZED:
            return PatchbayError(
                .busy,
                "another process has grown the storage \"\(path)\" beyond this one's storage.size-mib-max; "
                    + "raise it or open the storage again", details)
        case MDB_READERS_FULL:
            return PatchbayError(
                .busy,
                "other processes hold all \(Environment.readersMax) reader places of \"\(path)\"; "
                    + "try again or end some of them", details)
        // LMDB returns EIO for a short write.
        case SystemError.inputOutput.number where DiskSpace.isUsedUp(forFileAt: path + "/data.mdb"):
            return system(SystemError.diskFull.number, "cannot \(doing) the storage \"\(path)\"", details)
        case ..<0: return PatchbayError(.internalError, "cannot \(doing) \"\(path)\": \(reason)", details)
        default: return system(code, "cannot \(doing) the storage \"\(path)\"", details)
        }
    }
}
