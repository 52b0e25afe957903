import CSQLite
import PatchbayCore
import PatchbayGateway
import PatchbaySystem
import Synchronization

/// A connection to a text index: SQLite's FTS5 over the texts of rows, beside the storage or in memory.
///
/// Safe and unchecked, because it owns the handle, and one thread at a time uses it: a pool of ``TextIndex`` lends it.
@safe final class TextFile: @unchecked Sendable {
    /// Nil in memory.
    let path: String?
    private let handle: OpaquePointer
    private var statements: [String: TextStatement] = [:]
    /// Identifies the file at the path when it was opened.
    private let identity: FileStatus.Identity?

    /// `PBFI`, in the header of every text index.
    static let applicationID: Int64 = 0x5042_4649
    /// The version of the tables.
    static let version: Int64 = 2

    /// Held while an index is opened, and while a new one takes its place; see ``NewTextFile``.
    static let opening = Mutex(())

    /// What a file contains.
    enum Content { case nothing, index, unfinished }

    /// Opens an existing file, or an index in memory.
    ///
    /// - Parameter patience: how long to wait for another process.
    init(path: String?, patience: Duration) throws {
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
            | (path == nil ? SQLITE_OPEN_MEMORY : 0)
        let result = Self.opening.withLock { _ in
            unsafe sqlite3_open_v2(path ?? ":memory:", &opened, flags, nil)
        }
        guard let opened = unsafe opened else {
            throw PatchbayError(.internalError, "SQLite cannot be started (\(result))")
        }
        unsafe handle = opened
        self.path = path
        identity = path.flatMap { FileStatus(at: $0)?.identity }
        unsafe sqlite3_extended_result_codes(opened, 1)
        guard result == SQLITE_OK else { throw unsafe TextFailure(result, opened) }
        unsafe sqlite3_busy_timeout(opened, Int32(patience.components.seconds * 1_000))
        for (option, value) in [
            (SQLITE_DBCONFIG_DEFENSIVE, Int32(1)), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
        ] {
            _ = unsafe sqlite3_set_option(opened, option, value)
        }
    }

    deinit {
        statements = [:]
        unsafe sqlite3_close_v2(handle)
    }

    /// Opens the file at a path; nil when there is none.
    ///
    /// Another process may remove or replace the file meanwhile. Then SQLite cannot open it, opens it only for reading,
    /// or has opened the old one; so it is opened again.
    ///
    /// - Throws: ``TextFailure/moved`` when that happens at each attempt.
    static func existing(at path: String, patience: Duration) throws -> TextFile? {
        var failures: [TextFailure] = []
        for _ in 0..<attemptsMax {
            guard let before = FileStatus(at: path)?.identity else { return nil }
            do {
                let file = try TextFile(path: path, patience: patience)
                if file.identity == before, try !file.onlyReads || !FileSystem.mayWrite(to: path) {
                    return file
                }
                failures.append(.moved)
            } catch is SystemError {
                failures.append(.moved)
            } catch let failure as TextFailure where failure.isUnopened {
                failures.append(failure)
            }
        }
        throw failures.first { $0.isMoved } ?? failures[0]
    }

    private static let attemptsMax = 16

    /// Whether SQLite has opened the file without the permission to write.
    var onlyReads: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether the file is still the one at its path, so that other processes use it as well.
    var isCurrent: Bool { path == nil || identity != nil && FileStatus(at: path!)?.identity == identity }

    /// - Throws: `conflict` for a file of another program, `unsupported` for one of a newer version.
    func content() throws -> Content {
        let id = try number("PRAGMA application_id"), version = try number("PRAGMA user_version")
        if id == 0, version == 0, try number("SELECT count(*) FROM sqlite_schema") == 0 { return .nothing }
        guard id == Self.applicationID else { throw Self.foreign(path) }
        guard version <= Self.version else {
            throw PatchbayError(
                .unsupported,
                "the text index \"\(path ?? "")\" was written by a newer version of Patchbay; use that version, or "
                    + "remove the file, and it is made again", path.map { [.file($0)] } ?? [])
        }
        return version == Self.version ? .index : .unfinished
    }

    /// Whether the header of a file is that of a text index, although SQLite cannot read the file.
    static func isMarked(_ path: String) -> Bool {
        let mark = unsafe withUnsafeBytes(of: UInt32(applicationID).bigEndian) { unsafe Array($0) }
        // A file that cannot be read has no mark.
        return (try? OpenFile(path, .reading, isLinkFollowed: true).bytes(mark.count, at: markOffset)) == mark
    }

    /// The place of the application's number in the header of a database of SQLite.
    private static let markOffset = 68

    static func foreign(_ path: String?) -> PatchbayError {
        PatchbayError(
            .conflict,
            "\"\(path ?? "")\" is not a text index of Patchbay, or its beginning is damaged; move it away",
            path.map { [.file($0)] } ?? [])
    }

    // MARK: Statements

    /// A statement, which is prepared at its first use.
    func statement(_ sql: String) throws(TextFailure) -> TextStatement {
        if let known = statements[sql] { return known }
        let made = unsafe try TextStatement(sql, handle)
        statements[sql] = made
        return made
    }

    func run(_ sql: String) throws(TextFailure) { unsafe try TextStatement(sql, handle).run() }

    func number(_ sql: String) throws(TextFailure) -> Int64 {
        unsafe try TextStatement(sql, handle).first { $0.integer(0) } ?? 0
    }

    /// Whether a transaction is open.
    private var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Rolls back an open transaction.
    func rollBack() {
        // A failed ROLLBACK has no transaction, or leaves it to the connection's end.
        if isInTransaction { try? run("ROLLBACK") }
    }
}

