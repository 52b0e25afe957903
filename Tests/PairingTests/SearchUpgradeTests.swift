import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

/// Users that were stored before names were folded are found by their names all the same.
@Suite("Local search over every storage", .timeLimit(.minutes(5)))
struct SearchUpgradeTests {
    /// The users of version 3, as storages keep them.
    private static let definition =
        "users(id integer, login text, node_id text null, type text, user_view_type text null, site_admin integer, "
        + "avatar_url text null, gravatar_id text null, url text, html_url text null, name text null, "
        + "company text null, blog text null, location text null, email text null, hireable integer null, "
        + "bio text null, twitter_username text null, public_repos integer null, public_gists integer null, "
        + "followers integer null, following integer null, created_at_ms integer null, "
        + "updated_at_ms integer null, name_override text null, fetched_at_ms integer, "
        + "detail_fetched_at_ms integer null, detail_etag text null, detail_last_modified text null, "
        + "gone_at_ms integer null, detail_partition text null, refusal text null, refusal_reason text null, "
        + "refused_at_ms integer null; key id; by_login login:nocase)"

    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    /// Writes users as version 3 did: the last one has an edited name.
    private func write(_ count: Int64, to storage: any Storage) async throws {
        let users = try #require(Collection(definition: Self.definition))
        try await storage.open(Schema(version: 3, [users]))
        try await storage.write { writer in
            var row = RowBuilder()
            for id in 1...count {
                row.begin(users)
                row.set(0, id)
                row.set(1, "login-\(id)")
                row.set(3, "User")
                row.set(5, 0 as Int64)
                row.set(8, "https://api.example.org/users/\(id)")
                row.set(10, "Straße \(id)")
                if id == count { row.set(24, "Ömer") }
                row.set(25, 1_000 as Int64)
                row.set(26, 1_000 as Int64)
                try writer.put(row.finish(), in: users)
            }
        }
        try await storage.close()
    }

    private func gateway(
        _ plugin: String, access: StorageAccess = .creating,
        _ plan: FaultPlan<FailingStorage.Operation> = .init()
    ) async throws -> Gateway {
        try await Gateway(
            storage: FailingStorage(folder.storage(plugin, "store.\(plugin)"), plan),
            source: Source(name: "none"), access: access, now: { Timestamp(milliseconds: 2_000) })
    }

    private func ids(_ text: String, in gateway: Gateway) async -> [Int64] {
        var ids: [Int64] = []
        for await answer in gateway.searchUsers(text, limit: 3, policy: .localOnly) {
            #expect(answer.value?.origin ?? .local == .local)
            ids = answer.value?.items.map(\.id) ?? []
        }
        return ids
    }

    @Test(
        "003.5: names of an older version's users are indexed on opening, once",
        arguments: StorageFolder.durable)
    func upgrade(_ plugin: String) async throws {
        try await write(2_500, to: folder.storage(plugin, "store.\(plugin)"))
        var gateway = try await gateway(plugin)
        let unfilled = Query(StoredUser.collection, by: StoredUser.byFoldedName, .equal(.null))
        #expect(try await gateway.store.read { try $0.count(unfilled) } == 0)
        #expect(try await gateway.store.read { try $0.count(Query(StoredUser.collection)) } == 2_500)
        #expect(await ids("STRASSE 24", in: gateway) == [24, 240, 2_400])
        #expect(await ids("o\u{308}m", in: gateway) == [2_500])
        #expect(await ids("strasse 2500", in: gateway) == [])
        #expect(await ids("LOGIN-9", in: gateway) == [9, 90, 900])
        try await gateway.close()
        gateway = try await self.gateway(plugin)
        let revision = try await gateway.store.storage.revision()
        try await gateway.store.fillFoldedNames()
        #expect(try await gateway.store.storage.revision() == revision)
        try await gateway.close()
    }

    @Test("names stay unindexed while nothing may be or can be written", arguments: StorageFolder.durable)
    func unfilled(_ plugin: String) async throws {
        try await write(10, to: folder.storage(plugin, "store.\(plugin)"))
        let store = try await Store(folder.storage(plugin, "store.\(plugin)"), schema: .patchbay)
        try await store.close()
        let unfilled = Query(StoredUser.collection, by: StoredUser.byFoldedName, .equal(.null))
        var gateway = try await gateway(plugin, access: .reading)
        #expect(try await gateway.store.read { try $0.count(unfilled) } == 10)
        try await gateway.close()
        for code in [PatchbayError.Code.storageFull, .permissionDenied] {
            let plan = FaultPlan<FailingStorage.Operation>()
            plan.fail(.write, at: 1, times: nil, with: PatchbayError(code, "no write"))
            gateway = try await self.gateway(plugin, plan)
            #expect(try await gateway.store.read { try $0.count(unfilled) } == 10)
            #expect(await ids("login-1", in: gateway) == [1, 10])
            try await gateway.close()
        }
        gateway = try await self.gateway(plugin)
        #expect(try await gateway.store.read { try $0.count(unfilled) } == 0)
        try await gateway.close()
    }

    @Test("recent and denied searches of one opening are there in the next", arguments: StorageFolder.durable)
    func kept(_ plugin: String) async throws {
        let search = ScriptedSearchSource(users: ScriptedUserSource.users(1...3))
        for round in 1...2 {
            var source = Source(name: "scripted")
            source.userSearch = search
            let gateway = try await Gateway(
                storage: folder.storage(plugin, "store.\(plugin)"), source: source,
                now: { Timestamp(milliseconds: 2_000) })
            for text in ["user", "Nobody; \u{1B}[31m\"x\":'y' --", "No\u{2028}one 👩‍👩‍👧"] {
                for await answer in gateway.searchUsers(text) where answer.outcome.isEnding {
                    let isFound = answer.value?.items.count == 3
                    #expect(isFound == (text == "user"))
                    if !isFound { #expect(answer.value?.origin == (round == 1 ? .source : .denied)) }
                }
            }
            #expect(try await gateway.recentSearches.list().count == 3)
            #expect(try await gateway.deniedSearches.list().count == 2)
            try await gateway.close()
        }
        #expect(search.answers.requests.count == 4)
    }
}
