import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

/// What lists show after the source's list has changed, or an answer was lost, over every storage.
@Suite("Lists tell the truth over every storage", .timeLimit(.minutes(5)))
struct ListTruthTests {
    private let folder: StorageFolder
    private let clock = ManualClock()
    private let script = ScriptedSource(
        users: ScriptedUserSource.users(1...59), repositories: ScriptedRepositorySource.repositories(1...5))
    private let octocat = RepositoryList.ofUser("octocat")

    init() throws { folder = try StorageFolder() }

    private func gateway(_ plugin: String, _ source: Source? = nil) async throws -> Gateway {
        try await Gateway(
            storage: folder.storage(plugin, "store"), source: source ?? script.source, clock: clock.layerClock
        )
    }

    private func ids(_ gateway: Gateway, _ policy: Policy) async -> [Int64] {
        await gateway.listUsers(limit: 100, policy: policy).ending.value?.users.map(\.id) ?? []
    }

    private func repositories(_ gateway: Gateway, _ policy: Policy) async -> [Int64] {
        await gateway.listRepositories(octocat, policy: policy).ending.value?.repositories.map(\.id) ?? []
    }

    @Test("users after the end of a list that has become shorter leave it", arguments: StorageFolder.all)
    func shorter(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        for isSync in [false, true] {
            script.users.change { $0 = ScriptedUserSource.users(1...59) }
            #expect(await ids(gateway, .refresh) == Array(1...59))
            for count in [39, 3, 1, 0] as [Int64] {
                script.users.change { $0.removeAll { $0.id > count } }
                if isSync {
                    guard case (.complete, _) = await gateway.syncUsers(from: .theBeginning).run() else {
                        Issue.record("the sync did not end")
                        return
                    }
                } else {
                    #expect(await ids(gateway, .localFirst) == Array(1..<count + 1))
                }
                #expect(await ids(gateway, .localOnly) == Array(1..<count + 1), "\(count), sync: \(isSync)")
                let state = await gateway.listUsers(limit: 100, policy: .localOnly).ending.state
                #expect(state == .endOfSource, "\(count), sync: \(isSync)")
            }
        }
        try await gateway.close()
    }

    @Test("an answer that says nothing about the end marks nobody", arguments: StorageFolder.all)
    func interrupted(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        _ = await ids(gateway, .localFirst)
        script.users.change { $0.removeAll { $0.id > 10 && $0.id < 50 } }
        script.fail(with: PatchbayError(.offline, "no network"))
        #expect(await ids(gateway, .refresh).count == 59)
        script.fail(with: nil)
        // A page that names a next one covers no more than itself.
        script.users.change { $0 = ScriptedUserSource.users(1...5) + ScriptedUserSource.users(30...59) }
        _ = await gateway.listUsers(limit: 5, policy: .refresh).ending
        #expect(await ids(gateway, .localOnly) == Array(1...5) + Array(30...59))
        try await gateway.close()
    }

    @Test(
        "repositories of a list that has become shorter leave it, of an empty one too",
        arguments: StorageFolder.all)
    func shorterRepositories(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        #expect(await repositories(gateway, .localFirst) == Array(1...5))
        for count in [3, 1, 0] as [Int64] {
            script.repositories.change { $0.removeAll { $0.id > count } }
            if count == 1 { _ = await gateway.syncRepositories(octocat).run() }
            #expect(await repositories(gateway, .localFirst) == Array(1..<count + 1))
            let gone = try await gateway.store.read {
                try $0.list(StoredRepository.self, Query(StoredRepository.collection)).filter {
                    $0.goneAt != nil
                }
            }
            #expect(gone.map(\.repository.id) == Array(count + 1...5))
        }
        try await gateway.close()
    }

    @Test(
        "semantics-32: a 404 of its own address takes no row out of a list that holds it",
        arguments: StorageFolder.all)
    func missing(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        #expect(await ids(gateway, .localFirst).count == 59)
        #expect(await repositories(gateway, .localFirst).count == 5)
        script.fail(with: PatchbayError(.notFound, "there is none, or it is hidden"))
        let user = await gateway.showUser("user-7").ending
        let repository = await gateway.showRepository(.named(owner: "octocat", name: "r-2")).ending
        #expect(user.value?.refusal?.refusal.kind == .missing)
        #expect(repository.value?.refusal?.refusal.kind == .missing)
        script.fail(with: nil)
        for policy in [Policy.localOnly, .localFirst, .localOnly, .refresh] {
            #expect(await ids(gateway, policy) == Array(1...59), "\(policy)")
            #expect(await repositories(gateway, policy) == Array(1...5), "\(policy)")
        }
        let shown = await gateway.showUser("user-7", policy: .localOnly).ending.value
        #expect(shown?.refusal == nil, "a list that tells of the user anew lets it be asked for again")
        try await gateway.close()
    }

