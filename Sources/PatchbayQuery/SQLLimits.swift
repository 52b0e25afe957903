/// The limits of a statement. Reaching one ends the answer early, which ``SQLEnding/limit`` states; only too little
/// memory is an error.
public struct SQLLimits: Hashable, Sendable {
    /// The maximum number of rows.
    public var rows = 10_000
    /// The maximum size of all rows, in bytes.
    public var bytes = 64 << 20
    /// The time after which the statement ends, whether or not the rows so far have been read. Until then it keeps a
    /// snapshot of the storage.
    public var time = Duration.seconds(30)
    /// The maximum size of everything that running statements sort, group or materialise, in bytes.
    public var memory = 256 << 20

    /// Creates the usual limits.
    public init() {}

    /// The maximum size of one value, in bytes.
    static let valueBytesMax: Int32 = 16 << 20
    /// The maximum size of a statement, in bytes.
    static let statementBytesMax = 1_000_000
    /// The size of the rows that wait for their reader, in bytes. The statement pauses when there are more.
    static let waitingBytesMax = 4 << 20
    /// How many selects a statement may become when each use of a common table is replaced by its definition.
    static let selectsMax = 50_000
    /// How many common tables may be within each other, because SQLite replaces each within the one before.
    static let depthMax = 200
    /// The maximum length of a pattern of LIKE or GLOB, whose time grows with the length of text and pattern.
    static let patternBytesMax: Int32 = 256
}

/// A limit that ended an answer early.
public enum SQLLimit: String, CaseIterable, Sendable {
    case rows, bytes, time
}

extension SQLLimits {
    /// Why a limit has ended an answer, as a sentence.
    package func words(_ limit: SQLLimit) -> String {
        switch limit {
        case .rows: "there are more than \(rows) rows"
        case .bytes: "the rows have more than \(bytes) bytes"
        case .time: "the time limit of \(time.components.seconds) s was reached"
        }
    }

    /// Why an answer may lack rows, as a sentence; nil when it has all.
    package func reason(_ ending: SQLEnding) -> String? {
        if let limit = ending.limit { return words(limit) }
        if let missing = ending.missingTexts { return missing }
        return ending.tables.shortfall
    }
}
