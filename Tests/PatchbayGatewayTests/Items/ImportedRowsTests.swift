import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Rows that are imported into a storage")
struct ImportedRowsTests {
    /// A gateway with three people, the last one with details, and the export of their rows.
    private func fixture() async throws -> (fixture: ItemsFixture, rows: String) {
        let fixture = try await ItemsFixture()
        try await fixture.list(1...3)
        _ = await fixture.show("person-3")
        var text: [UInt8] = []
        let export = try ExportRows(fixture.gateway.store, fixture.people.collection, as: .jsonl)
        _ = try await export.run { text += $0 }
        return (fixture, String(decoding: text, as: UTF8.self))
    }

    private func importing(_ rows: String, to fixture: ItemsFixture, isDeclared: Bool) async throws {
        var rest = Array(rows.utf8)
        let people = fixture.people
        _ = try await ImportRows(
            fixture.gateway.store, people.collection, as: .jsonl, name: "people.jsonl",
            resource: { _ in isDeclared ? people : nil }
        ).run { count in
            defer { rest.removeFirst(min(count, rest.count)) }
            return Array(rest.prefix(count))
        }
    }

    @Test("get back the edits that a clear has kept", arguments: [false, true])
    func keptEdits(_ isDeclared: Bool) async throws {
        let (fixture, rows) = try await fixture()
        try await fixture.edit("person-3", "Mine")
        try await fixture.gateway.clear(fixture.people, keepingEdits: true)
        #expect(try await fixture.count(StoredEdit.collection) == 1)
        try await importing(rows, to: fixture, isDeclared: isDeclared)
        #expect(try await fixture.stored(3)?.name == "Mine")
        #expect(try await fixture.count(StoredEdit.collection) == 0)
        try await fixture.gateway.revert(fixture.people, "person-3")
        #expect(try await fixture.stored(3)?.name == "Person 3")
    }

    @Test("are found by their new titles", arguments: [false, true])
    func titles(_ isDeclared: Bool) async throws {
        let (fixture, rows) = try await fixture()
        try await importing(
            rows.replacing("\"Person 3\"", with: "\"Yak\""), to: fixture, isDeclared: isDeclared)
        #expect(try await fixture.gateway.matches(fixture.people, "yak").items.map(\.id) == [3])
        #expect(try await fixture.gateway.matches(fixture.people, "person 3").items.isEmpty)
    }

    @Test("change the copies of favourites")
    func favourites() async throws {
        let (fixture, rows) = try await fixture()
        try await fixture.gateway.addFavourite(fixture.people, "person-3")
        try await importing(rows.replacing("\"Person 3\"", with: "\"Yak\""), to: fixture, isDeclared: true)
        #expect(try await fixture.gateway.favourites().map(\.title) == ["Yak"])
    }
}