    @Test("\"unchanged\" about a list shows its rows again, whatever hid them", arguments: StorageFolder.all)
    func confirmed(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        #expect(await gateway.searchRepositories("r-").ending.value?.items.count == 5)
        #expect(await gateway.searchUsers("user-5").ending.value?.items.count == 11)
        try await gateway.store.write { writing in
            var user = try #require(try writing.reading.get(StoredUser.self, 51))
            var repository = try #require(try writing.reading.get(StoredRepository.self, 3))
            (user.goneAt, repository.goneAt) = (clock.now(), clock.now())
            try writing.put(user)
            try writing.put(repository)
        }
        #expect(await gateway.searchRepositories("r-", policy: .localOnly).ending.value?.items.count == 4)
        let repositories = await gateway.searchRepositories("r-").ending
        let users = await gateway.searchUsers("user-5").ending
        #expect(repositories.value?.items.count == 5 && users.value?.items.count == 11)
        guard case .unchanged = repositories.outcome, case .unchanged = users.outcome else {
            Issue.record("\(repositories.outcome), \(users.outcome)")
            return
        }
        #expect(await gateway.searchUsers("user-5", policy: .localOnly).ending.value?.items.count == 11)
        try await gateway.close()
    }

    @Test("a window is as long as wanted when a row of it is no longer listed", arguments: StorageFolder.all)
    func goneInside(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        #expect(await repositories(gateway, .localFirst).count == 5)
        try await gateway.store.write { writing in
            var repository = try #require(try writing.reading.get(StoredRepository.self, 2))
            repository.goneAt = clock.now()
            try writing.put(repository)
        }
        var seen: [[Int64]] = []
        for skipped in [0, 3] {
            let answers = gateway.listRepositories(octocat, behind: skipped, limit: 3, policy: .localOnly)
            let window = try #require(await answers.ending.value)
            seen.append(window.repositories.map(\.id))
            #expect(window.goesOn == (skipped == 0) && !window.isPartial)
        }
        #expect(seen == [[1, 3, 4], [5]])
        try await gateway.close()
    }

    @Test(
        "what was never fetched between stored users is told, not closed over", arguments: StorageFolder.all)
    func gaps(_ plugin: String) async throws {
        script.users.change { $0 = ScriptedUserSource.users(1...200) }
        let gateway = try await gateway(plugin)
        for after in [0, 20, 99] as [Int64] { _ = await gateway.listUsers(after: after, limit: 5).ending }
        _ = await gateway.showUser("user-150").ending
        func gaps(_ after: Int64, _ limit: Int, _ policy: Policy = .localOnly) async -> [UserGap]? {
            await gateway.listUsers(after: after, limit: limit, policy: policy).ending.value?.gaps
        }
        let first = UserGap(after: 40, before: 100), second = UserGap(after: 119, before: 150)
        #expect(await gaps(0, 100) == [first, second])
        #expect(first.description == "41 to 99 were never fetched")
        #expect(await gaps(0, 40) == [])
        #expect(await gaps(30, 20) == [first])
        #expect(await gaps(40, 20) == [first])
        #expect(await gaps(45, 20) == [UserGap(after: 45, before: 100)])
        #expect(await gaps(99, 21) == [second])
        script.fail(with: PatchbayError(.offline, "no network"))
        #expect(await gaps(30, 20, .localFirst) == [first])
        let window = gateway.usersWindow(size: 100, isOffline: true)
        #expect(await window.jump(to: .start).gaps == [100, 150])
        script.fail(with: nil)
        #expect(await gaps(30, 40, .localFirst) == [])
        #expect(await window.jump(to: .start).gaps == [100])
        try await gateway.close()
    }

    @Test("ten pages of a search are one request of the source", arguments: StorageFolder.all)
    func searchPages(_ plugin: String) async throws {
        let search = ScriptedSearchSource(users: ScriptedUserSource.users(1...250), pageSize: 100)
        var source = Source(name: "scripted")
        source.userSearch = search
        let gateway = try await gateway(plugin, source)
        func page(_ number: Int, _ policy: Policy = .localFirst) async -> Answer<SearchWindow<User>> {
            await gateway.searchUsers("user-", page: number, limit: 10, policy: policy).ending
        }
        for number in 1...10 {
            clock.advance(by: .seconds(10))
            let answer = await page(number)
            let start = Int64(number - 1) * 10
            #expect(answer.value?.items.map(\.id) == Array(start + 1...start + 10))
            #expect(answer.age == (number == 1 ? .zero : .seconds(number * 10 - 10)))
            #expect(answer.value?.isContinued == (number > 1) && answer.value?.goesOn == true)
            guard case .found = answer.searchOutcome() else {
                Issue.record("\(number)")
                return
            }
        }
        #expect(search.answers.requests == ["users with user-"])
        for number in 11...25 { _ = await page(number) }
        #expect(
            search.answers.requests.count == 3 && search.answers.requests.last == "users with user- page 3")
        let behind = await page(26)
        guard case .noMore = behind.searchOutcome() else {
            Issue.record("\(behind)")
            return
        }
        #expect(search.answers.requests.count == 3)
        _ = await page(2, .refresh)
        #expect(search.answers.requests.count == 4)
        clock.advance(by: .seconds(600))
        #expect(await page(3).value?.isContinued == false)
        #expect(search.answers.requests.count == 5)
        try await gateway.close()
    }
}
