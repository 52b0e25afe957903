import CSQLite
import PatchbayCore
import PatchbaySystem

extension PatchbayError {
    /// Returns the error for a result code of SQLite.
    ///
    /// - Parameters:
    ///   - result: the extended result code.
    ///   - text: SQLite's error message.
    ///   - systemError: errno of the last system call, or 0 when it is not known.
    static func sqlite(_ result: Int32, _ text: String, systemError: Int32, path: String) -> PatchbayError {
        let systemError =
            SystemError(systemError) == .missing ? obstacle(path).number : systemError
        let (code, message) = meaning(result, text, systemError, path)
        let cause = systemError == 0 ? [] : [Detail.systemError(systemError)]
        return PatchbayError(code, message, [.file(path), .note("sqlite", "\(text) (\(result))")] + cause)
    }

    private static func meaning(
        _ result: Int32, _ text: String, _ systemError: Int32, _ path: String
    ) -> (Code, String) {
        switch result & 0xFF {
        case SQLITE_FULL: full
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: denied
        // SQLite gives up with a protocol error when others keep opening a database whose log is to be recovered.
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            (
                .busy,
                "another connection holds the database; try again, or set a longer storage.busy-timeout-ms"
            )
        case SQLITE_NOTADB: (.corrupted, "the file is no longer an SQLite database; restore it from a copy")
        case SQLITE_CORRUPT: damaged
        // Our statements are valid for the tables that were opened, so another program has changed them since.
        case SQLITE_ERROR:
            (
                .corrupted,
                "the tables are not as they were opened: \(text); open the storage again, and if that fails, undo "
                    + "the change of the other program or restore the database"
            )
        case SQLITE_IOERR where result == ioErrorShortRead || result == ioErrorCorruptFileSystem: damaged
        case SQLITE_IOERR where ["", "-wal"].contains { DiskSpace.isUsedUp(forFileAt: path + $0) }: full
        case SQLITE_IOERR, SQLITE_CANTOPEN: meaning(systemError: systemError)
        // Patchbay writes no row this long (`Limits.rowBytes`), so the length of a row or of the schema is damaged.
        case SQLITE_TOOBIG: damaged
        case SQLITE_CONSTRAINT where result == constraintNotNull:
            (.invalidValue, "a field that must have a value is null: \(text)")
        case SQLITE_CONSTRAINT: (.conflict, "two rows have the same values in a unique index: \(text)")
        case SQLITE_NOMEM: (.internalError, "there is not enough memory")
        default: (.internalError, "SQLite failed: \(text)")
        }
    }

    private static func meaning(systemError: Int32) -> (Code, String) {
        let error = SystemError(systemError)
        return switch error {
        case .diskFull, .quotaExceeded, .fileTooLarge: full
        case .accessDenied, .notPermitted, .readOnly, .missing: denied
        case _ where systemError == 0: (.internalError, "the file cannot be read or written")
        default: (.internalError, "the file cannot be read or written: \(error.words)")
        }
    }

    /// Returns why a file cannot be opened for writing. SQLite tries again read-only and then reports that the file
    /// does not exist; the permissions of its folder show the actual reason.
    private static func obstacle(_ path: String) -> SystemError {
        FileSystem.obstacleToWriting(FileSystem.parent(of: path)) ?? .missing
    }

    private static let full = (
        Code.storageFull, "the disk is full and nothing of this write is kept; free some space"
    )
    private static let denied = (
        Code.permissionDenied,
        "the database cannot be opened or written; check the file, its folder and their permissions"
    )
    private static let damaged = (Code.corrupted, "the database is damaged; restore it from a copy")

    // Swift does not import these macros, because they are expressions.
    private static let ioErrorShortRead = SQLITE_IOERR | 2 << 8
    private static let ioErrorCorruptFileSystem = SQLITE_IOERR | 33 << 8
    private static let constraintNotNull = SQLITE_CONSTRAINT | 5 << 8
}
