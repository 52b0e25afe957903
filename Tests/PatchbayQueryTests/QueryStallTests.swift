import Patchbay
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite("Readers of statements that stall beside a writer", .serialized, .mayBlock, .timeLimit(.minutes(10)))
struct QueryStallTests {
    /// The size of a storage's files, or of its tables in PostgreSQL, in bytes.
    private static func size(_ fixture: QueryFixture) async throws -> Int {
        try await fixture.gateway.store.storage.describe().files.reduce(0) { $0 + $1.bytes }
    }

    private static func write(_ count: Int, _ fixture: QueryFixture, _ people: [Person]) async throws {
        for round in 0..<count {
            try await fixture.put(
                people.map { person in
                    var person = person
                    person.name = "round \(round) of \(person.id)"
                    return person
                })
        }
    }

    @Test(
        "a hundred of them do not make the files grow for longer than their statements run",
        arguments: StoragePlaces.durable)
    func growth(_ storage: String) async throws {
        var random = SeededGenerator(seed: 9)
        let people = RandomPeople.people(300, &random)
        let fixture = try await QueryFixture(storage, people: people)
        try await Self.write(60, fixture, people)
        let before = try await Self.size(fixture)
        var limits = SQLLimits()
        (limits.rows, limits.bytes, limits.time) = (.max, .max, .milliseconds(200))
        let sql = "SELECT printf('%2000s', a.id) FROM people a, people b, people c"
        let readers = try await withThrowingTaskGroup(of: SQLRows.self) { group in
            for _ in 0..<100 {
                group.addTask { [limits] in try await fixture.tables.query(sql, limits: limits) }
            }
            try await Self.write(60, fixture, people)
            return try await group.reduce(into: [SQLRows]()) { $0.append($1) }
        }
        for reader in readers {
            // Ends although nothing is read.
            while reader.session.buffer.isOpen { try await Task.sleep(for: .milliseconds(20)) }
        }
        // How far the files have grown meanwhile depends on how many writes one statement outlasts. A reader that was
        // still there would make them grow by as much again with each round. In PostgreSQL, so do other tests'
        // transactions while they last.
        var size = try await Self.size(fixture), growth = Int.max
        for _ in 0..<20 where growth > before / 2 {
            try await Self.write(60, fixture, people)
            let former = size
            size = try await Self.size(fixture)
            growth = size - former
        }
        #expect(readers.count == 100)
        #expect(growth <= before / 2, "\(before), \(size) bytes")
        try await fixture.gateway.close()
    }
}
