import CSQLite

/// How much of the database a connection keeps in memory of its own.
enum PageCache: Int {
    /// SQLite's own default, which holds what a short transaction changes. All pages of a long-lived process's
    /// small transactions would fill a larger one in time.
    case small = 2_048
    /// Holds what a long transaction changes, before it goes to the log page by page.
    case large = 16_384

    var kibibytes: Int { rawValue }
}

extension Connection {
    /// Sets the limit of the page cache. What a smaller one does not hold is given back at once.
    func limit(_ cache: PageCache) throws {
        guard cache != pageCache else { return }
        try execute("PRAGMA cache_size = -\(cache.kibibytes)")
        pageCache = cache
    }

    /// Runs work on many pages, such as a migration, with a large cache.
    func withLargeCache(_ body: () throws -> Void) throws {
        try limit(.large)
        do {
            try body()
        } catch {
            try limit(.small)
            throw error
        }
        try limit(.small)
    }

    /// Maps so much of the file into memory to read it there; 0 ends that. No statement may stand on a row.
    func map(bytesMax: Int) throws { try execute("PRAGMA mmap_size = \(bytesMax)") }

    /// The bytes of pages that the connection keeps in memory of its own.
    var cachedBytes: Int {
        var now: Int32 = 0, most: Int32 = 0
        let result = unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &now, &most, 0)
        assert(result == SQLITE_OK)
        return Int(now)
    }
}
