import CSQLite
import PatchbayCore

/// What a storage's read transaction offers to a statement that runs in it.
struct SnapshotReader {
    let reader: any StorageReader
    fileprivate let missing: Set<String>

    init(reader: any StorageReader, missing: Set<String>) {
        self.reader = reader
        self.missing = missing
    }

    /// Whether the storage, which was opened for reading, does not contain a collection.
    func lacks(_ name: String) -> Bool { missing.contains(name) }
}

/// A statement while it runs: its snapshot, its limits, and why it has to end.
final class StatementRun {
    /// Why a statement ends before its last row.
    enum Stop: Error {
        case time, memory, abandoned
        /// It is too long for the thread of its caller.
        case long
    }

    let reader: SnapshotReader
    let now: Timestamp
    let limits: SQLLimits
    let deadline: ContinuousClock.Instant
    let buffer: RowBuffer
    /// What `find` searches; nil for a statement without it.
    let texts: StatementTexts?
    /// Returns the bytes that SQLite uses in this process.
    private let memoryUsed: () -> Int64
    private let memoryBefore: Int64
    private var found: Stop?

    init(
        _ reader: SnapshotReader, now: Timestamp, _ limits: SQLLimits, _ deadline: ContinuousClock.Instant,
        _ buffer: RowBuffer, _ texts: StatementTexts? = nil,
        memoryUsed: @escaping () -> Int64 = { sqlite3_memory_used() }
    ) {
        self.reader = reader
        self.now = now
        self.limits = limits
        self.deadline = deadline
        self.buffer = buffer
        self.texts = texts
        self.memoryUsed = memoryUsed
        memoryBefore = memoryUsed()
    }

    /// Why the statement has to end; nil while it may continue.
    ///
    /// A reason stays, because SQLite reports an interruption without one, and the memory that caused it may have been
    /// released by then. SQLite counts the memory of all connections of the process; those of a storage have small
    /// caches, so statements use nearly all of it.
    var stop: Stop? {
        if found == nil { found = reason }
        return found
    }

    private var reason: Stop? {
        if buffer.isAbandoned { return .abandoned }
        let time = ContinuousClock.now
        if time >= deadline { return .time }
        if let end = buffer.briefUntil, time >= end { return .long }
        return memoryUsed() - memoryBefore > limits.memory ? .memory : nil
    }
}

extension SQLConnection {
    /// Runs the statement that has begun, and passes its rows to the buffer, except the last ones.
    ///
    /// - Returns: the limit that ended it early, and the last rows.
    func run(
        _ sql: String, _ parameters: [String: SQLValue], prepared: (_ used: Set<String>) throws -> Void
    ) throws -> (limit: SQLLimit?, rest: RowBuffer.Part) {
        var isFirst = true, hasPassedRows = false
        while true {
            do {
                let statement = try PreparedStatement(sql, self)
                try statement.bind(parameters)
                if isFirst { try prepared(used) }
                isFirst = false
                return try run(statement, sql, &hasPassedRows)
            } catch let found as NumberColumn where !hasPassedRows {
                begin(again: found)
            } catch let found as NumberColumn {
                throw found.error
            }
        }
    }

    private func run(
        _ statement: PreparedStatement, _ sql: String, _ hasPassedRows: inout Bool
    ) throws -> (limit: SQLLimit?, rest: RowBuffer.Part) {
        let (limits, buffer) = (begun.limits, begun.buffer)
        var part = RowBuffer.Part(columns: statement.columns)
        var bytes = 0, count = 0
        if limits.rows > 0, let row = try countedRow(sql), row.byteCount <= limits.bytes {
            part.rows = [row]
            part.bytes = row.byteCount
            return (nil, part)
        }
        do {
            while try statement.step() {
                if count >= limits.rows { return (.rows, part) }
                let row = statement.row()
                let size = row.byteCount
                if bytes + size > limits.bytes { return (.bytes, part) }
                count += 1
                bytes += size
                part.bytes += size
                part.rows.append(row)
                guard part.rows.count == Self.partRows || part.bytes >= Self.partBytes else { continue }
                if buffer.briefUntil != nil { throw StatementRun.Stop.long }
                hasPassedRows = true
                switch buffer.push(part, until: begun.deadline) {
                case nil: part = RowBuffer.Part(columns: part.columns)
                case .late?: return (.time, part)
                case .abandoned?: throw CancellationError()
                }
            }
        } catch StatementRun.Stop.time {
            return (.time, part)
        }
        return (nil, part)
    }

    private static var partRows: Int { 128 }
    private static var partBytes: Int { 256 << 10 }
}

/// A prepared statement that only reads.
///
/// Safe, because it owns the handle, and its connection outlives it.
@safe final class PreparedStatement {
    private let handle: OpaquePointer
    private let connection: SQLConnection

