import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Searching")
struct SearchTests {
    private let search = ScriptedSearchSource(
        users: ScriptedUserSource.users(1...50), repositories: ScriptedRepositorySource.repositories(1...50),
        cap: 30)

    private func gateway(_ storage: any Storage = MemoryStorage()) async throws -> Gateway {
        var source = Source(name: "scripted")
        source.userSearch = search
        source.repositorySearch = search
        return try await Gateway(storage: storage, source: source, now: ManualClock().now)
    }

    @Test("what is found is stored in the source's order, and confirmed the next time")
    func users() async throws {
        let gateway = try await gateway()
        let login = try #require(ScriptedUserSource.users(1...1).first).login.dropLast()
        let first = await gateway.searchUsers("  \(login) ", limit: 10).all
        #expect(first.map(\.outcome.word) == ["fresh"])
        let window = try #require(first[0].value)
        #expect(window.items.count == 10 && window.goesOn && window.total == 50)
        let second = await gateway.searchUsers(String(login), limit: 10).all
        #expect(second.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(second.allSatisfy { $0.value?.items == window.items })
        let offline = await gateway.searchUsers(String(login), limit: 10, policy: .localOnly).all
        #expect(offline.last?.value?.items == window.items)
        #expect(search.answers.requests.count == 2)
    }

    @Test("semantics-25: where the source gives no more, the window says how many it gives")
    func cap() async throws {
        let answer = try #require(await (try await gateway()).searchRepositories("r-", limit: 100).all.last)
        #expect(answer.value?.items.count == 30 && answer.value?.cap == 30 && answer.value?.total == 50)
    }

    @Test("nothing found is an answer, too")
    func none() async throws {
        let gateway = try await gateway()
        #expect(await gateway.searchUsers("nobody").all.last?.value?.items.isEmpty == true)
        #expect(await gateway.searchUsers("nobody", policy: .localOnly).all.last?.value != nil)
    }

    @Test(
        "an empty query and one that fits no key are refused without a request", arguments: [0, 401, 1_000])
    func refused(_ count: Int) async throws {
        let query = " " + String(repeating: "x", count: count)
        let answers = await (try await gateway()).searchUsers(query).all
        #expect(answers.map(\.outcome.word) == ["failed: invalid value"])
        #expect(search.answers.requests.isEmpty)
    }

    @Test("the longest query is kept in a key")
    func longest() async throws {
        let answers = await (try await gateway()).searchUsers(String(repeating: "é", count: 200)).all
        #expect(answers.map(\.outcome.word) == ["fresh"])
    }
}
