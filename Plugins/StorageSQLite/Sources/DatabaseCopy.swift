import PatchbayCore

/// Copies a snapshot of a database, page by page, into a new file that gets its name only when it is complete.
///
/// It uses `sqlite3_backup`, which reports progress and copies pages unchanged. `VACUUM INTO` would rebuild every
/// index and report nothing. An open snapshot keeps the copy from starting over at each commit.
struct DatabaseCopy {
    let source: ConnectionOptions
    let path: String
    /// Whether an existing copy at the path is overwritten.
    var replaces = false
    /// The number of pages copied between two progress reports: 2 MiB.
    private static let pagesAtOnce: Int32 = 512

    /// - Throws: `conflict` when `replaces` is false and the path, or the name of a log or journal of the copy, is
    ///   taken. A failed copy leaves no file.
    func run(_ progress: WorkProgress.Handler) throws {
        let target = DatabaseFile(path: path)
        if !replaces { try checkIsFree() }
        let unfinished =
            replaces ? StoragePlace.unfinishedReplacement(path) : StoragePlace.unfinished(path)
        let aside = try DatabaseFile(path: unfinished).created(
            withPermissionsOf: DatabaseFile(path: source.path))
        do {
            try source.reading { try copy(from: $0, to: aside, progress) }
            try aside.synchronize()
            if replaces { try aside.move(to: target) } else { try place(aside, target) }
        } catch {
            aside.remove()
            throw error
        }
        try target.synchronizeFolder()
    }

    private func place(_ aside: DatabaseFile, _ target: DatabaseFile) throws {
        try checkIsFree()
        guard try aside.moveToNew(target) else { throw StoragePlace.taken(path) }
    }

    /// SQLite would take a log or a journal beside the copy for the copy's own.
    private func checkIsFree() throws {
        for suffix in [""] + DatabaseFile.suffixesBeside { try StoragePlace.checkIsFree(at: path + suffix) }
    }

    private func copy(
        from source: ConnectionOptions, to file: DatabaseFile, _ progress: WorkProgress.Handler
    ) throws {
        let original = try source.connectForMaintenance()
        try original.execute("BEGIN")
        _ = try original.integer("SELECT count(*) FROM sqlite_schema")
        let copy = try Connection(path: file.path, busyTimeoutMilliseconds: 0)
        // No other process uses the file yet, so it needs no rollback journal.
        try copy.execute("PRAGMA journal_mode = OFF")
        try copy.execute("PRAGMA synchronous = OFF")
        try original.copyPages(to: copy, atOnce: DatabaseCopy.pagesAtOnce) { done, total in
            progress(WorkProgress("copying the pages of \(source.path)", done: done, of: total))
        }
    }
}