// MARK: - Tables

extension TextFile {
    /// Creates the tables of an index in an empty file. ``finish()`` must follow.
    func create() throws {
        // Nothing of an unfinished index is used, so nothing of it needs to be undone or protected.
        try run("PRAGMA journal_mode = OFF")
        try run("PRAGMA synchronous = OFF")
        try run("PRAGMA locking_mode = EXCLUSIVE")
        try run("PRAGMA cache_size = -65536")
        try run("PRAGMA application_id = \(Self.applicationID)")
        try run("BEGIN EXCLUSIVE")
        try run(
            "CREATE TABLE resources(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, signature TEXT NOT NULL, "
                + "position TEXT NOT NULL)")
        for table in TextTable.allCases {
            try run(
                "CREATE TABLE \(table.rows)(id INTEGER PRIMARY KEY, key TEXT NOT NULL, title TEXT NOT NULL, "
                    + "body TEXT NOT NULL)")
            try run(
                "CREATE VIRTUAL TABLE \(table) USING fts5(title, body, content = '\(table.rows)', "
                    + "content_rowid = 'id', tokenize = '\(table.tokenizer)')")
            // Large pieces, which are merged once, by `finish`.
            try set(["hashsize": 64 << 20, "automerge": 0, "crisismerge": 1_999], of: table)
        }
    }

    /// Creates what only updates need: the way from a row's key to its text.
    func createKeys() throws {
        for table in TextTable.allCases {
            try run(
                "CREATE UNIQUE INDEX IF NOT EXISTS \(table)_keys ON \(table.rows)(id & \(TextTable.resourceMask), key)"
            )
        }
    }

    /// Declares the index finished.
    func finish() throws {
        try createKeys()
        for table in TextTable.allCases {
            try run("INSERT INTO \(table)(\(table)) VALUES('optimize')")
            // Updates merge small pieces. With FTS5's usual 16, one of them would sometimes have to merge all pieces
            // of a large index, which takes seconds.
            try set(["hashsize": 4 << 20, "automerge": 4, "crisismerge": 256], of: table)
        }
        try run("COMMIT")
        try run("PRAGMA user_version = \(Self.version)")
    }

    private func set(_ options: [String: Int], of table: TextTable) throws {
        for (option, value) in options {
            try run("INSERT INTO \(table)(\(table), rank) VALUES('\(option)', \(value))")
        }
    }

    /// Prepares an existing index for use.
    func prepare() throws {
        // A journal is emptied and not removed: after the file was replaced, the one at its path can be another's.
        try run("PRAGMA journal_mode = TRUNCATE")
        try run("PRAGMA synchronous = NORMAL")
        try run("PRAGMA cache_size = -16384")
    }
}

/// A table of FTS5, and the table with its texts.
///
/// The rowid of a text is a count of texts, times 256, plus the number of the resource. So a resource is recognised
/// without reading the text, and a later text has a larger rowid.
enum TextTable: String, CaseIterable, CustomStringConvertible {
    case words, trigrams

    var description: String { rawValue }
    var rows: String { "\(rawValue)_rows" }

    var tokenizer: String {
        switch self {
        case .words: "unicode61 remove_diacritics 2"
        case .trigrams: "trigram"
        }
    }

    static let resourceMask: Int64 = 0xFF
    static let resourcesMax = 255
}

extension TextFile {
    /// A text that matches.
    struct Match {
        let id: Int64
        let table: TextTable
        /// The smaller the better.
        let score: Double
    }

    /// The maximum number of matches that are ranked.
    static let rankedMax = 30_000

    /// How much a word in the first field counts, compared with one in the others.
    private static let titleWeight = "4.0"

    /// Ranks the texts that match: all of them, or the latest ones if there are more than ``rankedMax``.
    ///
    /// - Parameter numbers: the resources of interest; nil for all.
    func matches(
        _ expression: String, in table: TextTable, of numbers: [Int64]?
    ) throws -> (matches: [Match], isCut: Bool) {
        let filter =
            numbers.map { numbers in
                let list = numbers.sorted().map(String.init).joined(separator: ", ")
                return " AND \(table).rowid & \(TextTable.resourceMask) IN (\(list))"
            } ?? ""
        var matches: [Match] = [], isCut = false
        try statement(
            "SELECT rowid, bm25(\(table), \(Self.titleWeight), 1.0) FROM \(table) WHERE \(table) MATCH ?\(filter) "
                + "ORDER BY rowid DESC LIMIT \(Self.rankedMax + 1)"
        ).each(.text(expression)) { row in
            isCut = matches.count == Self.rankedMax
            if !isCut { matches.append(Match(id: row.integer(0), table: table, score: row.real(1))) }
            return !isCut
        }
        return (matches, isCut)
    }

    func row(_ match: Match) throws -> (key: String, text: Text)? {
        try statement("SELECT key, title, body FROM \(match.table.rows) WHERE id = ?").first(
            .integer(match.id)
        ) { row in
            (row.text(0), Text(id: match.id, title: row.bytes(1), body: row.bytes(2)))
        }
    }

    /// The part of the text that matches best.
    func excerpt(_ match: Match, _ expression: String) throws -> Excerpt {
        let table = match.table
        let snippet = "snippet(\(table), -1, '\(Excerpt.opening)', '\(Excerpt.closing)', '…', 24)"
        let marked = try statement("SELECT \(snippet) FROM \(table) WHERE \(table) MATCH ? AND rowid = ?")
            .first(.text(expression), .integer(match.id)) { $0.text(0) }
        return Excerpt(marked: marked ?? "")
    }
}
