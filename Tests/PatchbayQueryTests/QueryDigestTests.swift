import Patchbay
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite("Joins and aggregates over every storage", .serialized, .mayBlock, .timeLimit(.minutes(10)))
struct QueryDigestTests {
    private static let statements = [
        "SELECT team, count(*), sum(id), avg(id) FROM people GROUP BY team ORDER BY team",
        "SELECT is_active, min(joined), max(joined) FROM people GROUP BY is_active ORDER BY is_active",
        "SELECT p.login, n.slug FROM people p JOIN notes n ON n.person = p.id ORDER BY p.id, n.slug",
        "SELECT p.team, count(n.slug) FROM people p LEFT JOIN notes n ON n.person = p.id GROUP BY 1 ORDER BY 1",
        "SELECT a.id, b.id FROM people a JOIN people b ON a.age = b.age AND a.id < b.id ORDER BY 1, 2",
        "SELECT id FROM people WHERE age BETWEEN 2 AND 40 ORDER BY age DESC, id DESC LIMIT 20",
        "SELECT person, slug FROM notes WHERE size IN (1, 2, 3, 5, 8) ORDER BY size, person, slug",
        "SELECT id, name, upstream_name FROM people WHERE name IS NOT upstream_name ORDER BY id",
        "SELECT count(*), (SELECT count(*) FROM people_all), (SELECT count(*) FROM notes) FROM people",
        "SELECT id FROM people p WHERE NOT EXISTS (SELECT 1 FROM notes WHERE person = p.id) ORDER BY id",
        "SELECT id, rank() OVER (PARTITION BY team ORDER BY age, id) FROM people ORDER BY team, id",
        "SELECT _key, login FROM people WHERE _key IN ('1', '2', '3') UNION SELECT _key, slug FROM notes "
            + "WHERE at >= '2026' ORDER BY 1, 2",
    ]

    /// The digests of the plans in memory, found by the first of the tests.
    private static let plansInMemory = Task {
        let fixture = try await Self.fixture("memory").fixture
        return try await plans(fixture)
    }

    @Test("have the digests of plain tables, and the same plans", arguments: StoragePlaces.all)
    func digests(_ storage: String) async throws {
        let (fixture, plain) = try await Self.fixture(storage)
        var limits = SQLLimits()
        limits.rows = 100_000
        for statement in Self.statements {
            let rows = try await fixture.rows(statement, [:], limits), expected = try plain.run(statement)
            #expect(!rows.isEmpty, "\(statement)")
            #expect(TextDigest(of: "\(rows)") == TextDigest(of: "\(expected)"), "\(statement)")
        }
        let plans = try await Self.plans(fixture)
        #expect(try await plans == Self.plansInMemory.value)
        try await fixture.gateway.close()
    }

    private static func plans(_ fixture: QueryFixture) async throws -> [[String]] {
        var plans: [[String]] = []
        for statement in statements { plans.append(try await fixture.plan(statement)) }
        return plans
    }

    private static func fixture(_ storage: String) async throws -> (fixture: QueryFixture, plain: PlainTables)
    {
        var random = SeededGenerator(seed: 53)
        let people = RandomPeople.people(500, &random), notes = RandomPeople.notes(400, &random)
        return (
            try await QueryFixture(storage, people: people, notes: notes),
            try PlainTables(people: people, notes: notes)
        )
    }
}
