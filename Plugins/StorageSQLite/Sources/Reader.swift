import PatchbayCore

/// A connection that reads, one snapshot at a time. The pool lends it to one task at a time.
final class Reader {
    private let connection: Connection
    let transaction: ReadTransaction
    /// While this statement stands on its row, every other one on the connection sees the same snapshot: an
    /// implicit transaction ends with its last active statement. That costs half of BEGIN, a first read and
    /// COMMIT.
    private let snapshot: Statement

    /// The files as they stood when the reader was opened; nil when they may be written.
    let files: ReadingState?

    init(_ collections: [CollectionSchema], _ options: ConnectionOptions, _ files: ReadingState? = nil)
        throws
    {
        self.files = files
        connection = try options.reaching(files).connectForReading()
        transaction = ReadTransaction(collections, connection)
        snapshot = try connection.prepare("PRAGMA data_version")
    }

    func read<Result>(_ body: (any StorageReader) throws -> Result) throws -> Result {
        guard let files else { return try readSnapshot(body) }
        return try files.guarding { try readSnapshot(body) }
    }

    private func readSnapshot<Result>(_ body: (any StorageReader) throws -> Result) throws -> Result {
        defer {
            snapshot.reset()
            if transaction.rowsScanned >= Reader.rowsBetweenMaps { mapAnew() }
        }
        _ = try snapshot.step()
        return try body(transaction)
    }

    /// Scanned rows after which the connection maps the file anew: the pages of the old map, which count as memory of
    /// this process, are given back. A walk in batches would otherwise take as much memory as the file has.
    private static let rowsBetweenMaps = 32_768

    private func mapAnew() {
        transaction.rowsScanned = 0
        // Only memory is at stake: without a map, and with the old one, reads give the same.
        try? connection.map(bytesMax: 0)
        try? connection.map(bytesMax: ConnectionOptions.mappedBytesMax)
    }

    /// What the connection says of one of its settings.
    func setting(_ name: String) throws -> String { try connection.text("PRAGMA \(name)") }

    /// A number that changes when another connection commits.
    func dataVersion() throws -> UInt64 {
        defer { snapshot.reset() }
        return try snapshot.step() ? UInt64(bitPattern: snapshot.integer(0)) : 0
    }
}

// One task at a time uses a reader: ReaderPool takes it out of its list before it lends it.
extension Reader: @unchecked Sendable {}
