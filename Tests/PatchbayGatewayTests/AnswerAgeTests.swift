import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Synchronization
import Testing

@Suite("The ages of answers from the storage", .timeLimit(.minutes(5)))
struct AnswerAgeTests {
    private let clock = ManualClock()
    private let script = ScriptedSource(users: ScriptedUserSource.users(1...3))
    private let storage = MemoryStorage()
    private let heard = HeardAges()

    private func gateway() async throws -> Gateway {
        try await Gateway(storage: storage, source: script.source, served: heard.hear, now: clock.now)
    }

    @Test("a listener hears of what is stored, and of nothing that the source has just told or confirmed")
    func stored() async throws {
        let gateway = try await gateway()
        #expect(await gateway.listUsers().all.map(\.outcome.word) == ["fresh"])
        #expect(heard.lines.isEmpty)
        clock.advance(by: .seconds(90))
        #expect(await gateway.listUsers().all.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(heard.lines == ["stored, 90.0 seconds"])
        clock.advance(by: .seconds(30))
        _ = await gateway.listUsers(policy: .localOnly).ending
        #expect(heard.lines == ["stored, 90.0 seconds", "local only, 30.0 seconds"])
    }

    @Test("a failed question counts with what is stored, and not at all when nothing is")
    func failed() async throws {
        let gateway = try await gateway()
        _ = await gateway.listUsers().ending
        clock.advance(by: .seconds(5))
        let offline = try await Gateway(
            storage: storage, source: Source(name: "scripted"), served: heard.hear, now: clock.now)
        #expect(await offline.listUsers(policy: .remoteFirst).ending.outcome.word == "failed: unsupported")
        #expect(heard.lines == ["failed: unsupported, 5.0 seconds"])
        #expect(await offline.showUser("nobody").ending.outcome.word == "failed: unsupported")
        #expect(heard.lines.count == 1)
    }

    @Test("every use case that answers from the storage tells how old its answer is")
    func everywhere() async throws {
        let picture = "https://example.org/1.png"
        var user = ScriptedUserSource.users(1...1)[0]
        user.avatarURL = picture
        let script = ScriptedSource(
            users: [user], repositories: ScriptedRepositorySource.repositories(1...1),
            commits: [1: ScriptedRepositorySource.commits(2)],
            avatars: [picture: Avatar(bytes: [1], mediaType: "image/png")])
        let gateway = try await Gateway(
            storage: storage, source: script.source, served: heard.hear, now: clock.now)
        let name = RepositoryName.named(owner: "octocat", name: "r-1")
        func ask(_ policy: Policy) async {
            _ = await gateway.listUsers(policy: policy).ending
            _ = await gateway.showUser("user-1", policy: policy).ending
            _ = await gateway.showAvatar("user-1", policy: policy).ending
            _ = await gateway.listRepositories(.ofUser("octocat"), policy: policy).ending
            _ = await gateway.showRepository(name, policy: policy).ending
            _ = await gateway.listCommits(name, policy: policy).ending
            _ = await gateway.searchUsers("user", policy: policy).ending
            _ = await gateway.searchRepositories("r-1", policy: policy).ending
        }
        await ask(.remoteFirst)
        #expect(heard.lines.isEmpty)
        clock.advance(by: .seconds(60))
        await ask(.localOnly)
        #expect(heard.lines == Array(repeating: "local only, 60.0 seconds", count: 8))
        let commits = gateway.visibleCommits()
        await commits.show(ScriptedRepositorySource.repositories(1...1))
        for await arrival in commits.arrivals {
            #expect(arrival.answer.outcome.word == "local only")
            break
        }
        #expect(heard.lines.count == 9)
    }
}

/// Keeps what a listener is told.
private final class HeardAges: Sendable {
    private let told = Mutex<[String]>([])

    var lines: [String] { told.withLock { $0 } }

    func hear(_ age: Duration, _ outcome: Outcome) {
        told.withLock { $0.append("\(outcome.word), \(age / .seconds(1)) seconds") }
    }
}
