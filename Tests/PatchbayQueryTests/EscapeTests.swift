import Patchbay
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport
import Testing

/// What people and programs try in order to get out of a query that can only read, and to use it up.
enum Escapes {
    /// Statements that are refused before they run.
    static let refused = [
        // Writing
        "INSERT INTO people VALUES (1)", "UPDATE people SET name = 'x'", "DELETE FROM people",
        "REPLACE INTO people VALUES (1)", "WITH x AS (SELECT 1) DELETE FROM people",
        "WITH x AS (SELECT 1) INSERT INTO people SELECT 1", "WITH x AS (SELECT 1) UPDATE people SET id = 2",
        "DELETE FROM people RETURNING *", "INSERT INTO people DEFAULT VALUES RETURNING id",
        "UPDATE people SET id = 1 RETURNING id", "INSERT INTO sqlite_schema VALUES (1,2,3,4,5)",
        // The schema
        "CREATE TABLE t(a)", "CREATE TEMP TABLE t AS SELECT * FROM people", "CREATE VIEW v AS SELECT 1",
        "CREATE TEMP VIEW v AS SELECT 1", "CREATE TRIGGER t AFTER INSERT ON people BEGIN SELECT 1; END",
        "CREATE INDEX i ON people(id)", "CREATE VIRTUAL TABLE t USING fts5(a)",
        "CREATE VIRTUAL TABLE t USING csv(filename='/etc/passwd')", "DROP TABLE people",
        "ALTER TABLE people RENAME TO x", "ALTER TABLE people ADD COLUMN x", "REINDEX", "ANALYZE",
        // Files
        "ATTACH 'x.db' AS x", "ATTACH DATABASE ':memory:' AS x", "DETACH main", "VACUUM",
        "VACUUM INTO 'x.db'",
        "SELECT load_extension('x.so')", "SELECT load_extension('x.so', 'init')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('x', 'y')", "SELECT edit('x')", "SELECT fsdir('/')", "SELECT * FROM fsdir('/')",
        "SELECT fts3_tokenizer('simple')", "SELECT fts3_tokenizer('simple', x'00')",
        "SELECT sqlite_compileoption_get(1)", "SELECT sqlite_rename_table(1,2,3,4,5,6,7)",
        "SELECT rtreenode(2, x'00')", "SELECT rtreecheck('x')", "SELECT fts5(1)", "SELECT fts5_source_id()",
        "SELECT snippet(people) FROM people", "SELECT * FROM find('x') WHERE find MATCH 'x'",
        "SELECT * FROM find", "SELECT * FROM words", "SELECT * FROM words_rows", "DELETE FROM find",
        "SELECT optimize(people) FROM people",
        // The connection
        "PRAGMA journal_mode = off", "PRAGMA writable_schema = 1", "PRAGMA data_version",
        "PRAGMA table_info(people)",
        "PRAGMA trusted_schema = 1", "PRAGMA hard_heap_limit = 1", "BEGIN", "BEGIN EXCLUSIVE", "COMMIT",
        "ROLLBACK",
        "SAVEPOINT x", "RELEASE x", "SELECT sqlite_log(1, 'x')", "SELECT changes()",
        "SELECT last_insert_rowid()",
        // SQLite's own tables
        "SELECT * FROM sqlite_master", "SELECT * FROM sqlite_schema", "SELECT * FROM sqlite_temp_master",
        "SELECT count(*) FROM sqlite_master", "SELECT * FROM sqlite_sequence", "SELECT * FROM sqlite_stmt",
        "SELECT * FROM sqlite_dbpage", "SELECT * FROM dbstat", "SELECT count(*) FROM dbstat",
        "SELECT * FROM pragma_table_info('people')", "SELECT count(*) FROM pragma_database_list",
        "SELECT * FROM pragma_function_list", "SELECT * FROM fts3tokenize('simple', 'x')",
        "SELECT * FROM bytecode('SELECT 1')", "SELECT (SELECT sql FROM sqlite_schema)",
        "SELECT * FROM main.sqlite_master", "SELECT * FROM temp.sqlite_master",
        "SELECT * FROM people WHERE EXISTS (SELECT 1 FROM sqlite_master)",
        "WITH m AS (SELECT * FROM sqlite_schema) SELECT 1 FROM m, people",
        // Several statements, and none
        "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE people", "SELECT 1; -- x\n ATTACH 'x' AS x",
        "SELECT 1;;;x",
        "", ";", "-- nothing", "/* SELECT 1", "SELECT 1\u{0}; DROP TABLE people", "\u{0}",
        "EXPLAIN DELETE FROM people",
        // Sizes
        "SELECT zeroblob(1000000000)", "SELECT randomblob(1000000000)", "SELECT hex(zeroblob(1e9))",
        "SELECT " + String(repeating: "(", count: 2_000) + "1" + String(repeating: ")", count: 2_000),
        "SELECT " + String(repeating: "-", count: 20_000).map { "\($0) " }.joined() + "1",
        "SELECT 1" + String(repeating: " UNION ALL SELECT 1", count: 500),
        "SELECT " + Array(repeating: "1", count: 3_000).joined(separator: ","),
        "SELECT * FROM " + Array(repeating: "people", count: 80).joined(separator: ","),
        "SELECT max(" + Array(repeating: "1", count: 500).joined(separator: ",") + ")",
        "SELECT '" + String(repeating: "x", count: 1_100_000) + "'",
        doubling(40), doubling(40, quoted: true), doubling(40, before: "\u{FEFF}"),
        doubling(40, first: "$x(')"),
        chain(5_000), "SELECT json_patch('{}', '{}')",
        // Joins whose columns the authorizer does not see
        "SELECT count(*) FROM sqlite_master a JOIN sqlite_master b USING (name)",
        "SELECT count(*) FROM main.sqlite_master a NATURAL JOIN (sqlite_schema b)",
        "SELECT count(*) FROM pragma_function_list a JOIN pragma_function_list b USING (name)",
    ]

