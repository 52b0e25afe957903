/// The memory that a connection may use for its own page cache.
enum PageCache: Int {
    /// SQLite's default, which is enough for the changes of a short transaction. In a long-lived process, small
    /// transactions would eventually fill a larger cache.
    case small = 2_048
    /// Holds the changes of a long transaction, which otherwise go to the log page by page.
    case large = 16_384

    var kibibytes: Int { rawValue }
}

extension Connection {
    /// Sets the limit of the page cache. A smaller limit releases the excess memory at once.
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

    /// Maps up to the given number of bytes of the file into memory and reads from there; 0 unmaps it. Every
    /// statement must have been reset.
    func map(bytesMax: Int) throws { try execute("PRAGMA mmap_size = \(bytesMax)") }
}
