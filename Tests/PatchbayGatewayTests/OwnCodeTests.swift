// Written as somebody writes it who uses Patchbay: with what is public, without network and disk.

import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

/// What somebody builds on Patchbay: greetings for the users of a list.
private struct Greeter {
    let gateway: Gateway

    /// A greeting for each user; of what is stored when the source cannot be asked.
    func greetings() async -> [String] {
        let answer = await gateway.listUsers(limit: 3).ending
        let users = answer.value?.users ?? []
        guard case .failed(let error) = answer.outcome else { return users.map { "Hello \(name($0))" } }
        let age = answer.age.map { "\($0.components.seconds) s old" } ?? "nothing stored"
        return users.map { "Hello \(name($0))" } + ["(\(error.code), \(age))"]
    }

    private func name(_ user: User) -> String { user.name ?? user.login }
}

@Suite("Somebody else's code over Patchbay")
struct OwnCodeTests {
    private let script = ScriptedSource(
        users: ScriptedUserSource.users(1...30), repositories: ScriptedRepositorySource.repositories(1...3),
        commits: [2: ScriptedRepositorySource.commits(5)])
    private let clock = ManualClock()

    private func gateway() async throws -> Gateway {
        try await Gateway(storage: MemoryStorage(), source: script.source, clock: clock.layerClock)
    }

    @Test("greets who is listed, by the edited name, and says how old that is when the network is away")
    func greets() async throws {
        let gateway = try await gateway()
        let greeter = Greeter(gateway: gateway)
        #expect(await greeter.greetings() == ["Hello user-1", "Hello user-2", "Hello user-3"])
        try await gateway.editUser("user-2", name: "Two")
        clock.advance(by: .seconds(40))
        script.fail(with: PatchbayError(.offline, "no network"))
        #expect(
            await greeter.greetings() == ["Hello user-1", "Hello Two", "Hello user-3", "(offline, 40 s old)"])
        #expect(script.requests == ["users after 0", "users after 0 if changed"])
    }

    @Test("sees changes as they are committed, without a second of waiting")
    func watches() async throws {
        let gateway = try await gateway()
        var changes = gateway.watchUsers(limit: 2).makeAsyncIterator()
        #expect(try await changes.next() == [])
        _ = await gateway.listUsers().ending
        #expect(try await changes.next()?.map(\.user.login) == ["user-1", "user-2"])
    }

    @Test("searches, and lists repositories with their commits, from the same script")
    func searches() async throws {
        let gateway = try await gateway()
        let found = await gateway.searchUsers("user-2").ending.value?.items
        #expect(found?.count == 11)
        let commits = await gateway.listCommits(.named(owner: "octocat", name: "r-2")).ending.value?.commits
        #expect(commits?.map(\.message) == (1...5).reversed().map { "change \($0)" })
        #expect(script.requests.count == 3)
    }
}
