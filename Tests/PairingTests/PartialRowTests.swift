import PatchbayCore
import PatchbayDomain
import PatchbayGateway
@testable import PatchbayTestKit
import TestSupport
import Testing

/// Rows from an import or another program lack some of Patchbay's columns; the values that they have are used.
@Suite("Rows from elsewhere over every storage", .mayBlock, .timeLimit(.minutes(5)))
struct PartialRowTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    private func gateway(_ plugin: String) async throws -> Gateway {
        try await Gateway(
            storage: folder.storage(plugin, "store.\(plugin)"), source: ScriptedFeed().source(),
            now: { Timestamp(milliseconds: 2_000) })
    }

    /// Writes a row with only these columns.
    private func write(_ values: [String: FieldValue], of name: String, to gateway: Gateway) async throws {
        let collection = try gateway.resource(name).collection
        try await gateway.store.write { writing in
            var row = RowBuilder()
            row.begin(collection)
            for (name, value) in values {
                let position = try #require(collection.fields.firstIndex { $0.name == name })
                switch value {
                case .integer(let number): row.set(position, number)
                case .text(let text): row.set(position, text)
                default: break
                }
            }
            try writing.put(row.finish(), in: collection)
        }
    }

    private func found(_ text: String, in gateway: Gateway) async throws -> [String?] {
        let answers = gateway.search(try gateway.people, text, limit: 3, policy: .localOnly)
        return await answers.ending.value?.items.map(\.shownName) ?? []
    }

    private func item(_ id: Int64, of name: String, in gateway: Gateway) async throws -> Item? {
        try await gateway.stored(name).first { $0.id == id }
    }

    @Test(
        "a name without a detail time is shown, found, and kept when names are indexed",
        arguments: StorageFolder.durable)
    func name(_ plugin: String) async throws {
        var gateway = try await gateway(plugin)
        try await write(
            [
                "id": .integer(7), "login": .text("ada"), "name": .text("Straße"),
                "fetched_at_ms": .integer(1_000),
            ], of: "people", to: gateway)
        try await gateway.close()
        gateway = try await self.gateway(plugin)
        let stored = try await item(7, of: "people", in: gateway)
        #expect(stored?.shownName == "Straße" && stored?.state.detailFetchedAt == nil)
        #expect(try await found("strasse", in: gateway) == ["Straße"])
        try await gateway.close()
    }

    @Test(
        "a row of another program that a storage would refuse does not prevent opening or finding other rows",
        .needs("sqlite3"))
    func refused() async throws {
        try await gateway("sqlite").close()
        for row in ["6, 'zero', 0, 'a' || char(0)", "7, 'ada', 0, 'Straße'"] {
            let insert = "insert into source_people (id, login, fetched_at_ms, name) values (\(row))"
            _ = try Shell.output(of: "sqlite3 '\(folder.folder.path)/store.sqlite' \"\(insert)\"")
        }
        let gateway = try await gateway("sqlite")
        #expect(try await found("strasse", in: gateway) == ["Straße"])
        #expect(try await item(6, of: "people", in: gateway)?.shownName == "a\0")
        try await gateway.close()
    }

    @Test("a detail field without a detail time is returned", arguments: StorageFolder.durable)
    func detail(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        try await write(
            [
                "id": .integer(7), "full_name": .text("o/n"), "owner_id": .integer(1),
                "watchers": .integer(5), "fetched_at_ms": .integer(1_000),
            ], of: "projects", to: gateway)
        let stored = try await item(7, of: "projects", in: gateway)
        #expect(stored?.integer("watchers") == 5 && stored?.text("owner") == nil)
        #expect(stored?.state.detailFetchedAt == nil)
        try await gateway.close()
    }
}
