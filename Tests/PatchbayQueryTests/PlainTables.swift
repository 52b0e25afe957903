import CSQLite
@testable import PatchbayQuery
import Testing

/// The rows in tables of SQLite itself, with the columns that statements see.
///
/// Safe, because it owns the handle and one task uses it.
@safe final class PlainTables {
    private var handle: OpaquePointer?

    init(people: [Person] = [], notes: [Note] = [], codes: [Code] = []) throws {
        try #require(unsafe sqlite3_open(":memory:", &handle) == SQLITE_OK)
        _ = unsafe sqlite3_set_option(handle, SQLITE_DBCONFIG_DQS_DML, 0)
        unsafe sqlite3_create_collation_v2(
            handle, TimeText.collation, SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                let left = unsafe UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                let right = unsafe UnsafeRawBufferPointer(start: right, count: Int(rightCount))
                return unsafe Int32(TimeText.compare(left, right).signum())
            }, nil)
        let state =
            "_key TEXT, _fetched_at TEXT, _age INTEGER, _changed INTEGER, _gone_at TEXT, _missing_since TEXT"
        let columns =
            "id INTEGER, login TEXT, name TEXT, team TEXT, age INTEGER, score REAL, is_active INTEGER, "
            + "joined TEXT COLLATE TIME, tags TEXT, upstream_name TEXT, \(state)"
        let listed = people.filter { $0.gone == nil }
        for (name, rows) in [("people", listed), ("people_all", people)] {
            try fill(name, columns, rows.map(\.values))
        }
        let noteColumns = "person INTEGER, slug TEXT, size INTEGER, at TEXT COLLATE TIME, \(state)"
        for name in ["notes", "notes_all"] { try fill(name, noteColumns, notes.map(\.values)) }
        try fill("codes", "code TEXT, num INTEGER, alt TEXT, \(state)", codes.map(\.values))
    }

    deinit { unsafe sqlite3_close(handle) }

    private func fill(_ name: String, _ columns: String, _ rows: [[SQLValue]]) throws {
        _ = try run("CREATE TABLE \(name)(\(columns))")
        _ = try run("BEGIN")
        for row in rows {
            let values = row.map(\.literal).joined(separator: ", ")
            _ = try run("INSERT INTO \(name) VALUES (\(values))")
        }
        _ = try run("COMMIT")
    }

    /// - Throws: the message of SQLite.
    func run(_ sql: String) throws -> [[SQLValue]] {
        var statement: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
        defer { unsafe sqlite3_finalize(statement) }
        var rows: [[SQLValue]] = []
        while true {
            let result = unsafe sqlite3_step(statement)
            if result == SQLITE_DONE { return rows }
            guard result == SQLITE_ROW else { throw failure }
            let count = unsafe sqlite3_data_count(statement)
            rows.append(
                (0..<count).map { place in
                    switch unsafe sqlite3_column_type(statement, place) {
                    case SQLITE_INTEGER: .integer(unsafe sqlite3_column_int64(statement, place))
                    case SQLITE_FLOAT: .real(unsafe sqlite3_column_double(statement, place))
                    case SQLITE_TEXT: .text(unsafe String(cString: sqlite3_column_text(statement, place)))
                    default: .null
                    }
                })
        }
    }

    struct Failure: Error { let message: String }

    private var failure: Failure { Failure(message: unsafe String(cString: sqlite3_errmsg(handle))) }
}

extension SQLValue {
    fileprivate var literal: String {
        switch self {
        case .null, .bytes: "NULL"
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): "'" + text.replacing("'", with: "''") + "'"
        }
    }
}
