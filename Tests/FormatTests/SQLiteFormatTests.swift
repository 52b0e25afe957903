import CSQLite
import PatchbayTestKit
import StorageSQLite
import Testing

@Suite("The tables of an SQLite file")
struct SQLiteFormatTests {
    @Test("an SQLite file has the tables that the article shows")
    func tables() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/users.sqlite"
        try await FileFormats.fill(SQLiteStorage(path: path))
        let applicationID = try rows("PRAGMA application_id", path)[0]
        #expect(Int(applicationID) == 0x5074_6342)
        let version = try rows("PRAGMA user_version", path)[0]
        let statements = try rows(
            "SELECT sql || ';' FROM sqlite_schema WHERE sql NOT NULL ORDER BY name", path)
        let definitions = try rows("SELECT name || ': ' || definition FROM patchbay_schema", path)
        let users = try rows("SELECT id || ', ' || login || ', ' || followers FROM users", path)
        let text =
            ["application_id \(applicationID), user_version \(version)", ""] + statements
            + ["", "patchbay_schema"] + definitions + ["", "users"] + users
        try FileFormats.expect(text.joined(separator: "\n"), as: "sqlite")
    }

    /// Returns the first column of each row, read with SQLite itself.
    private func rows(_ sql: String, _ path: String) throws -> [String] {
        var handle: OpaquePointer?
        try unsafe #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
        defer { unsafe sqlite3_close(handle) }
        var statement: OpaquePointer?
        try unsafe #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
        defer { unsafe sqlite3_finalize(statement) }
        var rows: [String] = []
        while unsafe sqlite3_step(statement) == SQLITE_ROW {
            unsafe rows.append(String(cString: sqlite3_column_text(statement, 0)))
        }
        return rows
    }
}
