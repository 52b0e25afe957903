import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Clearing and initialising lists")
struct ClearListsTests {
    /// The number of stored rows, pages, stretches and cursors.
    private func count(_ fixture: ResourceFixture, of name: String = "people") async throws -> Int {
        let rows = try fixture.gateway.resource(name).collection
        return try await fixture.gateway.store.read {
            try $0.count(Query(rows)) + $0.count(Query(StoredListPage.collection))
                + $0.count(Query(StoredListStretch.collection)) + $0.count(Query(StoredListRun.collection))
        }
    }

    private func question(_ gateway: Gateway, about name: String) throws -> NamedQuestion {
        try name == "people" ? gateway.people() : gateway.projects()
    }

    /// A gateway whose answers arrive after a clear by another gateway over the same storage.
    private func overtaken(_ fixture: ResourceFixture, of name: String = "people") async throws -> Gateway {
        try await fixture.interrupted { [gateway = fixture.gateway] in
            try await gateway.clear(gateway.resource(name))
        }
    }

    @Test("clear removes rows, pages and the cursor; init fetches the first page once")
    func clearAndInit() async throws {
        let fixture = try await ResourceFixture(), gateway = fixture.gateway
        let question = try gateway.people(), people = try gateway.resource("people")
        #expect(try await gateway.initialize(question) == 20)
        #expect(try await gateway.initialize(question) == nil)
        #expect(fixture.requests == ["people after 0"])
        _ = try await gateway.syncPeople().run()
        #expect(try await gateway.clear(people).rows == 50)
        #expect(try await count(fixture) == 0)
        #expect(try await gateway.initialize(question) == 20)
        #expect(fixture.requests.last == "people after 0")
        #expect(try await gateway.listPeople(policy: .localOnly).ending.value?.items.count == 20)
    }

    @Test("an imported count of clearings is not a limit for lists")
    func manyClearings() async throws {
        let gateway = try await ResourceFixture().gateway
        let question = try gateway.people(), people = try gateway.resource("people")
        let imported = StoredClearing(
            list: people.collection.name, count: .max, clearedAt: Timestamp(milliseconds: 0))
        try await gateway.store.write { try $0.put(imported) }
        #expect(try await gateway.initialize(question) == 20)
        #expect(try await gateway.clear(people).rows == 20)
        #expect(try await gateway.initialize(question) == 20)
    }

    @Test(
        "a list fetched while the rows are cleared is not saved", arguments: [false, true],
        ["people", "projects"])
    func overtakenList(_ isStored: Bool, _ name: String) async throws {
        let fixture = try await ResourceFixture()
        let known = try question(fixture.gateway, about: name)
        if isStored { _ = await fixture.gateway.list(known).ending }
        let gateway = try await overtaken(fixture, of: name)
        let asked = try question(gateway, about: name)
        #expect(await gateway.list(asked).ending.outcome.word == "failed: conflict")
        #expect(try await count(fixture, of: name) == 0)
        let error = await #expect(throws: PatchbayError.self) { try await gateway.initialize(asked) }
        #expect(error?.code == .conflict)
        #expect(try await count(fixture, of: name) == 0)
    }

    @Test("a confirmation of a page that arrives after a clear is not saved")
    func overtakenConfirmation() async throws {
        let fixture = try await ResourceFixture(people: 1...20)
        let gateway = try await overtaken(fixture)
        _ = try await fixture.list(limit: 10)
        #expect(try await gateway.listPeople(limit: 10).ending.outcome.word == "failed: conflict")
        #expect(try await count(fixture) == 0)
    }

    @Test(
        "a sync during a clear ends with a conflict and saves no row", arguments: ["people", "projects"])
    func overtakenSync(_ name: String) async throws {
        let fixture = try await ResourceFixture()
        let gateway = try await overtaken(fixture, of: name)
        let (end, _) = try await gateway.sync(question(gateway, about: name)).run()
        #expect(end.word == "failed: conflict")
        #expect(try await count(fixture, of: name) == 0)
    }
}
