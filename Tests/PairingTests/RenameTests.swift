import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Synchronization
import Testing

/// Accounts and repositories under their former names, over every storage.
@Suite("Renamed rows over every storage", .timeLimit(.minutes(5)))
struct RenameTests {
    private let folder: StorageFolder
    private let clock = ManualClock()
    private let script = ScriptedSource(
        users: ScriptedUserSource.users(1...5), repositories: ScriptedRepositorySource.repositories(1...5),
        commits: [2: ScriptedRepositorySource.commits(3), 4: ScriptedRepositorySource.commits(1)])
    private let source: RedirectingSource
    private let old = RepositoryName.named(owner: "octocat", name: "r-2")
    private let new = RepositoryName.named(owner: "Mona", name: "new")

    init() throws {
        folder = try StorageFolder()
        source = RedirectingSource(script)
    }

    /// Another run of the program; memory begins empty.
    private func gateway(_ plugin: String) async throws -> Gateway {
        var source = Source(name: "scripted", users: source)
        (source.repositories, source.commits) = (self.source, self.source)
        return try await Gateway(
            storage: folder.storage(plugin, "store"), source: source, clock: clock.layerClock)
    }

    private func rename(_ id: Int64, to name: String) {
        script.repositories.change { all in
            guard let place = all.firstIndex(where: { $0.id == id }) else { return }
            source.redirect(all[place].fullName, to: name)
            source.redirect(name, to: nil)
            all[place].fullName = name
        }
    }

    private func commits(_ gateway: Gateway, of name: RepositoryName, _ policy: Policy = .localFirst) async
        -> Int?
    {
        await gateway.listCommits(name, policy: policy).ending.value?.commits.count
    }

    @Test(
        "semantics-26: commits of a renamed repository are listed under both names",
        arguments: StorageFolder.all)
    func commits(_ plugin: String) async throws {
        rename(2, to: "Mona/new")
        let gateway = try await gateway(plugin)
        #expect(await commits(gateway, of: old) == 3)
        #expect(await commits(gateway, of: new, .localOnly) == 3)
        #expect(await commits(gateway, of: .named(owner: "OctoCat", name: "R-2"), .localOnly) == 3)
        guard case (.complete, let progress) = await gateway.syncCommits(old).run() else {
            Issue.record("the sync did not end")
            return
        }
        #expect(progress.requests == 2 && progress.unchanged == 1)
        try await gateway.close()
    }

    @Test(
        "semantics-26: a repository that was stored before its rename is found by both names",
        arguments: StorageFolder.all)
    func storedBefore(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        #expect(await commits(gateway, of: old) == 3)
        rename(2, to: "Mona/new")
        #expect(await commits(gateway, of: old) == 3)
        #expect(await gateway.showRepository(old).ending.value?.repository.fullName == "Mona/new")
        for name in [old, new] {
            #expect(await commits(gateway, of: name) == 3)
            #expect(await gateway.showRepository(name, policy: .localOnly).ending.value?.repository.id == 2)
        }
        try await gateway.close()
    }

    @Test("former names survive a restart", arguments: StorageFolder.durable)
    func restart(_ plugin: String) async throws {
        rename(2, to: "Mona/new")
        source.redirect("user-3", to: "user-4")
        let first = try await gateway(plugin)
        #expect(await first.showRepository(old).ending.value?.repository.id == 2)
        #expect(await first.showUser("User-3").ending.value?.user.id == 4)
        try await first.close()
        let second = try await gateway(plugin)
        #expect(await second.showRepository(old, policy: .localOnly).ending.value?.repository.id == 2)
        #expect(await second.showUser("user-3", policy: .localOnly).ending.value?.user.login == "user-4")
        guard case .unchanged = await second.showUser("user-3").ending.outcome else {
            Issue.record("a former login was not confirmed")
            return
        }
        try await second.clearUsers()
        #expect(await second.showUser("user-3", policy: .localOnly).ending.value == nil)
        #expect(await second.showRepository(old, policy: .localOnly).ending.value?.repository.id == 2)
        try await second.close()
    }

    @Test("a rename back, and another repository under the former name", arguments: StorageFolder.all)
    func back(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        func id(_ name: RepositoryName, _ policy: Policy = .localOnly) async -> Int64? {
            await gateway.showRepository(name, policy: policy).ending.value?.repository.id
        }
        rename(2, to: "Mona/new")
        #expect(await id(old, .localFirst) == 2)
        rename(2, to: "octocat/r-2")
        #expect(await id(new, .localFirst) == 2)
        for name in [old, new] { #expect(await id(name) == 2) }
        rename(2, to: "Mona/new")
        #expect(await id(old, .localFirst) == 2)
        rename(4, to: "octocat/r-2")
        #expect(await id(old, .localFirst) == 4)
        #expect(await id(old) == 4)
        #expect(await id(new) == 2)
        let rows = try await gateway.store.read {
            try $0.list(StoredRepository.self, Query(StoredRepository.collection))
        }
        #expect(rows.allSatisfy { $0.goneAt == nil })
        #expect(await commits(gateway, of: old) == 1)
        #expect(await commits(gateway, of: new) == 3)
        try await gateway.close()
    }

    @Test("a former name that leads nowhere any more marks no row", arguments: StorageFolder.all)
    func lost(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        rename(2, to: "Mona/new")
        _ = await gateway.showRepository(old).ending
        source.redirect("octocat/r-2", to: nil)
        let answer = await gateway.showRepository(old).ending
        #expect(answer.value?.repository.id == 2 && answer.value?.refusal == nil)
        try await gateway.close()
    }
}

/// A source that leads from former names to the present ones, as GitHub does.
private final class RedirectingSource: UserSource, RepositorySource, CommitSource {
    private let script: ScriptedSource
    private let names = Mutex<[String: String]>([:])

    init(_ script: ScriptedSource) { self.script = script }

    /// Leads from a name to another; nil leads nowhere any more.
    func redirect(_ name: String, to other: String?) { names.withLock { $0[name.lowercased()] = other } }

    private func present(_ name: RepositoryName) -> RepositoryName {
        guard case .named(let owner, let title) = name else { return name }
        return names.withLock { $0["\(owner)/\(title)".lowercased()] }.flatMap { RepositoryName($0) } ?? name
    }

    func users(_ page: UserPageRequest, ifChangedFrom validator: Validator) async throws -> Fetched<UserPage>
    {
        try await script.users.users(page, ifChangedFrom: validator)
    }

    func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        let login = names.withLock { $0[login.lowercased()] } ?? login
        return try await script.users.user(login, ifChangedFrom: validator)
    }

    func repositories(
        _ page: PageRequest<RepositoryList>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Page<Repository>> {
        try await script.repositories.repositories(page, ifChangedFrom: validator)
    }

    func repository(
        _ name: RepositoryName, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Repository> {
        try await script.repositories.repository(present(name), ifChangedFrom: validator)
    }

    func commits(
        _ page: PageRequest<RepositoryName>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Page<Commit>> {
        guard case .first(let name) = page else {
            return try await script.repositories.commits(page, ifChangedFrom: validator)
        }
        return try await script.repositories.commits(.first(present(name)), ifChangedFrom: validator)
    }
}
