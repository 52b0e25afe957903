import Patchbay
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite("SQL over stored rows", .timeLimit(.minutes(10)))
struct QueryTests {
    private let people: [Person] = {
        var ada = Person(id: 1, login: "ada")
        ada.name = "Ada"
        ada.nameEdit = "Countess"
        ada.joined = 1_767_225_600_000
        ada.fetched = QueryFixture.now.milliseconds - 90_000
        ada.change = 7
        var bob = Person(id: 2, login: "Bob")
        bob.name = "Bob"
        bob.nameEdit = ""
        bob.joined = 1_767_225_600_500
        bob.isActive = true
        bob.tags = #"["a","b"]"#
        var eve = Person(id: 3, login: "eve")
        eve.gone = 1_767_225_600_000
        return [ada, bob, eve]
    }()

    private func fixture(_ storage: String = "memory") async throws -> QueryFixture {
        try await QueryFixture(storage, people: people)
    }

    @Test("several tasks that read the same rows share them", .timeLimit(.minutes(1)))
    func consumers() async throws {
        let fixture = try await QueryFixture()
        var limits = SQLLimits()
        limits.rows = 20_000
        let numbers =
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000) SELECT x FROM n"
        let rows = try await fixture.tables.query(numbers, limits: limits)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var count = 0
                    for try await _ in rows { count += 1 }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(count == 20_000 && rows.ending?.limit == nil)
    }

    @Test("columns have local edits, and hidden columns the rest")
    func columns() async throws {
        let fixture = try await fixture()
        #expect(
            try await fixture.rows(
                "SELECT id, name, upstream_name, _key, _age, _changed FROM people ORDER BY id") == [
                    [1, "Countess", "Ada", "1", 90, 7], [2, .null, "Bob", "2", 0, .null],
                ])
        let rows = try await fixture.tables.query("SELECT * FROM people")
        #expect(rows.columns == Person.declaration.fields.map(\.name))
        #expect(
            try await fixture.rows("SELECT value FROM people, json_each(tags) ORDER BY 1") == [["a"], ["b"]])
        #expect(try await fixture.rows("SELECT login FROM people WHERE is_active") == [["Bob"]])
    }

    @Test("times are texts that sort as times, whatever their fraction")
    func times() async throws {
        let fixture = try await fixture()
        #expect(
            try await fixture.rows("SELECT joined FROM people ORDER BY joined") == [
                ["2026-01-01T00:00:00Z"], ["2026-01-01T00:00:00.500Z"],
            ])
        let later = "SELECT id FROM people WHERE joined > '2026-01-01T00:00:00Z'"
        #expect(try await fixture.rows(later) == [[2]])
        #expect(try await fixture.rows("SELECT max(joined) FROM people") == [["2026-01-01T00:00:00.500Z"]])
        #expect(try await fixture.rows("SELECT date(joined) FROM people WHERE id = 1") == [["2026-01-01"]])
    }

    @Test("rows that are no longer listed are in the table of all rows only")
    func gone() async throws {
        let fixture = try await fixture()
        #expect(try await fixture.rows("SELECT count(*) FROM people") == [[2]])
        #expect(try await fixture.rows("SELECT count(*) FROM people_all") == [[3]])
        let gone = "SELECT id, _gone_at FROM test_people_all WHERE _gone_at IS NOT NULL"
        #expect(try await fixture.rows(gone) == [[3, "2026-01-01T00:00:00Z"]])
        #expect(try await fixture.rows("SELECT count(*) FROM people WHERE _gone_at IS NOT NULL") == [[0]])
    }

    @Test("parameters are bound by name; a missing and an unknown one are refused")
    func parameters() async throws {
        let fixture = try await fixture()
        let sql = "SELECT id FROM people WHERE login = :login AND id < $most"
        #expect(try await fixture.rows(sql, ["login": "ada", "most": 5]) == [[1]])
        #expect(await fixture.error(sql, ["login": "ada"])?.message == "the parameter :most has no value")
        #expect(
            await fixture.error(sql, ["login": "ada", "most": 5, "x": 1])?.message
                == "the statement has no parameter :x")
        #expect(await fixture.error("SELECT ?")?.message.contains("write :name") == true)
        #expect(SQLValue(typed: "007") == "007" && SQLValue(typed: "7") == 7 && SQLValue(typed: "0.5") == 0.5)
    }

    @Test(
        "unknown names are answered with the nearest known ones",
        arguments: [
            (
                "SELECT * FROM pepole",
                "no such table: pepole (did you mean \"people\"?); known: people, notes"
            ),
            ("SELECT logn FROM people", "no such column: logn (did you mean \"login\"?)"),
            ("SELECT p.logn FROM people p", "no such column: p.logn (did you mean \"login\"?)"),
            ("SELECT id FROM people WHERE login = \"ada\"", "no such column: ada; write a text in single"),
            ("SELECT cuont(*) FROM people", "no such function: cuont (did you mean \"count\"?)"),
        ])
    func unknown(_ sql: String, _ message: String) async throws {
        let error = await (try fixture()).error(sql)
        #expect(
            error?.code == .invalidValue && error?.message.hasPrefix(message) == true,
            "\(error?.message ?? "")")
    }

    @Test("limits end the rows early, and the ending names the limit")
    func limits() async throws {
        let fixture = try await fixture()
        func ending(_ sql: String, _ change: (inout SQLLimits) -> Void) async throws -> (Int, SQLLimit?) {
            var limits = SQLLimits(), count = 0
            change(&limits)
            let rows = try await fixture.tables.query(sql, limits: limits)
            for try await _ in rows { count += 1 }
            return (count, try #require(rows.ending).limit)
        }
        let all = "SELECT id FROM people_all"
        #expect(try await ending(all) { $0.rows = 2 } == (2, .rows))
        #expect(try await ending(all) { $0.rows = 3 } == (3, nil))
        for rows in [0, -1, .min] { #expect(try await ending(all) { $0.rows = rows } == (0, .rows)) }
        #expect(try await ending(all) { $0.bytes = 50 } == (2, .bytes))
        let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
        #expect(try await ending(endless) { $0.time = .milliseconds(100) } == (0, .time))
    }

    @Test("a reader that stalls does not keep the snapshot after the deadline")
    func stalled() async throws {
        var random = SeededGenerator(seed: 3)
        let fixture = try await QueryFixture(people: RandomPeople.people(300, &random))
        var limits = SQLLimits()
        (limits.rows, limits.bytes) = (.max, .max)
        limits.time = .milliseconds(300)
        let rows = try await fixture.tables.query("SELECT a.*, b.* FROM people a, people b", limits: limits)
        var iterator = rows.makeAsyncIterator()
        _ = try await iterator.next()
        // Ends although nothing is read.
        while rows.session.buffer.isOpen { try await Task.sleep(for: .milliseconds(20)) }
        var count = 1
        while try await iterator.next() != nil { count += 1 }
        #expect(count < 90_000 && rows.ending?.limit == .time)
    }

    @Test("a statement that has used too much memory ends for this reason even if the memory is released")
    func memory() async throws {
        var limits = SQLLimits()
        limits.memory = 256 << 20
        let stops = try await fixture().gateway.store.read { [limits] reading in
            // Other tests use SQLite in this process, so its own count is not exact.
            var used: Int64 = 1 << 30
            let run = StatementRun(
                reading.snapshot, now: QueryFixture.now, limits, .now + .seconds(60), RowBuffer(),
                memoryUsed: { used })
            let before = run.stop
            used += Int64(limits.memory) + 1
            let during = run.stop
            used = 0
            return [before, during, run.stop]
        }
        #expect(stops == [nil, .memory, .memory])
    }

    @Test("rows that are not read any more end the statement, and so does a cancelled task")
    func abandoned() async throws {
        let fixture = try await fixture()
        let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
        var limits = SQLLimits()
        (limits.rows, limits.bytes, limits.time) = (.max, .max, .seconds(3_600))
        do {
            let rows = try await fixture.tables.query(endless, limits: limits)
            var iterator = rows.makeAsyncIterator()
            #expect(try await iterator.next()?[0] == 1)
        }
        let task = Task {
            for try await _ in try await fixture.tables.query(endless, limits: limits) {}
        }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // All threads are free again.
        for _ in 0..<8 { #expect(try await fixture.rows("SELECT 1") == [[1]]) }
    }

    @Test("a statement sees one snapshot", arguments: StoragePlaces.all)
    func snapshot(_ storage: String) async throws {
        var random = SeededGenerator(seed: 4)
        let fixture = try await QueryFixture(storage, people: RandomPeople.people(1_000, &random))
        let rows = try await fixture.tables.query(
            "SELECT id, _gone_at FROM people_all ORDER BY id",
            limits: {
                var limits = SQLLimits()
                limits.rows = 2_000
                return limits
            }())
        var iterator = rows.makeAsyncIterator(), count = 0
        _ = try await iterator.next()
        try await fixture.put((2_001...2_100).map { Person(id: $0, login: "new-\($0)") })
        while try await iterator.next() != nil { count += 1 }
        #expect(count == 999)
        #expect(try await fixture.rows("SELECT count(*) FROM people_all") == [[1_100]])
        try await fixture.gateway.close()
    }

    @Test("two sources with the same resource are named, and so is the error for the short name")
    func several() async throws {
        func source(_ word: String) -> Source {
            var source = Source(name: word)
            source.word = word
            source.resources = word == "a" ? [Person.declaration, Note.declaration] : [Person.declaration]
            return source
        }
        let clock = ManualClock().layerClock
        let gateways = try await Gateways(
            storage: MemoryStorage(), sources: [source("a"), source("b")], clock: clock)
        let tables = SQLTables(gateways)
        #expect(
            tables.names == ["a_people", "notes", "b_people", "a_people_all", "notes_all", "b_people_all"])
        var count = 0
        for try await _ in try await gateways.query("SELECT 1 FROM a_people, b_people, a_notes") {
            count += 1
        }
        #expect(count == 0)
        await #expect {
            _ = try await tables.query("SELECT 1 FROM people")
        } throws: { error in
            (error as? PatchbayError)?.message
                == "no such table: people; several sources have people: a_people, b_people"
        }
    }

    @Test(
        "an outer join keeps rows for which a condition of its ON is not true",
        arguments: [
            "p.team IS NOT NULL", "p.team GLOB 'a*'", "p.login LIKE 'a%'", "p.joined IS NOT NULL",
            "p.age <> 5",
        ])
    func outerJoins(_ condition: String) async throws {
        var random = SeededGenerator(seed: 6)
        let people = RandomPeople.people(40, &random), notes = RandomPeople.notes(20, &random)
        let fixture = try await QueryFixture(people: people, notes: notes)
        let plain = try PlainTables(people: people, notes: notes)
        for kind in ["LEFT", "FULL", "LEFT OUTER", "RIGHT"] {
            let sql = "SELECT count(*) FROM people p \(kind) JOIN notes n ON n.person = p.id AND \(condition)"
            #expect(try await fixture.rows(sql) == plain.run(sql), "\(sql)")
        }
    }

    @Test(
        "texts are compared with the numbers of a column as numbers, also by a statement that began with other plans"
    )
    func numbers() async throws {
        let codes = [("00501", 3, "05"), ("5", 2, "5"), ("05", 1, "5.0"), ("501", 9, "x")].map {
            Code(code: $0, num: $1, alt: $2)
        }
        let people = [Int64(5), 501].map { number in
            var person = Person(id: number, login: "\(number)")
            person.age = number
            return person
        }
        let fixture = try await QueryFixture(people: people, codes: codes)
        let lists = "SELECT num FROM codes WHERE code IN (SELECT age FROM people) ORDER BY num"
        #expect(try await fixture.rows(lists) == [[1], [2], [3], [9]])
        let rows = "SELECT num FROM codes WHERE (code, num) IN (SELECT age, 3 FROM people)"
        #expect(try await fixture.rows(rows) == [[3]])
        let keys = "SELECT c.num FROM people p JOIN codes c ON c._key = p.age ORDER BY c.num"
        #expect(try await fixture.rows(keys) == [[1], [2], [3], [9]])
        let first =
            "SELECT (SELECT num FROM codes WHERE alt = p.age ORDER BY num LIMIT 1) FROM people p WHERE id = 5"
        #expect(try await fixture.rows(first) == [[1]])
        #expect(try await fixture.rows("SELECT num FROM codes WHERE code = :c", ["c": 5]) == [[2]])
        // The first rows have been passed on when the number is met.
        let late =
            "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 1000) SELECT x FROM r UNION ALL "
            + "SELECT num FROM codes WHERE code IN (SELECT age FROM people)"
        #expect(await fixture.error(late)?.message.hasPrefix("IN compares the texts of codes.code") == true)
    }

    @Test("tables whose columns are only in USING or NATURAL JOIN are among those of the ending")
    func using() async throws {
        let fixture = try await fixture()
        for join in ["JOIN notes b USING (slug)", "NATURAL JOIN notes b"] {
            let rows = try await fixture.tables.query("SELECT count(*) FROM notes a \(join)")
            for try await _ in rows {}
            #expect(try #require(rows.ending).tables.map(\.name) == ["notes"], "\(join)")
            let both = "SELECT count(*) FROM people_all p JOIN notes n USING (_key)"
            #expect(try await fixture.tables.resources(named: both).map(\.name) == ["notes", "people"])
        }
    }

    @Test("functions of texts have the results of SQLite")
    func textFunctions() async throws {
        let fixture = try await QueryFixture(), plain = try PlainTables()
        var random = SeededGenerator.fromEnvironment()
        let pieces = ["a", "b", "é", "日", "🐚", " ", "ab", "\0", "", "aé"]
        func value() -> String {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: return "NULL"
            case 1: return "12"
            case 2: return "x'61C3A9'"
            default:
                let text = (0..<Int.random(in: 0..<6, using: &random)).map { _ in random.pick(pieces) }
                    .joined()
                return text.split(separator: "\0", omittingEmptySubsequences: false).map { "'\($0)'" }
                    .joined(separator: " || char(0) || ")
            }
        }
        for _ in 0..<1_000 {
            let call = random.pick([
                "instr(?, ?)", "replace(?, ?, ?)", "trim(?, ?)", "ltrim(?, ?)", "rtrim(?, ?)", "trim(?)",
            ])
            let filled = call.map { $0 == "?" ? value() : String($0) }.joined()
            let sql = "SELECT quote(\(filled)), typeof(\(filled)), hex(\(filled))"
            #expect(try await fixture.rows(sql) == plain.run(sql), "\(sql), PATCHBAY_SEED=\(random.seed)")
        }
    }

    @Test("the ending names the tables, and those that were never synced")
    func uses() async throws {
        let fixture = try await fixture()
        let rows = try await fixture.tables.query("SELECT count(*) FROM people_all, notes")
        for try await _ in rows {}
        let tables = try #require(rows.ending).tables
        #expect(tables.map(\.name) == ["notes", "people_all"] && tables.allSatisfy { $0.listsSynced == 0 })
    }
}
