import CSQLite
import PatchbayCore

/// An error of SQLite about a statement.
struct SQLFailure: Error {
    let code: Int32
    let message: String
    /// Where in the statement the fault is, in bytes; negative when that is unknown.
    let offset: Int
}

extension SQLTables {
    /// The error for people.
    func explained(_ failure: SQLFailure, in sql: String) -> PatchbayError {
        switch failure.code & 0xFF {
        case SQLITE_TOOBIG:
            return PatchbayError(
                .invalidValue, "a value is longer than \(SQLLimits.valueBytesMax) bytes",
                [.limit(Int(SQLLimits.valueBytesMax))])
        case SQLITE_NOMEM: return PatchbayError(.internalError, "there is not enough memory")
        case SQLITE_ERROR, SQLITE_AUTH, SQLITE_RANGE, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
            let place = failure.offset >= 0 ? [PatchbayError.Detail.byte(failure.offset)] : []
            return PatchbayError(.invalidValue, failure.message + advice(failure.message, in: sql), place)
        default: return PatchbayError(.internalError, "SQLite failed: \(failure.message)")
        }
    }

    /// What to write instead, to follow SQLite's message.
    private func advice(_ message: String, in sql: String) -> String {
        if message.hasSuffix("may not be modified") {
            return ", because a query can only read; write a SELECT"
        }
        if message == "incomplete input" { return ": the statement ends too early" }
        let parts = message.split(separator: ":", maxSplits: 1).map { $0.trimmingPrefix(" ") }
        guard parts.count == 2 else { return "" }
        let name = String(parts[1])
        switch parts[0] {
        case "no such table":
            let full = ambiguous[name.lowercased()] ?? []
            if !full.isEmpty { return "; several sources have \(name): \(full.joined(separator: ", "))" }
            return EditDistance.suggestion(for: name, in: names) + "; known: \(names.joined(separator: ", "))"
        case "no such column":
            let words = StatementWords(sql).names
            let columns = tables.filter { words.contains($0.key) }.flatMap { $0.value.columns.map(\.name) }
            let column = name.split(separator: ".").last.map(String.init) ?? name
            let near = EditDistance.suggestion(for: column, in: Array(Set(columns)).sorted())
            let isQuoted = sql.contains("\"\(name)\"")
            return near.isEmpty && isQuoted ? "; write a text in single quotation marks" : near
        case "no such function":
            return EditDistance.suggestion(for: name, in: SQLFunctions.allowed.filter { $0 != name }.sorted())
        default: return ""
        }
    }
}
