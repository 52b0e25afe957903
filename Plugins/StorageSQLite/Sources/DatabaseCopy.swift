import CSQLite
import PatchbayCore

/// Copies a database as of one moment, page by page, into a new file that appears under its name when it is
/// whole.
///
/// By `sqlite3_backup`, because it tells how far it is and copies pages as they stand. `VACUUM INTO` builds
/// every index anew and tells nothing. A snapshot held meanwhile keeps the copy from beginning again at each
/// commit.
struct DatabaseCopy {
    let source: ConnectionOptions
    let path: String
    /// Whether an older copy under the name gives way.
    var replaces = false
    /// Pages between two looks at the progress: 2 MiB.
    private static let pagesAtOnce: Int32 = 512

    /// - Throws: `conflict` when something is at the path, unless it is to be replaced. Nothing stays behind.
    func run(_ progress: WorkProgress.Handler) throws {
        let target = DatabaseFile(path: path)
        if !replaces { try target.checkIsFree() }
        // A migration copies under the file's lock, so what has its name was left by one that was ended.
        let suffix =
            replaces ? ".unfinished" : ".unfinished-" + String(UInt32.random(in: 0...(.max)), radix: 16)
        let aside = try target.createAside(suffix, permissionsOf: DatabaseFile(path: source.path))
        do {
            try source.reading { try copy(from: $0, to: aside, progress) }
            try aside.synchronize()
            if !replaces { try target.checkIsFree() }
            try aside.move(to: target)
        } catch {
            aside.remove()
            throw error
        }
        try target.synchronizeFolder()
    }

    private func copy(
        from source: ConnectionOptions, to file: DatabaseFile, _ progress: WorkProgress.Handler
    ) throws {
        let original = try source.connectForMaintenance()
        try original.execute("BEGIN")
        _ = try original.integer("SELECT count(*) FROM sqlite_schema")
        let copy = try Connection(path: file.path, busyTimeoutMilliseconds: 0)
        // Nobody knows the file yet, so nobody would roll it back.
        try copy.execute("PRAGMA journal_mode = OFF")
        try copy.execute("PRAGMA synchronous = OFF")
        guard let backup = unsafe sqlite3_backup_init(copy.handle, "main", original.handle, "main") else {
            throw copy.failure(unsafe sqlite3_errcode(copy.handle))
        }
        var result = SQLITE_OK
        while result == SQLITE_OK, !Task.isCancelled {
            result = unsafe sqlite3_backup_step(backup, DatabaseCopy.pagesAtOnce)
            let total = Int(unsafe sqlite3_backup_pagecount(backup))
            let left = Int(unsafe sqlite3_backup_remaining(backup))
            progress(WorkProgress("copying the pages of \(source.path)", done: total - left, of: total))
        }
        unsafe sqlite3_backup_finish(backup)
        try Task.checkCancellation()
        guard result == SQLITE_DONE else {
            throw (result & 0xFF == SQLITE_CORRUPT ? original : copy).failure(result)
        }
    }
}
