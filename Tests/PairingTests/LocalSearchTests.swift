import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

/// Local search over every storage, including rows stored without folded titles.
@Suite("Local search over every storage", .timeLimit(.minutes(5)))
struct LocalSearchTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    /// Writes people with a definition that declares no title, so names are not folded. The last one has an edited
    /// name.
    private func write(_ count: Int64, to storage: any Storage) async throws {
        var declaration = ScriptedFeed.declarations[0]
        declaration.title = []
        let people = try Resource(declaration, api: "source")
        let store = try await Store(storage, schema: .patchbay.adding([people.collection]))
        try await store.write { writing in
            for id in 1...count {
                let row: ScriptedFeed.Row = [
                    "id": .integer(id), "login": .text("login-\(id)"), "name": .text("Straße \(id)"),
                ]
                let item = try ScriptedFeed.item(row, of: people, withDetails: true)
                let state = ItemState(fetchedAt: Timestamp(milliseconds: 1_000))
                var packing = ItemPacking(item, over: nil, state: state)
                if id == count { packing.edits = ["name": "Ömer"] }
                try writing.put(packing)
            }
        }
        try await store.close()
    }

    private func gateway(
        _ plugin: String, access: StorageAccess = .creating,
        _ plan: FaultPlan<FailingStorage.Operation> = .init()
    ) async throws -> Gateway {
        try await Gateway(
            storage: FailingStorage(folder.storage(plugin, "store.\(plugin)"), plan),
            source: ScriptedFeed().source(), access: access, now: { Timestamp(milliseconds: 2_000) })
    }

    private func ids(_ text: String, in gateway: Gateway) async throws -> [Int64] {
        var ids: [Int64] = []
        for await answer in gateway.search(try gateway.people, text, limit: 3, policy: .localOnly) {
            #expect(answer.value?.origin ?? .local == .local)
            ids = answer.value?.items.map(\.id) ?? []
        }
        return ids
    }

    /// The number of rows without a folded name.
    private func unfolded(in gateway: Gateway) async throws -> Int {
        let people = try gateway.people
        let index = try #require(people.titleIndex(of: people.title[0]))
        return try await gateway.store.read {
            try $0.count(Query(people.collection, by: index, .equal(.null)))
        }
    }

    @Test(
        "rows stored without folded titles are indexed once, when the storage is opened",
        arguments: StorageFolder.durable)
    func upgrade(_ plugin: String) async throws {
        try await write(2_500, to: folder.storage(plugin, "store.\(plugin)"))
        var gateway = try await gateway(plugin)
        #expect(try await unfolded(in: gateway) == 0)
        #expect(try await gateway.count("people") == 2_500)
        #expect(try await ids("STRASSE 24", in: gateway) == [24, 240, 2_400])
        #expect(try await ids("o\u{308}m", in: gateway) == [2_500])
        #expect(try await ids("strasse 2500", in: gateway) == [])
        #expect(try await ids("LOGIN-9", in: gateway) == [9, 90, 900])
        let revision = try await gateway.store.storage.revision()
        try await gateway.close()
        gateway = try await self.gateway(plugin)
        #expect(try await gateway.store.storage.revision() == revision)
        try await gateway.close()
    }

    @Test("titles stay unindexed while the storage cannot be written", arguments: StorageFolder.durable)
    func unfilled(_ plugin: String) async throws {
        try await write(10, to: folder.storage(plugin, "store.\(plugin)"))
        let people = try await unopened(plugin)
        let store = try await Store(
            folder.storage(plugin, "store.\(plugin)"), schema: .patchbay.adding([people.collection]))
        try await store.close()
        var gateway = try await gateway(plugin, access: .reading)
        #expect(try await unfolded(in: gateway) == 10)
        try await gateway.close()
        for code in [PatchbayError.Code.storageFull, .permissionDenied] {
            let plan = FaultPlan<FailingStorage.Operation>()
            plan.fail(.write, at: 1, times: nil, with: PatchbayError(code, "no write"))
            gateway = try await self.gateway(plugin, plan)
            #expect(try await unfolded(in: gateway) == 10)
            #expect(try await ids("login-1", in: gateway) == [1, 10])
            try await gateway.close()
        }
        gateway = try await self.gateway(plugin)
        #expect(try await unfolded(in: gateway) == 0)
        try await gateway.close()
    }

    /// The resource with a title, bound to the stored columns.
    private func unopened(_ plugin: String) async throws -> Resource {
        let stored = try await Store(
            folder.storage(plugin, "store.\(plugin)"), schema: nil, access: .reading)
        let collection = stored.schema.collections.first { $0.name == "source_people" }
        try await stored.close()
        return try Resource(ScriptedFeed.declarations[0], api: "source", stored: collection)
    }

    @Test(
        "recent and denied searches are kept when the storage is opened again",
        arguments: StorageFolder.durable)
    func kept(_ plugin: String) async throws {
        let feed = ScriptedFeed(people: 1...3)
        for round in 1...2 {
            let gateway = try await Gateway(
                storage: folder.storage(plugin, "store.\(plugin)"), source: feed.source(),
                now: { Timestamp(milliseconds: 2_000) })
            for text in ["user", "Nobody; \u{1B}[31m\"x\":'y' --", "No\u{2028}one 👩‍👩‍👧"] {
                for await answer in gateway.search(try gateway.people, text) where answer.outcome.isEnding {
                    let isFound = answer.value?.items.count == 3
                    #expect(isFound == (text == "user"))
                    if !isFound { #expect(answer.value?.origin == (round == 1 ? .source : .denied)) }
                }
            }
            #expect(try await gateway.recentSearches.list().count == 3)
            #expect(try await gateway.deniedSearches.list().count == 2)
            try await gateway.close()
        }
        #expect(feed.requests.count == 4)
    }
}
