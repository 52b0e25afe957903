import CSQLite
import Testing

/// A connection of another program to the same database. Safe, because the handle is nil once it is closed.
@safe final class RawConnection {
    private var handle: OpaquePointer?

    init(_ path: String) throws { try #require(unsafe sqlite3_open(path, &handle) == SQLITE_OK) }

    /// Runs statements. If the last one returns rows, it stays on the first.
    func run(_ sql: String) throws {
        let parts = sql.split(separator: ";").map(String.init)
        for part in parts {
            var statement: OpaquePointer?
            try #require(unsafe sqlite3_prepare_v2(handle, part, -1, &statement, nil) == SQLITE_OK)
            let result = unsafe sqlite3_step(statement)
            try #require(result == SQLITE_ROW || result == SQLITE_DONE, "\(part): \(result)")
            if result == SQLITE_DONE || part != parts.last { unsafe sqlite3_finalize(statement) }
        }
    }

    func close() {
        if unsafe handle == nil { return }
        while let statement = unsafe sqlite3_next_stmt(handle, nil) { unsafe sqlite3_finalize(statement) }
        unsafe sqlite3_close(handle)
        unsafe handle = nil
    }

    deinit { close() }
}

// SQLite's own mutex admits one thread at a time; `close` is called last.
extension RawConnection: @unchecked Sendable {}
