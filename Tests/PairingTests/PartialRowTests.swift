import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import TestSupport
import Testing

/// Rows that an import or another program wrote tell less than Patchbay's own; what they tell counts.
@Suite("Rows from elsewhere over every storage", .timeLimit(.minutes(5)))
struct PartialRowTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    private func gateway(_ plugin: String) async throws -> Gateway {
        try await Gateway(
            storage: folder.storage(plugin, "store.\(plugin)"), source: Source(name: "none"),
            now: { Timestamp(milliseconds: 2_000) })
    }

    private func write(
        _ collection: Collection, to store: Store, _ fill: @Sendable (inout RowBuilder) -> Void
    ) async throws {
        try await store.write { writing in
            var row = RowBuilder()
            row.begin(collection)
            fill(&row)
            try writing.put(row.finish(), in: collection)
        }
    }

    private func position(_ name: String, in collection: Collection) throws -> Int {
        try #require(collection.fields.firstIndex { $0.name == name })
    }

    private func found(_ text: String, in gateway: Gateway) async -> [String?] {
        var names: [String?] = []
        for await answer in gateway.searchUsers(text, limit: 3, policy: .localOnly) {
            names = answer.value?.items.map(\.name) ?? []
        }
        return names
    }

    @Test(
        "a name without the time of its detail is shown, found, and kept when names are indexed",
        arguments: StorageFolder.durable)
    func name(_ plugin: String) async throws {
        let name = try position("name", in: StoredUser.collection)
        var gateway = try await gateway(plugin)
        try await write(StoredUser.collection, to: gateway.store) { row in
            row.set(0, 7 as Int64)
            row.set(1, "ada")
            row.set(3, "User")
            row.set(5, 0 as Int64)
            row.set(8, "https://api.example.org/users/ada")
            row.set(name, "Straße")
            row.set(25, 1_000 as Int64)
        }
        try await gateway.close()
        gateway = try await self.gateway(plugin)
        let stored = try await gateway.store.read { try $0.get(StoredUser.self, .integer(7)) }
        #expect(stored?.user.name == "Straße" && stored?.detailFetchedAt == nil)
        #expect(await found("strasse", in: gateway) == ["Straße"])
        try await gateway.close()
    }

    @Test(
        "a row of another program that no storage would take does not hinder opening, nor finding others",
        .needs("sqlite3"))
    func refused() async throws {
        try await gateway("sqlite").close()
        for row in ["6, 'zero', 'User', 0, '', 0, 'a' || char(0)", "7, 'ada', 'User', 0, '', 0, 'Straße'"] {
            let columns = "id, login, type, site_admin, url, fetched_at_ms, name"
            let insert = "insert into users (\(columns)) values (\(row))"
            _ = try Shell.output(of: "sqlite3 '\(folder.folder.path)/store.sqlite' \"\(insert)\"")
        }
        let gateway = try await gateway("sqlite")
        #expect(await found("strasse", in: gateway) == ["Straße"])
        let stored = try await gateway.store.read { try $0.get(StoredUser.self, .integer(6)) }
        #expect(stored?.user.name == "a\0")
        try await gateway.close()
    }

    @Test(
        "stars without topics, and what it was forked from, are told of a repository",
        arguments: StorageFolder.durable)
    func repository(_ plugin: String) async throws {
        let repositories = StoredRepository.collection
        let stars = try position("stargazers", in: repositories)
        let parent = try position("parent", in: repositories)
        let gateway = try await gateway(plugin)
        try await write(repositories, to: gateway.store) { row in
            row.set(0, 7 as Int64)
            row.set(1, "n")
            row.set(2, "o/n")
            row.set(3, 1 as Int64)
            row.set(4, "o")
            row.set(7, 0 as Int64)
            row.set(8, 0 as Int64)
            row.set(10, "https://api.example.org/repos/o/n")
            row.set(stars, 5 as Int64)
            row.set(parent, "p/n")
            row.set(35, 1_000 as Int64)
        }
        let stored = try await gateway.store.read { try $0.get(StoredRepository.self, .integer(7)) }
        #expect(stored?.repository.facts?.stargazers == 5)
        #expect(stored?.repository.detail?.parent == "p/n")
        try await gateway.close()
    }
}