    /// Common tables of which each names the one before twice.
    ///
    /// - Parameters:
    ///   - before: a blank before each use.
    ///   - first: a column of the first table.
    static func doubling(
        _ count: Int, quoted: Bool = false, before blank: String = "", first: String = "1"
    ) -> String {
        let name = { (number: Int) in quoted ? "[A\(number)]" : "a\(number)" }
        return "WITH \(name(0)) AS (SELECT 1 x, \(first))"
            + (1..<count).map { place in
                let used = "\(blank)a\(place - 1)"
                return
                    ", \(name(place)) AS NOT MATERIALIZED (SELECT p.x FROM \(used) p, \(blank)\"a\(place - 1)\" q)"
            }.joined() + " SELECT 1 FROM \(blank)a\(count - 1) LIMIT 1"
    }

    /// Common tables of which each names the next one.
    static func chain(_ count: Int) -> String {
        "WITH "
            + (0..<count).reversed().map { "a\($0) AS (SELECT 1 FROM a\($0 + 1))" }.joined(separator: ", ")
            + ", a\(count) AS (SELECT 1) SELECT 1 FROM a0"
    }

    /// Statements that run into a limit.
    static let bounded = [
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION SELECT x + 1 FROM c) SELECT count(*) FROM c",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c ORDER BY x",
        "WITH RECURSIVE c(x) AS (SELECT 'x' UNION ALL SELECT x || x FROM c) SELECT length(x) FROM c",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT group_concat('xxxxxxxx') FROM c",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT json_group_array(x) FROM c",
        "SELECT count(*) FROM people a, people b, people c, people d, people e, people f, people g",
        "SELECT a.id FROM people a, people b, people c, people d, people e ORDER BY a.name, b.id",
        "SELECT printf('%*d', 1000000000, 1)", "SELECT printf('%.1000000000d', 1)",
        "SELECT format('%1000000000s', '')",
        "SELECT replace(printf('%5000000s', 'x'), ' ', 'xxxxxxxxxxxxxxxx')",
        "SELECT printf('%1000000s', 'x') LIKE '\(String(repeating: "%_", count: 25_000))'",
        "SELECT printf('%1000000s', 'x') GLOB '\(String(repeating: "*?", count: 25_000))'",
        "SELECT json_extract('\(String(repeating: "[", count: 100_000))', '$')",
        "WITH t(a) AS (SELECT printf('%.*c', 16000000, 'a')) SELECT instr(a, substr(a, 1, 8000000) || 'b') FROM t",
        "WITH t(a) AS (SELECT printf('%.*c', 16000000, 'a')) "
            + "SELECT length(replace(a, substr(a, 1, 8000000) || 'b', '')) FROM t",
        "WITH t(a) AS (SELECT printf('%.*c', 4000000, 'a')) "
            + "SELECT length(trim(a, printf('%.*c', 100000, 'b') || 'a')) FROM t",
        "SELECT a.x FROM (SELECT printf('%9000000s', 'x') x) a, people b, people c",
        "SELECT count(DISTINCT printf('%100000s', a.id || '/' || b.id)) FROM people a, people b",
    ]
}

// Serialized, because each statement may occupy a processor and memory.
@Suite("Statements that would do more than read", .serialized, .mayBlock, .timeLimit(.minutes(20)))
struct EscapeTests {
    @Test("are refused, whatever the storage", arguments: StoragePlaces.all)
    func refused(_ storage: String) async throws {
        var random = SeededGenerator(seed: 1)
        let people = RandomPeople.people(20, &random)
        let fixture = try await QueryFixture(storage, people: people)
        for sql in Escapes.refused {
            let error = await fixture.error(sql)
            #expect(error?.code == .invalidValue, "\(sql.prefix(100)): \(String(describing: error))")
        }
        #expect(Escapes.refused.count + Escapes.bounded.count >= 60)
        #expect(try await fixture.rows("SELECT count(*) FROM people_all") == [[.integer(20)]])
        try await fixture.gateway.close()
    }

    @Test("end at a limit of time, rows, bytes or memory", arguments: Escapes.bounded)
    func bounded(_ sql: String) async throws {
        var random = SeededGenerator(seed: 2)
        let fixture = try await QueryFixture(people: RandomPeople.people(200, &random))
        var limits = SQLLimits()
        limits.rows = 1_000
        limits.time = .seconds(2)
        limits.bytes = 20 << 20
        limits.memory = 64 << 20
        let start = ContinuousClock.now
        do {
            let rows = try await fixture.tables.query(sql, limits: limits)
            var count = 0
            for try await _ in rows { count += 1 }
            #expect(rows.ending != nil && count <= 1_000, "\(sql.prefix(100)) ended with \(count) rows")
        } catch let error as PatchbayError {
            #expect(error.code == .invalidValue, "\(sql.prefix(100)): \(error)")
        }
        #expect(ContinuousClock.now - start < .seconds(20), "\(sql.prefix(100))")
        // The connection is usable afterwards.
        #expect(try await fixture.rows("SELECT 1") == [[.integer(1)]])
    }
}
