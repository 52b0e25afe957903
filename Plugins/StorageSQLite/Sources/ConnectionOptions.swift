import PatchbayCore

/// The settings with which connections to one database are opened.
struct ConnectionOptions: Sendable {
    var path: String
    var durability: Durability
    var busyTimeoutMilliseconds: Int
    var reach = Reach.writing

    func connect() throws -> Connection {
        let connection = try Connection(
            path: path, reach: reach, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
        // Triggers and views that another program added to the file must not call functions with side effects.
        try connection.execute("PRAGMA trusted_schema = OFF")
        connection.watchLog()
        return connection
    }

    /// - Parameter opened: a connection that nothing else uses any more; nil to open one.
    func connectForReading(_ opened: Connection? = nil) throws -> Connection {
        let connection = try connectForMaintenance(opened)
        try connection.map(bytesMax: ConnectionOptions.mappedBytesMax)
        return connection
    }

    /// Opens a connection for occasional reads of the whole file. It uses no memory map, because every mapped page
    /// that is touched counts as memory of this process.
    func connectForMaintenance(_ opened: Connection? = nil) throws -> Connection {
        let connection = try opened ?? connect()
        try connection.execute("PRAGMA query_only = ON")
        return connection
    }

    /// Runs a read. If the files are open for reading only and change during the read, it is run again, under the locks
    /// of the process that writes.
    func reading<Result>(_ body: (ConnectionOptions) throws -> Result) throws -> Result {
        guard reach != .writing else { return try body(self) }
        // A process that ends at once leaves nothing to lock.
        for _ in 0..<3 {
            let state = try ReadingState(path)
            do {
                return try state.guarding { try body(reaching(state)) }
            } catch let error as PatchbayError where error.code == .busy && !state.reach.isLocked {}
        }
        let state = try ReadingState(path)
        return try state.guarding { try body(reaching(state)) }
    }

    /// Returns the options for reading files in the given state.
    func reaching(_ state: ReadingState?) -> ConnectionOptions {
        var options = self
        options.reach = state?.reach ?? reach
        return options
    }

    func connectForWriting() throws -> Connection {
        let connection = try connect()
        try prepareForWriting(connection)
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
        // Debian enables it. Overwriting deleted data costs extra writes, and VACUUM removes the data anyway.
        try connection.execute("PRAGMA secure_delete = OFF")
        try connection.limit(.small)
        // Truncates a log that a large transaction or a long read has made larger.
        try connection.execute("PRAGMA journal_size_limit = \(Checkpointer.logPagesMax * 4_096)")
    }

    /// The largest memory map of a reader. The map shares the system's page cache among all connections and saves
    /// copying each page.
    static let mappedBytesMax = 2 << 30
}
