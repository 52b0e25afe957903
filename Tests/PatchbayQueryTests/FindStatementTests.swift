import Patchbay
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite("Words in statements", .serialized, .mayBlock, .searchesWait, .timeLimit(.minutes(10)))
struct FindStatementTests {
    private static func fixture(_ storage: String = "memory") async throws -> FindFixture {
        let fixture = try await FindFixture(storage)
        try await fixture.put(FindFixture.ferries)
        return fixture
    }

    private static func rows(
        _ tables: SQLTables, _ sql: String, _ parameters: [String: SQLValue] = [:]
    ) async throws -> [[String]] {
        var all: [[String]] = []
        for try await row in try await tables.query(sql, parameters) {
            all.append(row.values.map { OutputValue($0).description })
        }
        return all
    }

    @Test("rank the rows that a search finds, and join tables", arguments: StoragePlaces.all)
    func joins(_ storage: String) async throws {
        let fixture = try await Self.fixture(storage)
        let tables = try SQLTables([fixture.gateway], SQLTables.threads(patience: .seconds(600))),
            index = try await TextIndex([fixture.gateway])
        for words in ["ferry", "ferr*", "\"data race\"", "ferry -crash", "cafe", "運休です", "a_b 100"] {
            let found = try await Self.rows(
                tables, "SELECT resource || ' ' || key FROM find(:w) ORDER BY rank", ["w": .text(words)])
            #expect(found.map { $0[0] } == (try await fixture.found(words, index)), "\(words)")
        }
        #expect(
            try await Self.rows(
                tables,
                "SELECT f.rank, p.id, p.title, f.excerpt FROM find('ferry', 'posts') f "
                    + "JOIN posts p ON p._key = f.key ORDER BY f.rank"
            ) == [
                ["1", "1", "Crash in the ferry", "Crash in the [ferry]"],
                ["2", "3", "Timetable", "The [ferry] sails. The [ferry] returns. A crash is unlikely."],
            ])
        #expect(
            try await Self.rows(
                tables,
                "SELECT resource, source, count(*) FROM find('ferry') GROUP BY 1 ORDER BY 1")
                == [["chats", "test", "1"], ["posts", "test", "2"]])
        _ = try await fixture.gateway.edit(fixture.posts, "3", "title", to: "Ferry schedule")
        #expect(
            try await Self.rows(
                tables, "SELECT key, title FROM find('ferry', 'test_posts, chats') WHERE rank = 1")
                == [["3", "Ferry schedule"]])
        try await fixture.put(TextRow(id: 3, isGone: true))
        #expect(try await Self.rows(tables, "SELECT key FROM find('ferry', 'posts')") == [["1"]])
        try await fixture.gateway.close()
    }

    @Test("may be values of other tables; null finds nothing")
    func correlated() async throws {
        let fixture = try await Self.fixture(),
            tables = try SQLTables([fixture.gateway], SQLTables.threads(patience: .seconds(600)))
        #expect(
            try await Self.rows(
                tables,
                "SELECT p.id, f.key FROM posts p, find(p.title, 'posts') f WHERE p.id < 4 ORDER BY 1, 2"
            ) == [["1", "1"], ["2", "2"], ["3", "3"]])
        #expect(try await Self.rows(tables, "SELECT 1 FROM find(NULL)").isEmpty)
        #expect(try await Self.rows(tables, "SELECT 1 FROM find('ferry', NULL)").isEmpty)
        #expect(
            try await Self.rows(tables, "SELECT words, tables FROM find('ferry', 'chats')")
                == [["ferry", "chats"]])
        #expect(
            try await Self.rows(tables, "SELECT a.key, b.key FROM find('cafe') a, find('quotes') b") == [
                ["2", "4"]
            ])
    }

    @Test("may be joined by USING")
    func using() async throws {
        let fixture = try await Self.fixture(),
            tables = try SQLTables([fixture.gateway], SQLTables.threads(patience: .seconds(600)))
        let sql = "SELECT count(*) FROM find('ferry', 'posts') a JOIN find('crash', 'posts') b USING (key)"
        #expect(try await Self.rows(tables, sql) == [["2"]])
    }

    @Test("are people's, so that no text is an error of syntax")
    func syntax() async throws {
        let fixture = try await Self.fixture(),
            tables = try SQLTables([fixture.gateway], SQLTables.threads(patience: .seconds(600)))
        let index = try await TextIndex([fixture.gateway])
        for words in [
            "a\"b", "ferry AND", "title:ferry", "{ferry", "ferry^2", "NEAR(ferry", "' OR 1", "-x ferry*",
        ] {
            let sql = "SELECT resource || ' ' || key FROM find(:w) ORDER BY rank"
            let found = try await Self.rows(tables, sql, ["w": .text(words)])
            #expect(found.map { $0[0] } == (try await fixture.found(words, index)), "\(words)")
        }
    }

    @Test("that are missing, and tables without texts, are refused")
    func refused() async throws {
        let fixture = try await Self.fixture(),
            tables = try SQLTables([fixture.gateway], SQLTables.threads(patience: .seconds(600)))
        func error(_ sql: String) async -> String {
            do {
                _ = try await Self.rows(tables, sql)
                return ""
            } catch { return (error as? PatchbayError)?.message ?? "\(error)" }
        }
        #expect(await error("SELECT * FROM find") == "find needs words: write FROM find('words')")
        #expect(
            await error("SELECT * FROM find('-x')")
                == "the text has only words that must not occur; add one that must")
        #expect(
            await error("SELECT * FROM find('x', 'post')")
                == "there is no table with texts \"post\" (did you mean \"posts\"?); known: chats, posts")
        #expect(await error("SELECT * FROM find('x', '')").hasPrefix("there is no table with texts \"\""))
        #expect(await error("SELECT * FROM find('x', 'posts', 'y')").contains("too many arguments"))
        #expect(await error("SELECT snippet(find) FROM find('x')").contains("snippet"))
        #expect(await error("INSERT INTO find(words) VALUES ('x')") != "")
        #expect(
            await error("SELECT 1 FROM posts p RIGHT JOIN find('ferry', 'posts') f ON f.key = p._key")
                == "find cannot be to the right of RIGHT JOIN; write FROM find('words') LEFT JOIN ...")
    }

    @Test("make the index only for statements that search, and follow its limits")
    func index() async throws {
        let fixture = try await Self.fixture("sqlite"),
            tables = try SQLTables([fixture.gateway], SQLTables.threads(patience: .seconds(600)))
        #expect(try await Self.rows(tables, "SELECT 'find' AS find FROM posts WHERE id = 1") == [["find"]])
        _ = try await tables.explain("SELECT key FROM find('ferry')")
        #expect(try await !TextIndex([fixture.gateway]).exists)
        try await fixture.put((10...99).map { TextRow(id: $0, body: "other") })
        let steps = try await tables.explain(
            "SELECT p.title FROM find('ferry', 'posts') f JOIN posts p ON p._key = f.key ORDER BY f.rank LIMIT 3"
        )
        #expect(
            steps.steps.map(\.text) == [
                "f: ranked rows by the index of words", "p: one row by its key (_key =)",
            ])
        let rows = try await tables.query("SELECT key FROM find('日本')")
        for try await _ in rows {}
        #expect(
            rows.ending?.missingTexts
                == "words with fewer than three characters are not found in chats without a longer one: \"日本\""
        )
        #expect(rows.ending?.tables.map(\.name) == ["chats", "posts"])
        let chosen = try await tables.query("SELECT key FROM find('ferry', 'posts')")
        for try await _ in chosen {}
        #expect(chosen.ending?.missingTexts == nil && chosen.ending?.tables.map(\.name) == ["posts"])
        #expect(try await TextIndex([fixture.gateway]).exists)
        try await fixture.gateway.close()
    }

    @Test("state that rows may be missing, when more match than are ranked and when the index is behind")
    func missing() async throws {
        let fixture = try await FindFixture("sqlite"),
            tables = try SQLTables([fixture.gateway], SQLTables.threads(patience: .seconds(600)))
        try await fixture.put((1...30_001).map { TextRow(id: $0, title: "common word \($0)") })
        let many = try await tables.query("SELECT count(*) FROM find('common')")
        for try await row in many { #expect(row[0] == 30_000) }
        #expect(
            many.ending?.missingTexts == "more than 30000 rows match; find ranks the latest 30000")
        try await fixture.gateway.store.write { writing in
            // As another program would, which knows no change numbers.
            var row = RowBuilder()
            row.begin(try fixture.posts.collection)
            let places = Dictionary(
                uniqueKeysWithValues: try fixture.posts.collection.fields.enumerated().map { ($1.name, $0) })
            row.set(places["id"]!, Int64(7))
            row.set(places["title"]!, "foreign")
            try writing.put(row.finish(), in: try fixture.posts.collection)
        }
        let foreign = try await tables.query("SELECT key FROM find('common -1 7')")
        var keys: [SQLValue] = []
        for try await row in foreign { keys.append(row[0]) }
        let reason = foreign.ending?.missingTexts
        #expect(keys.isEmpty && reason == TextMismatch.reason, "\(String(describing: reason)) \(keys)")
        try await fixture.gateway.close()
    }
}
