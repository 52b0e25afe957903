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
        "an empty query and one that fits no key are refused without a request", arguments: [0, 257, 1_000])
    func refused(_ count: Int) async throws {
        let query = " " + String(repeating: "x", count: count)
        let answers = await (try await gateway()).searchUsers(query).all
        #expect(answers.map(\.outcome.word) == ["failed: invalid value"])
        #expect(search.answers.requests.isEmpty)
    }

    @Test("the longest text is kept in a key")
    func longest() async throws {
        let gateway = try await gateway()
        for letter in ["é", "한", "ΐ", "👍"] {
            let answers = await gateway.searchUsers(String(repeating: letter, count: 256)).all
            #expect(answers.map(\.outcome.word) == ["fresh"])
        }
        #expect(search.answers.requests.count == 4)
    }

    @Test("003.6: a page of 20 follows another, of one fetched list")
    func pages() async throws {
        let gateway = try await gateway()
        let first = try #require(await gateway.searchUsers("user-").all.last?.value)
        let second = try #require(await gateway.searchUsers(" user-", page: 2).all.last?.value)
        #expect(first.items.map(\.id) == Array(1...20) && first.goesOn)
        #expect(second.items.map(\.id) == Array(21...30) && !second.goesOn && second.cap == 30)
        let beyond = try #require(await gateway.searchUsers("user-", page: 3).all.last?.value)
        #expect(beyond.items.isEmpty && beyond.origin == .source)
    }

    @Test("what the source said beside the results is stored with them")
    func verdict() async throws {
        let gateway = try await gateway()
        search.isIncomplete = true
        _ = await gateway.searchUsers("user-", limit: 40).all
        for policy in [Policy.localOnly, .localFirst] {
            let window = try #require(
                await gateway.searchUsers("user-", limit: 40, policy: policy).all.first?.value)
            #expect(window.isIncomplete && window.total == 50 && window.cap == 30)
        }
    }
}
