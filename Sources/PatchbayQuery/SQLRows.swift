/// The rows of an answer, which are read once, while the statement produces them.
///
///     let rows = try await gateway.query("SELECT login, type FROM users WHERE id < :most", ["most": 100])
///     for try await row in rows { print(row[0], row[1]) }
///     if let limit = rows.ending?.limit { print("incomplete:", limit) }
///
/// A statement that takes less than a millisecond and returns less than 128 rows runs on the thread of the caller, as
/// reads of the storage do. Any other runs on a thread of its own, and pauses while 4 MiB of rows wait. It ends with
/// its deadline (``SQLLimits/time``), when the task is cancelled, and when neither the rows nor an iterator exist any
/// longer.
public struct SQLRows: AsyncSequence, Sendable {
    /// The names of the columns; two may have the same name.
    public let columns: [String]
    let session: SQLSession

    /// How the answer ended; nil before its last row was read.
    public var ending: SQLEnding? { session.buffer.ending }

    /// Creates an iterator, which continues where another one has stopped. Several tasks that each have one share the
    /// rows.
    public func makeAsyncIterator() -> Iterator { Iterator(session: session) }

    /// Returns the rows one by one.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let session: SQLSession
        private var rows: ArraySlice<SQLRow> = []

        fileprivate init(session: SQLSession) { self.session = session }

        /// Returns the next row; nil at the end.
        ///
        /// - Throws: `invalidValue` for a statement that fails while it runs, the errors of the storage, and
        ///   `CancellationError`.
        public mutating func next() async throws -> SQLRow? {
            while rows.isEmpty {
                guard let more = try await session.buffer.next() else { return nil }
                rows = more[...]
            }
            return rows.removeFirst()
        }
    }
}

/// Ends the statement when the rows are no longer needed.
final class SQLSession: Sendable {
    let buffer: RowBuffer

    init(_ buffer: RowBuffer) { self.buffer = buffer }

    deinit { buffer.abandon() }
}

/// How an answer ended.
public struct SQLEnding: Sendable {
    /// The limit that ended it early; nil when all rows were returned.
    public let limit: SQLLimit?
    /// The tables that the statement reads, in the order of their names; also those whose words `find` searches.
    public let tables: [SQLTableUse]
    /// Why rows may be missing that `find` should have found, as a sentence: the index of words could not be updated,
    /// more rows match than it ranks, or words are too short. Nil when none are.
    public let missingTexts: String?

    /// The tables of which no list was ever fetched to its end, so that rows may be missing.
    public var neverSynced: [SQLTableUse] { tables.filter(\.isNeverSynced) }
    /// The tables of which some lists, but not all that were begun, are complete.
    public var partlySynced: [SQLTableUse] { tables.filter(\.isPartlySynced) }
}
