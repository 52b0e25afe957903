import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

/// Rows that an import or another program wrote tell less than Patchbay's own; what they tell counts.
@Suite("Rows from elsewhere over every storage", .timeLimit(.minutes(20)))
struct PartialRowTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

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

    @Test(
        "a name without the time of its detail is shown, found, and kept when names are indexed",
        arguments: StorageFolder.durable)
    func name(_ plugin: String) async throws {
        let users = StoredUser.collection
        let name = try position("name", in: users)
        for round in 1...2 {
            let gateway = try await Gateway(
                storage: folder.storage(plugin, "store.\(plugin)"), source: Source(name: "none"),
                now: { Timestamp(milliseconds: 2_000) })
            if round == 1 {
                try await write(users, to: gateway.store) { row in
                    row.set(0, 7 as Int64)
                    row.set(1, "ada")
                    row.set(3, "User")
                    row.set(5, 0 as Int64)
                    row.set(8, "https://api.example.org/users/ada")
                    row.set(name, "Straße")
                    row.set(25, 1_000 as Int64)
                }
            } else {
                let stored = try await gateway.store.read { try $0.get(StoredUser.self, .integer(7)) }
                #expect(stored?.user.name == "Straße" && stored?.detailFetchedAt == nil)
                var found: [String?] = []
                for await answer in gateway.searchUsers("strasse", limit: 3, policy: .localOnly) {
                    found = answer.value?.items.map(\.name) ?? []
                }
                #expect(found == ["Straße"])
            }
            try await gateway.close()
        }
    }

    @Test(
        "stars without topics, and what it was forked from, are told of a repository",
        arguments: StorageFolder.durable)
    func repository(_ plugin: String) async throws {
        let repositories = StoredRepository.collection
        let (stars, parent) = try (
            position("stargazers", in: repositories), position("parent", in: repositories)
        )
        let gateway = try await Gateway(
            storage: folder.storage(plugin, "store.\(plugin)"), source: Source(name: "none"),
            now: { Timestamp(milliseconds: 2_000) })
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
