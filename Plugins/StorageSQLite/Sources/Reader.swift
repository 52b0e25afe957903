import PatchbayCore

/// A connection that reads, one snapshot at a time. The pool lends it to one task at a time.
final class Reader {
    private let connection: Connection
    let transaction: ReadTransaction
    /// While this statement stands on its row, every other one on the connection sees the same snapshot: an
    /// implicit transaction ends with its last active statement. That costs half of BEGIN, a first read and
    /// COMMIT.
    private let snapshot: Statement

    init(_ collections: [Collection], _ options: ConnectionOptions) throws {
        connection = try options.connectForReading()
        transaction = ReadTransaction(collections, connection)
        snapshot = try connection.prepare("PRAGMA data_version")
    }

    func read<Result>(_ body: (any StorageReader) throws -> Result) throws -> Result {
        defer { snapshot.reset() }
        _ = try snapshot.step()
        return try body(transaction)
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
