import Patchbay
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite("Joins and aggregates over every storage", .mayBlock, .timeLimit(.minutes(10)))
struct QueryDigestTests {
    private static let statements = [
        "SELECT team, count(*), sum(age), avg(age) FROM people GROUP BY team ORDER BY team",
        "SELECT is_active, min(joined), max(joined) FROM people GROUP BY is_active ORDER BY is_active",
        "SELECT p.login, n.slug FROM people p JOIN notes n ON n.person = p.id ORDER BY p.id, n.slug",
        "SELECT p.team, count(n.slug) FROM people p LEFT JOIN notes n ON n.person = p.id GROUP BY 1 ORDER BY 1",
        "SELECT a.id, b.id FROM people a JOIN people b ON a.age = b.age AND a.id < b.id ORDER BY 1, 2",
        "SELECT id FROM people WHERE age BETWEEN 20 AND 30 ORDER BY age DESC, id DESC LIMIT 20",
        "SELECT person, slug FROM notes WHERE size IN (1, 2, 3, 5, 8) ORDER BY size, person, slug",
        "SELECT id, name, upstream_name FROM people WHERE name IS NOT upstream_name ORDER BY id",
        "SELECT count(*), (SELECT count(*) FROM people_all), (SELECT count(*) FROM notes) FROM people",
        "SELECT id FROM people WHERE NOT EXISTS (SELECT 1 FROM notes WHERE person = people.id) ORDER BY id",
        "SELECT id, rank() OVER (PARTITION BY team ORDER BY age, id) FROM people ORDER BY team, id",
        "SELECT _key, login FROM people WHERE _key IN ('1', '2', '3') UNION SELECT _key, slug FROM notes "
            + "WHERE at >= '2026' ORDER BY 1, 2",
    ]

    @Test("have equal digests, and the same plans", arguments: StoragePlaces.all)
    func digests(_ storage: String) async throws {
        var random = SeededGenerator(seed: 53)
        let fixture = try await QueryFixture(
            storage, people: RandomPeople.people(500, &random), notes: RandomPeople.notes(400, &random))
        var answers = "", plans = "", counts: [Int] = []
        var limits = SQLLimits()
        limits.rows = 100_000
        for statement in Self.statements {
            let rows = try await fixture.rows(statement, [:], limits)
            counts.append(rows.count)
            answers += "\(rows)\n"
            plans += try await fixture.plan(statement).joined(separator: "\n") + "\n\n"
        }
        #expect(!counts.contains(0), "\(counts)")
        #expect(TextDigest(of: answers).description == "")
        #expect(TextDigest(of: plans).description == "", "\(plans)")
        try await fixture.gateway.close()
    }
}
