import Patchbay
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite("The number of rows in a statement", .timeLimit(.minutes(10)))
struct CountTests {
    @Test("is that of the storage if the statement is nothing else")
    func alone() async throws {
        var random = SeededGenerator(seed: 7)
        let fixture = try await QueryFixture(people: RandomPeople.people(50, &random))
        for sql in ["SELECT count(*) FROM people_all", "select Count( * ) -- all\nfrom \"people_all\""] {
            #expect(StatementWords(sql + ";").isOnlyCount)
            #expect(try await fixture.rows(sql + ";") == [[50]])
        }
    }

    @Test("comes from SQLite if the statement has another part")
    func besides() async throws {
        var random = SeededGenerator(seed: 7)
        let fixture = try await QueryFixture(people: RandomPeople.people(50, &random))
        for (sql, rows) in [
            ("SELECT count(*) + 1 FROM people_all", [[51]]), ("SELECT count(*) FROM people_all LIMIT 0", []),
            ("SELECT count(*) FROM people_all, people_all p", [[2_500]]),
            ("SELECT count(*) FROM people_all WHERE id < 0", [[0]]),
            ("SELECT count(*) FROM people_all GROUP BY 1 = 2", [[50]]),
            ("SELECT count(*) FROM people_all UNION ALL SELECT 1", [[50], [1]]),
            ("SELECT (SELECT count(*) FROM people_all)", [[50]]),
            ("SELECT count(id) FROM people_all", [[50]]),
        ] as [(String, [[SQLValue]])] {
            #expect(!StatementWords(sql).isOnlyCount)
            #expect(try await fixture.rows(sql) == rows, "\(sql)")
        }
        var limits = SQLLimits()
        limits.rows = 0
        #expect(try await fixture.rows("SELECT count(*) FROM people_all", [:], limits) == [])
    }

    @Test("leaves out gone rows where the table does")
    func listed() async throws {
        var gone = Person(id: 1, login: "eve")
        gone.gone = 1_767_225_600_000
        let fixture = try await QueryFixture(people: [gone, Person(id: 2, login: "ada")])
        #expect(try await fixture.rows("SELECT count(*) FROM people") == [[1]])
        #expect(try await fixture.rows("SELECT count(*) FROM people_all") == [[2]])
    }
}
