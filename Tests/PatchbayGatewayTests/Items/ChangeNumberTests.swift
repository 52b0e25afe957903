import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayCore
@testable import PatchbayGateway

@Suite("Change numbers")
struct ChangeNumberTests {
    private func numbers(_ fixture: ResourceFixture) async throws -> [Int64: Int64] {
        Dictionary(
            uniqueKeysWithValues: try await fixture.stored().map { ($0.id, $0.changeNumber) })
    }

    private func incarnation(_ gateway: Gateway) async throws -> Incarnation {
        try #require(try await gateway.store.read { try $0.incarnation() })
    }

    @Test("each kind of change gives a row the next number, and the same values give none")
    func kinds() async throws {
        let fixture = try await ResourceFixture(people: 1...5), gateway = fixture.gateway
        let people = try gateway.resource("people")
        _ = try await gateway.syncPeople().run()
        #expect(try await numbers(fixture) == [1: 1, 2: 1, 3: 1, 4: 1, 5: 1])

        fixture.clock.advance(by: .seconds(60))
        _ = try await gateway.sync(gateway.people(), from: .theBeginning).run()
        #expect(try await incarnation(gateway).last == 1, "nothing has changed")

        try await gateway.edit("user-3", name: "Local")
        #expect(try await numbers(fixture)[3] == 2)
        try await gateway.edit("user-3", name: "Local")
        #expect(try await incarnation(gateway).last == 2, "the same edit changes nothing")
        try await gateway.edit("user-3", name: nil)
        #expect(try await numbers(fixture)[3] == 3)

        _ = try await gateway.store.write {
            try $0.change(.integer(4), of: people) {
                $0.refuse(StoredRefusal(Refusal(.blocked), since: fixture.clock.now()))
            }
        }
        #expect(try await numbers(fixture)[4] == 4)

        fixture.feed.change("people") { $0.removeAll { $0.id == 2 } }
        fixture.clock.advance(by: .seconds(60))
        _ = try await gateway.sync(gateway.people(), from: .theBeginning).run()
        #expect(try await numbers(fixture) == [1: 1, 2: 5, 3: 3, 4: 4, 5: 1], "gone")
        fixture.feed.change("people") { $0 = ScriptedFeed.people(1...5) }
        fixture.clock.advance(by: .seconds(60))
        _ = try await gateway.sync(gateway.people(), from: .theBeginning).run()
        #expect(try await numbers(fixture) == [1: 1, 2: 6, 3: 3, 4: 4, 5: 1], "listed again")

        try await gateway.clearPeople()
        let clearing = try await fixture.stored(StoredClearing.self).first
        #expect(clearing?.changeNumber == 7)
        fixture.clock.advance(by: .seconds(60))
        _ = try await gateway.syncPeople().run()
        #expect(Set(try await numbers(fixture).values) == [8])
    }

    @Test("a walk along the index visits each row once, in the order of the last changes")
    func order() async throws {
        let fixture = try await ResourceFixture(people: 1...50), gateway = fixture.gateway
        let people = try gateway.resource("people")
        _ = try await gateway.syncPeople().run()
        for login in ["user-9", "user-2", "user-30"] { try await gateway.edit(login, name: "Edited") }
        let walked = try await gateway.store.read {
            try $0.items(Query(people.collection, by: people.changeIndex), of: people)
        }
        #expect(walked.count == 50 && Set(walked.map(\.id)).count == 50)
        #expect(walked.suffix(3).map(\.id) == [9, 2, 30])
        #expect(walked.map(\.changeNumber) == walked.map(\.changeNumber).sorted())
    }

    @Test(
        "a number that another program wrote, and that no storage can have given, ends its incarnation",
        arguments: [Int64.min, -1, 1 << 62, .max - 1, .max])
    func impossible(_ number: Int64) async throws {
        let fixture = try await ResourceFixture(people: 1...5), gateway = fixture.gateway
        _ = try await gateway.syncPeople().run()
        let before = try await gateway.changes().position
        try await gateway.store.write { writing in
            var incarnation = try #require(try writing.reading.incarnation())
            incarnation.last = number
            try writing.put(incarnation)
        }
        try await gateway.edit("user-3", name: "Local")
        let news = try await gateway.changes(since: before)
        #expect(news.restart == .unknownPosition && news.changes.count == 5)
        try await gateway.edit("user-4", name: "Local")
        #expect(try await gateway.changes(since: news.position).changes.count == 1)
    }

    @Test("a rolled back transaction gives no number")
    func rolledBack() async throws {
        let fixture = try await ResourceFixture(people: 1...5), gateway = fixture.gateway
        _ = try await gateway.syncPeople().run()
        let before = try await incarnation(gateway)
        await #expect(throws: PatchbayError.self) {
            try await gateway.store.write { writing in
                _ = try writing.changeNumber()
                throw PatchbayError(.conflict, "stopped")
            }
        }
        #expect(try await incarnation(gateway) == before)
    }

    @Test("rows of an earlier version have no number until they change")
    func unnumbered() async throws {
        let fixture = try await ResourceFixture(people: 1...5), gateway = fixture.gateway
        try await gateway.put(ScriptedFeed.people(1...5))
        #expect(Set(try await numbers(fixture).values) == [1])
        let people = try gateway.resource("people")
        let position = people.changeNumberPosition
        #expect(people.collection.fields[position].isOwnStorage)
    }

    private final class Placed: StorageWriterWrapper {
        let inner: any StorageWriter
        let identity: StorageIdentity?
        init(_ inner: any StorageWriter, _ identity: StorageIdentity?) {
            (self.inner, self.identity) = (inner, identity)
        }
    }

    private func write(_ storage: MemoryStorage, at identity: StorageIdentity?) async throws -> Incarnation {
        try await storage.write { writer in
            var writing = Writing(Placed(writer, identity))
            _ = try writing.changeNumber()
            return try writing.reading.incarnation()!
        }
    }

    @Test("a new incarnation begins at another place and after a restart that may have lost commits")
    func incarnations() async throws {
        let storage = MemoryStorage()
        try await storage.open(Schema.patchbay)
        let now = MachineStart.identifier
        let first = try await write(storage, at: StorageIdentity(place: "a"))
        #expect(first.first == 1 && first.last == 1)
        var next = try await write(storage, at: StorageIdentity(place: "a", start: now))
        #expect(next.id == first.id && next.last == 2, "a writer that may lose commits joins")
        next = try await write(storage, at: StorageIdentity(place: "a"))
        #expect(next.id == first.id && next.last == 3)
        let moved = try await write(storage, at: StorageIdentity(place: "b"))
        #expect(moved.id != first.id && moved.first == 4 && moved.last == 4)

        try await storage.write { writer in
            var writing = Writing(Placed(writer, nil))
            var lost = try writing.reading.incarnation()!
            lost.start = "before the restart"
            try writing.put(lost)
        }
        let restarted = try await write(storage, at: StorageIdentity(place: "b"))
        #expect(restarted.id != moved.id && restarted.first == 5)
        let all = try await storage.read {
            try Reading($0).list(Incarnation.self, Query(Incarnation.collection))
        }
        #expect(all.map(\.first) == [1, 4, 5])
    }
}
