import PatchbayCore

/// How connections to one database are opened.
struct ConnectionOptions: Sendable {
    var path: String
    var durability: Durability
    var busyTimeoutMilliseconds: Int
    var reach = Reach.writing

    func connect() throws -> Connection {
        let connection = try Connection(
            path: path, reach: reach, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
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

    /// Runs what reads, over files that may be written or, when they are not, as they stand now.
    func reading<Result>(_ body: (ConnectionOptions) throws -> Result) throws -> Result {
        guard reach != .writing else { return try body(self) }
        let state = try ReadingState(path)
        return try state.guarding { try body(reaching(state)) }
    }

    /// The same for files that are read as they stood.
    func reaching(_ state: ReadingState?) -> ConnectionOptions {
        var options = self
        options.reach = state?.reach ?? reach
        return options
    }

    func connectForWriting() throws -> Connection {
        let connection = try connect()
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
