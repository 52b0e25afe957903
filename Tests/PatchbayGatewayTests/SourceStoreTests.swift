import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("A storage holds the rows of one API")
struct SourceStoreTests {
    private static let commits = [Int64(1): ScriptedRepositorySource.commits(3)]
    private let storage = MemoryStorage()
    private let clock = ManualClock()

    /// A gateway over the same storage, with a source of an API.
    private func gateway(_ script: ScriptedSource, api: String?, name: String = "scripted") async throws
        -> Gateway
    {
        var source = script.source
        (source.api, source.name) = (api, name)
        return try await Gateway(storage: storage, source: source, now: clock.now)
    }

    private func script() -> ScriptedSource {
        ScriptedSource(
            users: ScriptedUserSource.users(1...30),
            repositories: ScriptedRepositorySource.repositories(1...3), commits: Self.commits)
    }

    private func api(_ gateway: Gateway) async throws -> String? {
        try await gateway.store.read { try $0.get(StoredSource.self, StoredSource.key)?.api }
    }

    private func error<Value>(_ answers: Answers<Value>) async -> PatchbayError? {
        let ending = await answers.ending
        guard case .failed(let error) = ending.outcome, ending.value == nil else { return nil }
        return error
    }

    private func error(_ sync: Sync) async -> PatchbayError? {
        if case .failed(let error) = await sync.run().0 { error } else { nil }
    }

