import PatchbayCore

/// How connections to one database are opened.
struct ConnectionOptions: Sendable {
    var path: String
    var durability: Durability
    var busyTimeoutMilliseconds: Int

    func connect(creates: Bool = false) throws -> Connection {
        let connection = try Connection(
            path: path, creates: creates, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
        // Triggers and views that somebody put into the file must not call functions with effects.
        try connection.execute("PRAGMA trusted_schema = OFF")
        try connection.execute("PRAGMA mmap_size = \(ConnectionOptions.mappedBytesMax)")
        return connection
    }

    func connectForReading() throws -> Connection {
        let connection = try connect()
        try connection.execute("PRAGMA query_only = ON")
        return connection
    }

    func prepareForWriting(_ connection: Connection) throws {
        let level =
            switch durability {
            case .full: "FULL"
            case .normal: "NORMAL"
            case .off: "OFF"
            }
        try connection.execute("PRAGMA synchronous = \(level)")
        // Freed pages keep their old bytes; overwriting them costs writes.
        try connection.execute("PRAGMA secure_delete = FAST")
        try connection.execute("PRAGMA cache_size = -\(ConnectionOptions.writerCacheKiB)")
    }

    /// Reads come from the file's pages in memory, which all connections share; a map spares a copy of each page.
    private static let mappedBytesMax = 2 << 30
    /// Holds the pages that a large transaction changes.
    private static let writerCacheKiB = 16 << 10
}
