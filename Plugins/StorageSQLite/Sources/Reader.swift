import PatchbayCore

/// A connection for reads, one snapshot at a time. The pool lends it to one task at a time.
final class Reader {
    private let connection: Connection
    let transaction: ReadTransaction
    /// While this statement is positioned on its row, all other statements on the connection see the same snapshot,
    /// because an implicit transaction ends with its last active statement. This costs half as much as BEGIN, a first
    /// read and COMMIT.
    private let snapshot: Statement

    /// The state of the files when the reader was opened; nil when they may be written.
    private let files: ReadingState?

    /// - Parameter opened: a connection that nothing else uses any more; nil to open one.
    init(
        _ collections: [CollectionSchema], _ options: ConnectionOptions, _ opened: Connection? = nil
    ) throws {
        files = options.reach == .writing ? nil : try ReadingState(options.path)
        connection = try options.reaching(files).connectForReading(opened)
        transaction = ReadTransaction(collections, connection, canMap: true)
        snapshot = try connection.prepare("PRAGMA data_version")
        // Between two reads it must not keep writers from anything.
        if files?.reach == .alone { connection.releaseFile() }
    }

    /// Whether the files are those that were opened.
    ///
    /// - Throws: `notFound` when the database does not exist any more.
    func isCurrent() throws -> Bool { try files?.isCurrent() ?? true }

    func read<Result>(_ body: (any StorageReader) throws -> Result) throws -> Result {
        guard let files else { return try readSnapshot(body) }
        let isAlone = files.reach == .alone
        if isAlone { connection.holdFile() }
        defer { if isAlone { connection.releaseFile() } }
        return try files.guarding { try readSnapshot(body) }
    }

    private func readSnapshot<Result>(_ body: (any StorageReader) throws -> Result) throws -> Result {
        defer {
            snapshot.reset()
            transaction.mapUse.end()
        }
        _ = try snapshot.step()
        return try body(transaction)
    }

    /// Returns the effective value of one of SQLite's settings.
    func setting(_ name: String) throws -> String { try connection.text("PRAGMA \(name)") }

    /// Returns a number that changes when another connection commits.
    func dataVersion() throws -> UInt64 {
        defer { snapshot.reset() }
        return try snapshot.step() ? UInt64(bitPattern: snapshot.integer(0)) : 0
    }
}

// One task at a time uses a reader: the pool takes it out of its list before it lends it.
extension Reader: @unchecked Sendable {}
