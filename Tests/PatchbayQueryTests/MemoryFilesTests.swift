import CSQLite
@testable import PatchbayQuery
import TestSupport
import Testing

@Suite("Files of SQLite in memory")
struct MemoryFilesTests {
    @Test("keep what is written, become shorter, and are released")
    func database() throws {
        let name = try #require(MemoryFiles.name)
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        try #require(unsafe sqlite3_open_v2("file.db", &connection, flags, name) == SQLITE_OK)
        defer { unsafe sqlite3_close(connection) }
        for sql in [
            "PRAGMA journal_mode = OFF", "PRAGMA cache_size = 10",
            "CREATE TABLE t(i INTEGER PRIMARY KEY, b TEXT)",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
                + "INSERT INTO t SELECT i, printf('%0*d', i % 1500, i) FROM n",
            "DELETE FROM t WHERE i % 10 > 1", "VACUUM",
        ] {
            #expect(unsafe sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK, "\(sql)")
        }
        #expect(try unsafe text(connection, "PRAGMA integrity_check") == "ok")
        let rows = "SELECT count(*) FROM t WHERE CAST(b AS INTEGER) = i"
        #expect(try unsafe text(connection, rows) == "400")
        let pages = try #require(Int(try unsafe text(connection, "PRAGMA page_count")))
        #expect(pages < 120)
    }

    @Test("give the same answers to statements that sort more than fits into a cache")
    func sorts() async throws {
        let fixture = try await QueryFixture(), plain = try PlainTables(people: [], notes: [])
        let some =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000), "
            + "t(x, y) AS (SELECT printf('%030d', i * 7919 % 100003), i % 97 FROM n) "
        for sql in [
            "SELECT x, y FROM t ORDER BY x DESC, y LIMIT 5 OFFSET 70000",
            "SELECT count(DISTINCT x), count(DISTINCT y) FROM t",
            "SELECT y, count(*), min(x), max(x) FROM t GROUP BY y ORDER BY 3 LIMIT 9",
            "SELECT count(*) FROM (SELECT x, lag(x) OVER (ORDER BY x) AS before FROM t) WHERE before > x",
        ] {
            #expect(try await fixture.rows(some + sql) == plain.run(some + sql), "\(sql)")
        }
    }

    private func text(_ connection: OpaquePointer?, _ sql: String) throws -> String {
        var statement: OpaquePointer?
        try #require(unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK)
        defer { unsafe sqlite3_finalize(statement) }
        try #require(unsafe sqlite3_step(statement) == SQLITE_ROW)
        return unsafe String(cString: sqlite3_column_text(statement, 0))
    }
}
