import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Clearing and initialising users")
struct ClearUsersTests {
    private func count(_ gateway: Gateway) async throws -> Int {
        try await gateway.store.read {
            try $0.count(Query(StoredUser.collection)) + $0.count(Query(StoredUserPage.collection))
                + $0.count(Query(StoredListRun.collection))
        }
    }

    @Test("clear removes users, pages and the cursor; init fetches the first page once")
    func clearAndInit() async throws {
        let fixture = try await GatewayFixture()
        #expect(try await fixture.gateway.initUsers() == 20)
        #expect(try await fixture.gateway.initUsers() == nil)
        #expect(fixture.source.requests == ["users after 0"])
        _ = await fixture.gateway.syncUsers().run()
        #expect(try await fixture.gateway.clearUsers().users == 50)
        #expect(try await count(fixture.gateway) == 0)
        #expect(try await fixture.gateway.initUsers() == 20)
        #expect(fixture.source.requests.last == "users after 0")
        #expect(await fixture.list(.localOnly).last?.value?.users.count == 20)
    }

    @Test("a clear that keeps edits gives them back when the users return, by list or detail")
    func keptEdits() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.list(limit: 50)
        for id in [3, 4, 45] { try await fixture.gateway.editUser("user-\(id)", name: "Mine \(id)") }
        #expect(try await fixture.gateway.clearUsers(keepingEdits: true).keptEdits == 3)
        #expect(await fixture.list().last?.value?.users[2].name == "Mine 3")
        #expect(await fixture.show("user-45").last?.value?.user.name == "Mine 45")
        let waiting = try await fixture.gateway.store.read {
            try $0.count(Query(StoredUserEdit.collection))
        }
        #expect(waiting == 0)
        try await fixture.gateway.revertUser("user-3")
        #expect(try await fixture.gateway.clearUsers(keepingEdits: true).keptEdits == 2)
        #expect(try await fixture.gateway.clearUsers(keepingEdits: true).keptEdits == 2)
        #expect(await fixture.list().last?.value?.users[2].nameOverride == nil)
        #expect(try await fixture.gateway.clearUsers().keptEdits == 0)
        #expect(await fixture.show("user-45").last?.value?.user.name == "User 45")
    }

    @Test("an imported count of clearings is no limit")
    func manyClearings() async throws {
        let gateway = try await GatewayFixture().gateway
        try await gateway.store.write {
            try $0.put(StoredClearing(list: "users", count: .max, clearedAt: Timestamp(milliseconds: 0)))
        }
        #expect(try await gateway.initUsers() == 20)
        #expect(try await gateway.clearUsers().users == 20)
        #expect(try await gateway.initUsers() == 20)
    }

    @Test("more edits than one batch are kept")
    func manyEdits() async throws {
        let fixture = try await GatewayFixture()
        try await fixture.gateway.store.write { writing in
            for user in ScriptedUserSource.users(1...2_500) {
                var stored = StoredUser(user: user, fetchedAt: Timestamp(milliseconds: 0))
                if user.id != 1_000 { stored.user.nameOverride = "Mine" }
                try writing.put(stored)
            }
        }
        #expect(try await fixture.gateway.clearUsers(keepingEdits: true).keptEdits == 2_499)
    }

    /// A gateway whose answers are overtaken by a clear through another gateway over the same storage.
    private func overtaken(_ fixture: GatewayFixture) async throws -> Gateway {
        let source = InterruptedUserSource(source: fixture.source) { [gateway = fixture.gateway] in
            try await gateway.clearUsers()
        }
        return try await Gateway(
            storage: fixture.gateway.store.storage, source: Source(name: "scripted", users: source),
            now: fixture.clock.now)
    }

    @Test("a list that is fetched while the users are cleared brings none back", arguments: [false, true])
    func overtakenList(_ isStored: Bool) async throws {
        let fixture = try await GatewayFixture()
        if isStored { _ = await fixture.list() }
        let gateway = try await overtaken(fixture)
        #expect(await gateway.listUsers().all.last?.outcome.word == "failed: conflict")
        #expect(try await count(fixture.gateway) == 0)
        let error = await #expect(throws: PatchbayError.self) { try await gateway.initUsers() }
        #expect(error?.code == .conflict)
        #expect(try await count(fixture.gateway) == 0)
    }

    @Test("a page that is confirmed while the users are cleared is not confirmed")
    func overtakenConfirmation() async throws {
        let fixture = try await GatewayFixture(1...20)
        _ = await fixture.list()
        _ = await fixture.show("user-3")
        let gateway = try await overtaken(fixture)
        #expect(await gateway.showUser("user-3").all.last?.outcome.word == "failed: conflict")
        _ = await fixture.list(limit: 10)
        #expect(await gateway.listUsers(limit: 10).all.last?.outcome.word == "failed: conflict")
        #expect(try await count(fixture.gateway) == 0)
    }

    @Test("a detail that is fetched while the users are cleared is not saved", arguments: [false, true])
    func overtakenDetail(_ isStored: Bool) async throws {
        let fixture = try await GatewayFixture()
        if isStored { _ = await fixture.list() }
        let gateway = try await overtaken(fixture)
        let answers = await gateway.showUser("user-3", policy: .refresh).all
        #expect(answers.last?.outcome.word == "failed: conflict")
        #expect(try await count(fixture.gateway) == 0)
    }

    @Test("a detail that is confirmed after a clear does not confirm the row that came since")
    func overtakenConfirmedDetail() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.show("user-3")
        let source = InterruptedUserSource(source: fixture.source) { [gateway = fixture.gateway] in
            try await gateway.clearUsers()
            try await gateway.initUsers()
        }
        let gateway = try await Gateway(
            storage: fixture.gateway.store.storage, source: Source(name: "scripted", users: source),
            now: fixture.clock.now)
        #expect(await gateway.showUser("user-3").all.last?.outcome.word == "failed: conflict")
        let stored = await fixture.show("user-3", .localOnly).last?.value
        #expect(stored != nil && stored?.detailFetchedAt == nil && stored?.user.detail == nil)
    }

    @Test("a sync that is overtaken by a clear ends and brings no user back")
    func overtakenSync() async throws {
        let fixture = try await GatewayFixture()
        let (end, _) = try await overtaken(fixture).syncUsers().run()
        guard case .failed(let error) = end else {
            Issue.record("the sync went on")
            return
        }
        #expect(error.code == .conflict)
        #expect(try await count(fixture.gateway) == 0)
    }
}
