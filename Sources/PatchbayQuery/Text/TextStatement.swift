import CSQLite
import PatchbayCore
import PatchbaySystem

/// An error of SQLite about a text index.
struct TextFailure: Error {
    let code: Int32
    let message: String

    init(_ code: Int32, _ handle: OpaquePointer) {
        self.code = code
        message = unsafe String(cString: sqlite3_errmsg(handle))
    }

    /// Whether the file is damaged, so that the index must be made again.
    var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }

    /// Whether the file was removed or replaced after it was opened.
    var isMoved: Bool { code == Self.moved.code }

    /// SQLITE_READONLY_DBMOVED, which is a macro that Swift does not see.
    static let moved = TextFailure(code: SQLITE_READONLY | 4 << 8, message: "the file was moved")

    private init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the file could not be opened.
    var isUnopened: Bool { code & 0xFF == SQLITE_CANTOPEN }

    /// The error for people.
    ///
    /// - Parameter path: that of the index; nil in memory.
    func error(_ path: String?) -> PatchbayError {
        let name = path.map { "the text index \"\($0)\"" } ?? "the text index in memory"
        let details = path.map { [PatchbayError.Detail.file($0)] } ?? []
        let isFull = code & 0xFF == SQLITE_FULL || path.map { DiskSpace.isUsedUp(forFileAt: $0) } ?? false
        switch code & 0xFF {
        case _ where isMoved:
            return PatchbayError(
                .busy, "\(name) is being removed or replaced; find out by which program, and try again",
                details)
        case _ where isFull && [SQLITE_FULL, SQLITE_IOERR].contains(code & 0xFF):
            return PatchbayError(.storageFull, "\(name) has no room; free some space", details)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return PatchbayError(
                .busy, "\(name) is in use by another process, which may be updating it; try again", details)
        case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM:
            return PatchbayError(
                .permissionDenied, "\(name) cannot be written; change the permissions of its folder", details)
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            return PatchbayError(.corrupted, "\(name) is damaged; remove it, and it is made again", details)
        case SQLITE_NOMEM: return PatchbayError(.internalError, "there is not enough memory", details)
        default: return PatchbayError(.internalError, "\(name): SQLite failed: \(message)", details)
        }
    }
}

/// A prepared statement of a text index.
///
/// Safe, because it owns the handle, and its connection outlives it.
@safe final class TextStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer

    init(_ sql: String, _ connection: OpaquePointer) throws(TextFailure) {
        var prepared: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(
            connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard result == SQLITE_OK, let prepared = unsafe prepared else {
            throw unsafe TextFailure(result, connection)
        }
        unsafe handle = prepared
        unsafe self.connection = connection
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Runs the statement to its end.
    func run(_ values: TextValue...) throws(TextFailure) {
        try start(values)
        defer { reset() }
        while try step() {}
    }

    /// The first row of the answer, as `read` returns it; nil when there is none.
    func first<Result>(
        _ values: TextValue..., read: (TextStatement) -> Result
    ) throws(TextFailure) -> Result? {
        try start(values)
        defer { reset() }
        return try step() ? read(self) : nil
    }

    /// Visits each row of the answer until `visit` returns false.
    func each(
        _ values: TextValue..., visit: (TextStatement) throws -> Bool
    ) throws {
        try start(values)
        defer { reset() }
        while try step() { if try !visit(self) { return } }
    }

    /// Binds the values, which are copied.
    private func start(_ values: [TextValue]) throws(TextFailure) {
        for (place, value) in values.enumerated() {
            let place = Int32(place + 1)
            let result =
                switch value {
                case .integer(let number): unsafe sqlite3_bind_int64(handle, place, number)
                case .bytes(let bytes): unsafe bindText(bytes.span.bytes, place, of: handle)
                case .text(let text): unsafe bindText(text.utf8.span.bytes, place, of: handle)
                }
            guard result == SQLITE_OK else { throw unsafe TextFailure(result, connection) }
        }
    }

    private func step() throws(TextFailure) -> Bool {
        let result = unsafe sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        throw unsafe TextFailure(result, connection)
    }

    private func reset() {
        // Repeats the error of the last step, which was thrown.
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    // MARK: Values of the row

    func integer(_ place: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, place) }

    func real(_ place: Int32) -> Double { unsafe sqlite3_column_double(handle, place) }

    func bytes(_ place: Int32) -> [UInt8] {
        let start = unsafe sqlite3_column_text(handle, place)
        let count = Int(unsafe sqlite3_column_bytes(handle, place))
        return unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    }

    func text(_ place: Int32) -> String { String(decoding: bytes(place), as: UTF8.self) }
}

/// Sets a parameter of a statement to a copy of a text, and returns SQLite's result.
func bindText(_ text: RawSpan, _ place: Int32, of statement: OpaquePointer) -> Int32 {
    unsafe text.withUnsafeBytes {
        let start = unsafe $0.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard let start = unsafe start else {
            return unsafe sqlite3_bind_text(statement, place, "", 0, sqlite3_transient())
        }
        return unsafe sqlite3_bind_text64(
            statement, place, start, UInt64($0.count), sqlite3_transient(), UInt8(SQLITE_UTF8))
    }
}

/// A value in a statement of a text index.
enum TextValue {
    case integer(Int64)
    /// UTF-8.
    case bytes([UInt8])
    case text(String)
}