    /// - Throws: `invalidValue` for anything but one statement that only reads.
    init(_ sql: String, _ connection: SQLConnection) throws {
        self.connection = connection
        try connection.prepare(Self.check(sql))
        var first: OpaquePointer?, rest: OpaquePointer?
        var text = Array(sql.utf8CString)
        let result = unsafe text.withUnsafeMutableBufferPointer { text in
            var tail: UnsafePointer<CChar>?
            let result = unsafe sqlite3_prepare_v3(connection.handle, text.baseAddress, -1, 0, &first, &tail)
            guard unsafe result == SQLITE_OK && first != nil else { return result }
            // Whatever follows is prepared, too: blanks and comments are nothing, anything else is refused.
            let more = unsafe sqlite3_prepare_v3(connection.handle, tail, -1, 0, &rest, nil)
            return unsafe more != SQLITE_OK || rest != nil ? SQLITE_MISUSE : result
        }
        unsafe sqlite3_finalize(rest)
        guard result == SQLITE_OK, let first = unsafe first else {
            unsafe sqlite3_finalize(first)
            if result == SQLITE_OK {
                throw PatchbayError(.invalidValue, "the statement is empty; write a SELECT")
            }
            if result == SQLITE_MISUSE {
                throw PatchbayError(
                    .invalidValue, "a query is one statement; leave out everything after the first ;")
            }
            throw connection.failure(result)
        }
        unsafe handle = first
        guard unsafe sqlite3_stmt_readonly(first) != 0 && sqlite3_column_count(first) > 0 else {
            throw PatchbayError(.invalidValue, "a query can only read; write a SELECT")
        }
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// - Returns: what SQLite does not report of the statement.
    private static func check(_ sql: String) throws -> StatementTraits {
        guard !sql.utf8.contains(0) else {
            throw PatchbayError(.invalidValue, "the statement contains U+0000, which SQL does not allow")
        }
        guard sql.utf8.count <= SQLLimits.statementBytesMax else {
            throw PatchbayError(
                .invalidValue,
                "the statement has \(sql.utf8.count) bytes; the limit is \(SQLLimits.statementBytesMax)",
                [.limit(SQLLimits.statementBytesMax)])
        }
        let words = StatementWords(sql)
        let size = words.size(selectsMax: SQLLimits.selectsMax, depthMax: SQLLimits.depthMax)
        guard size.depth <= SQLLimits.depthMax else {
            throw PatchbayError(
                .invalidValue,
                "more than \(SQLLimits.depthMax) tables of WITH are within each other; use fewer",
                [.limit(SQLLimits.depthMax)])
        }
        guard size.selects <= SQLLimits.selectsMax else {
            throw PatchbayError(
                .invalidValue,
                "the tables of WITH use each other so often that the statement would become more than "
                    + "\(SQLLimits.selectsMax) selects; use them less often", [.limit(SQLLimits.selectsMax)])
        }
        return words.traits
    }

    var columns: [String] {
        let count = unsafe sqlite3_column_count(handle)
        return (0..<count).map { place in
            unsafe sqlite3_column_name(handle, place).map { unsafe String(cString: $0) } ?? ""
        }
    }

    /// Moves to the next row; false when there is none.
    ///
    /// - Throws: ``StatementRun/Stop`` when the statement has to end.
    func step() throws -> Bool {
        let result = unsafe sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        if result & 0xFF == SQLITE_INTERRUPT, let stop = connection.run?.stop { throw stop }
        throw connection.failure(result)
    }

    func row() -> SQLRow {
        let count = unsafe sqlite3_data_count(handle)
        return SQLRow(values: (0..<count).map(value))
    }

    func value(_ place: Int32) -> SQLValue {
        switch unsafe sqlite3_column_type(handle, place) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(handle, place))
        case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(handle, place))
        case SQLITE_TEXT:
            let start = unsafe sqlite3_column_text(handle, place)
            let count = Int(unsafe sqlite3_column_bytes(handle, place))
            let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
            return .text(unsafe String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let start = unsafe sqlite3_column_blob(handle, place)
            let count = Int(unsafe sqlite3_column_bytes(handle, place))
            return .bytes(unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count)))
        default: return .null
        }
    }

    /// Gives the parameters their values.
    ///
    /// - Throws: `invalidValue` for a parameter without a value, and for a value without a parameter.
    func bind(_ values: [String: SQLValue]) throws {
        var left = values
        let count = unsafe sqlite3_bind_parameter_count(handle)
        for place in stride(from: 1, through: count, by: 1) {
            guard let name = unsafe sqlite3_bind_parameter_name(handle, place) else {
                throw PatchbayError(.invalidValue, "a parameter has no name; write :name instead of ?")
            }
            let word = unsafe String(cString: name + 1)
            guard let value = values[word] else {
                throw PatchbayError(
                    .invalidValue,
                    "the parameter :\(word) has no value\(EditDistance.suggestion(for: word, in: Array(values.keys)))",
                    [.note("parameter", word)])
            }
            left[word] = nil
            let result = bind(value, place)
            guard result == SQLITE_OK else { throw connection.failure(result) }
        }
        if let unknown = left.keys.min() {
            throw PatchbayError(
                .invalidValue, "the statement has no parameter :\(unknown)", [.note("parameter", unknown)])
        }
    }

    private func bind(_ value: SQLValue, _ place: Int32) -> Int32 {
        switch value {
        case .null: unsafe sqlite3_bind_null(handle, place)
        case .integer(let number): unsafe sqlite3_bind_int64(handle, place, number)
        case .real(let number): unsafe sqlite3_bind_double(handle, place, number)
        case .text(let text): unsafe bindText(text.utf8.span.bytes, place, of: handle)
        case .bytes(let bytes):
            unsafe bytes.withUnsafeBytes {
                guard let start = $0.baseAddress else {
                    return unsafe sqlite3_bind_zeroblob(handle, place, 0)
                }
                return unsafe sqlite3_bind_blob64(handle, place, start, UInt64($0.count), sqlite3_transient())
            }
        }
    }
}