    @Test("whatever another API's source is asked for, it is not asked, and nothing changes")
    func refused() async throws {
        _ = await (try gateway(script(), api: "first")).listUsers().ending
        let revision = try await storage.revision()
        let script = script(), other = try await gateway(script, api: "second")
        let name = RepositoryName.named(owner: "octocat", name: "r-1")
        var errors = [
            await error(other.listUsers()), await error(other.listUsers(policy: .refresh)),
            await error(other.listUsers(policy: .remoteFirst)), await error(other.showUser("user-1")),
            await error(other.showAvatar("user-1")), await error(other.showRepository(name)),
            await error(other.listRepositories(.ofUser("octocat"))), await error(other.listCommits(name)),
            await error(other.searchUsers("user")), await error(other.searchRepositories("r")),
            await error(other.syncUsers()), await error(other.syncUserDetails()),
            await error(other.syncRepositories(.ofUser("octocat"))), await error(other.syncCommits(name)),
        ]
        errors.append(await #expect(throws: PatchbayError.self) { try await other.initUsers() })
        errors.append(await #expect(throws: PatchbayError.self) { try await other.refreshUsers(["user-1"]) })
        errors.append(await #expect(throws: PatchbayError.self) { try await other.syncUsers().plan() })
        errors.append(await other.usersWindow(size: 5).jump(to: .at(25)).error)
        for (number, error) in errors.enumerated() {
            #expect(error?.code == .conflict, "\(number)")
            #expect(error?.message.contains("\"first\"") == true, "\(number)")
            #expect(error?.message.contains("another storage.path for \"second\"") == true, "\(number)")
        }
        #expect(script.requests == [])
        #expect(try await storage.revision() == revision)
    }

    @Test("what is stored can be read beside a source of another API")
    func readOffline() async throws {
        _ = await (try gateway(script(), api: "first")).listUsers().ending
        let other = try await gateway(script(), api: "second")
        #expect(await other.listUsers(policy: .localOnly).ending.value?.users.count == 20)
        #expect(await other.showUser("user-3", policy: .localOnly).ending.value?.user.id == 3)
        #expect(try await other.editUser("user-3", name: "Mine").hasChanged)
    }

    @Test("another address, recording or name of the same API goes on with the storage")
    func sameAPI() async throws {
        _ = await (try gateway(script(), api: "first", name: "api.example.org")).listUsers().ending
        let again = try await gateway(script(), api: "first", name: "127.0.0.1, recorded in a.har")
        #expect(await again.listUsers(after: 20).ending.outcome.word == "fresh")
        #expect(try await api(again) == "first")
    }

    @Test("APIs count as different by their bytes")
    func bytes() async throws {
        _ = await (try gateway(script(), api: "caf\u{E9}")).listUsers().ending
        let other = try await gateway(script(), api: "cafe\u{301}")
        #expect(await error(other.listUsers())?.code == .conflict)
    }

    @Test("a storage of an older version belongs to the first source that writes")
    func unclaimed() async throws {
        let gateway = try await gateway(script(), api: "first")
        _ = await gateway.listUsers().ending
        _ = try await gateway.store.write { try $0.delete(StoredSource.self, StoredSource.key) }
        let other = try await self.gateway(script(), api: "second")
        #expect(await other.showUser("user-25").ending.outcome.word == "fresh")
        #expect(try await api(other) == "second")
        #expect(await error(gateway.listUsers())?.code == .conflict)
    }

    @Test("a note without a server becomes that of the server whose addresses the rows have")
    func olderNote() async throws {
        _ = await (try gateway(script(), api: "github")).listUsers().ending
        let stranger = try await gateway(script(), api: "github at ghe.example.org")
        #expect(await error(stranger.listUsers())?.code == .conflict)
        #expect(try await api(stranger) == "github")
        let own = try await gateway(script(), api: "github at api.example.org")
        #expect(await own.listUsers(after: 20).ending.outcome.word == "fresh")
        #expect(try await api(own) == "github at api.example.org")
        #expect(await error(stranger.listUsers())?.code == .conflict)
        let usual = await error(try gateway(script(), api: "github").listUsers())
        #expect(usual?.message.contains("\"github at api.example.org\" told, and \"github\" would") == true)
    }

    @Test("repositories and favourites tell the server of a note as well", arguments: [false, true])
    func olderNoteWithoutUsers(_ hasFavourite: Bool) async throws {
        let before = try await gateway(script(), api: "github")
        if hasFavourite {
            _ = await before.showUser("user-1").ending
            try await before.addFavourite("user-1")
            try await before.clearUsers()
        } else {
            _ = await before.listRepositories(.ofUser("octocat")).ending
        }
        let other = await error(try gateway(script(), api: "github at ghe.example.org").listUsers())
        #expect(other?.code == .conflict)
        let own = try await gateway(script(), api: "github at example.org")
        #expect(await own.listUsers().ending.outcome.word == "fresh")
    }

    @Test("a source that fails has not taken the storage, nor has the cursor of its sync")
    func failed() async throws {
        let script = script()
        script.fail(with: PatchbayError(.offline, "no network"))
        let gateway = try await gateway(script, api: "first")
        #expect(await gateway.listUsers().ending.outcome.word == "failed: offline")
        #expect(await error(gateway.syncUsers())?.code == .offline)
        #expect(await gateway.searchUsers("user").ending.outcome.word == "failed: offline")
        #expect(try await api(gateway) == nil)
        let other = try await self.gateway(self.script(), api: "second")
        #expect(await other.listUsers().ending.outcome.word == "fresh")
    }

    @Test("of two sources that are asked at the same time, the second to save is refused")
    func overtaken() async throws {
        let first = try await gateway(script(), api: "first")
        let users = ScriptedUserSource(users: ScriptedUserSource.users(1...30))
        let source = Source(
            name: "second",
            users: InterruptedUserSource(source: users) { _ = await first.listUsers(limit: 5).ending })
        let second = try await Gateway(storage: storage, source: source, now: clock.now)
        let answer = await second.listUsers(after: 20, limit: 10).ending
        #expect(answer.outcome.word == "failed: conflict")
        #expect(try await api(second) == "first")
        #expect(try await second.store.read { try $0.count(Query(StoredUser.collection)) } == 20)
    }

    @Test("a clear of everything gives the storage free; the message says so, and only when it is true")
    func cleared() async throws {
        let first = try await gateway(script(), api: "first"),
            second = try await gateway(script(), api: "second")
        _ = await first.listUsers().ending
        _ = await first.searchUsers("user").ending
        #expect(await error(second.listUsers())?.message.contains("\"patchbay users clear\"") == true)
        try await first.addFavourite("user-3")
        #expect(await error(second.listUsers())?.message.contains("clear") == false)
        try await first.clearUsers()
        #expect(await error(second.listUsers())?.code == .conflict)
        try await first.removeFavourite("user-3")
        try await first.editUserAndClear("user-4")
        #expect(try await api(first) == "first")
        try await first.clearUsers()
        #expect(try await api(first) == nil)
        #expect(await second.searchUsers("user", policy: .localOnly).ending.value == nil)
        #expect(await second.listUsers().ending.outcome.word == "fresh")
        #expect(try await api(second) == "second")
    }

    @Test("repositories keep the storage their source's when users are cleared", arguments: [false, true])
    func repositories(_ hasUsers: Bool) async throws {
        let first = try await gateway(script(), api: "first")
        _ = await first.listRepositories(.ofUser("octocat")).ending
        if hasUsers { _ = await first.listUsers().ending }
        try await first.clearUsers()
        let second = try await gateway(script(), api: "second")
        #expect(await error(second.listUsers())?.code == .conflict)
        #expect(await first.listRepositories(.ofUser("octocat")).ending.outcome.word == "unchanged")
    }

    @Test("a source that tells nothing is not compared", arguments: [nil, "first"])
    func noAPI(_ api: String?) async throws {
        _ = await (try gateway(script(), api: api)).listUsers().ending
        let script = script()
        script.fail(with: PatchbayError(.offline, "not to be asked"))
        let closed = try await gateway(script, api: nil)
        #expect(await closed.listUsers().ending.outcome.word == "failed: offline")
        #expect(try await self.api(closed) == api)
    }
}

extension Gateway {
    /// Fetches and edits a user, and clears all but the edit.
    fileprivate func editUserAndClear(_ login: String) async throws {
        _ = await showUser(login).ending
        try await editUser(login, name: "Mine")
        try await clearUsers(keepingEdits: true)
    }
}
