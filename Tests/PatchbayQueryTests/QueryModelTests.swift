import Foundation
import Patchbay
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite(
    "Statements over tables of a storage and over plain tables", .serialized, .mayBlock,
    .timeLimit(.minutes(30)))
struct QueryModelTests {
    @Test("random statements return the same rows", arguments: StoragePlaces.all)
    func same(_ storage: String) async throws {
        var random = SeededGenerator.fromEnvironment()
        let people = RandomPeople.people(700, &random), notes = RandomPeople.notes(300, &random)
        let codes = RandomPeople.codes(&random)
        let fixture = try await QueryFixture(storage, people: people, notes: notes, codes: codes)
        let plain = try PlainTables(people: people, notes: notes, codes: codes)
        _ = try plain.run("CREATE VIEW test_people AS SELECT * FROM people")
        var statements = RandomStatements(random: random)
        var limits = SQLLimits()
        limits.rows = 1_000_000
        var matched = 0
        for number in 0..<ModelTest.stepsFromEnvironment {
            let (sql, sorted) = statements.next()
            let place: Comment = "statement \(number), PATCHBAY_SEED=\(random.seed): \(sql)"
            let expected = try plain.run(sql)
            let rows: [[SQLValue]]
            do {
                rows = try await fixture.rows(sql, [:], limits)
            } catch {
                Issue.record("\(error) \(place)")
                return
            }
            matched += rows.isEmpty ? 0 : 1
            let isSame =
                rows.map(String.init(describing:)).sorted() == expected.map(String.init(describing:)).sorted()
            try #require(isSame, "\(rows.count) rows, expected \(expected.count): \(place)")
            if let sorted {
                let isSorted = zip(rows, expected).allSatisfy {
                    $0.prefix(sorted).elementsEqual($1.prefix(sorted))
                }
                try #require(isSorted, place)
            }
        }
        #expect(matched > ModelTest.stepsFromEnvironment / 3, "most statements select rows")
        try await fixture.gateway.close()
    }
}
