import Patchbay
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite("The plans of statements", .timeLimit(.minutes(10)))
struct PlanTests {
    @Test(
        "name the index of each table, or that all rows are read",
        arguments: [
            ("SELECT * FROM people WHERE id = 5", ["people: one row by its key (id =)"]),
            ("SELECT * FROM people WHERE _key = '5'", ["people: one row by its key (_key =)"]),
            ("SELECT * FROM people p WHERE id > 5 AND id <= 9", ["p: rows by the key (id >, id <=)"]),
            ("SELECT * FROM people WHERE login = 'ada'", ["people: rows by the index by_login (login =)"]),
            (
                "SELECT * FROM people WHERE login LIKE 'ad%'",
                ["people: rows by the index by_login (login begins with)"]
            ),
            ("SELECT * FROM people WHERE login > 'ad'", ["people: reads all 50 people"]),
            (
                "SELECT * FROM people WHERE team = 'x' ORDER BY joined DESC",
                ["people: rows by the index by_team (team =), in the order that is needed"]
            ),
            (
                "SELECT * FROM people WHERE team GLOB 'a*'",
                ["people: rows by the index by_team (team begins with)"]
            ),
            (
                "SELECT * FROM people ORDER BY joined, id",
                ["people: reads all 50 people along the index by_joined, in the order that is needed"]
            ),
            (
                "SELECT * FROM people ORDER BY score",
                ["people: reads all 50 people", "USE TEMP B-TREE FOR ORDER BY"]
            ),
            ("SELECT * FROM people WHERE name = 'Ada'", ["people: reads all 50 people"]),
            ("SELECT * FROM people WHERE _changed > 5", ["people: rows by the index by_change (_changed >)"]),
            ("SELECT count(*) FROM people_all", ["people_all: counts the rows without reading them"]),
            (
                "SELECT * FROM people p LEFT JOIN notes n ON n.person = p.id",
                ["p: reads all 50 people", "n: rows by the key (person =)"]
            ),
        ])
    func plan(_ sql: String, _ steps: [String]) async throws {
        var random = SeededGenerator(seed: 5)
        let fixture = try await QueryFixture(
            people: RandomPeople.people(50, &random), notes: RandomPeople.notes(50, &random))
        #expect(try await fixture.plan(sql) == steps)
    }

    @Test("are refused for statements that would be")
    func refused() async throws {
        let fixture = try await QueryFixture()
        for sql in [
            "DELETE FROM people", "SELECT 1; SELECT 2", "SELECT * FROM sqlite_master", "PRAGMA user_version",
        ] {
            await #expect(throws: PatchbayError.self) { _ = try await fixture.tables.explain(sql) }
        }
    }

    @Test(
        "common tables are counted as often as SQLite replaces them, and as deep as they are within each other"
    )
    func commonTables() {
        func size(_ sql: String) -> StatementWords.Size {
            StatementWords(sql).size(selectsMax: 1_000_000, depthMax: SQLLimits.depthMax)
        }
        func count(_ sql: String) -> Int { size(sql).selects }
        #expect(count("SELECT 1 FROM people") == 1)
        #expect(count("WITH a AS (SELECT 1) SELECT a.x, a.y FROM a") == 2)
        #expect(count("WITH a AS (SELECT 1), b AS (SELECT 1 FROM a, a) SELECT 1 FROM b, b") == 7)
        #expect(count("WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT 1 FROM a") < 10)
        #expect(count("SELECT 'WITH a AS (' -- a AS (\n /* a AS ( */ FROM people") == 1)
        #expect(count(Escapes.doubling(40)) > SQLLimits.selectsMax)
        #expect(count(Escapes.doubling(8)) < SQLLimits.selectsMax)
        #expect(size(Escapes.chain(199)).selects == 201 && size(Escapes.chain(199)).depth == 200)
        #expect(size(Escapes.chain(200)).depth > SQLLimits.depthMax)
        #expect(size(Escapes.chain(100_000)).depth > SQLLimits.depthMax)
    }

    @Test("tables of WITH may be within each other, up to a limit")
    func chains() async throws {
        let fixture = try await QueryFixture()
        #expect(try await fixture.rows(Escapes.chain(199)) == [[1]])
        let message = await fixture.error(Escapes.chain(200))?.message
        #expect(message == "more than 200 tables of WITH are within each other; use fewer")
    }
}
