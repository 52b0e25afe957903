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
        connection.watchLog()
        return connection
    }

    func connectForReading() throws -> Connection {
        let connection = try connectForMaintenance()
        try connection.map(bytesMax: ConnectionOptions.mappedBytesMax)
        return connection
    }

    /// Reads the whole file now and then. Not through a map, of which every page touched counts as memory of
    /// this process.
    func connectForMaintenance() throws -> Connection {
        let connection = try connect()
        try connection.execute("PRAGMA query_only = ON")
        return connection
    }

    func connectForWriting(creates: Bool = false) throws -> Connection {
        let connection = try connect(creates: creates)
        let level =
            switch durability {
            case .full: "FULL"
            case .normal: "NORMAL"
            case .off: "OFF"
            }
        try connection.execute("PRAGMA synchronous = \(level)")
        // Debian switches it on; overwriting what was deleted costs writes. VACUUM leaves nothing of it.
        try connection.execute("PRAGMA secure_delete = OFF")
        try connection.limit(.small)
        // What a large transaction or a long read made of the log does not stay.
        try connection.execute("PRAGMA journal_size_limit = \(Checkpointer.logPagesMax * 4_096)")
        return connection
    }

    /// Reads come from the file's pages in memory, which all connections share; a map spares a copy of each
    /// page.
    static let mappedBytesMax = 2 << 30
}
