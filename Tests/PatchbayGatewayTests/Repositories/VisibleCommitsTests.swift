import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Commits of the visible repositories", .timeLimit(.minutes(5)))
struct VisibleCommitsTests {
    private let repositories = ScriptedRepositorySource(
        ScriptedRepositorySource.repositories(1...20),
        commits: Dictionary(uniqueKeysWithValues: (1...20).map { ($0, ScriptedRepositorySource.commits(3)) }))
    private let clock = ManualClock()
    private let storage = MemoryStorage()

    private func gateway(
        _ commits: any CommitSource, concurrency: Int = 1
    ) async throws -> (Gateway, [Repository]) {
        var source = Source(name: "scripted")
        (source.repositories, source.commits, source.concurrency) = (repositories, commits, concurrency)
        let gateway = try await Gateway(storage: storage, source: source, now: clock.now)
        let window = await gateway.listRepositories(.ofUser("octocat"), limit: 20).ending.value
        return (gateway, try #require(window?.repositories))
    }

    private func take(_ count: Int, of commits: VisibleCommits) async -> [VisibleCommits.Arrival] {
        var taken: [VisibleCommits.Arrival] = []
        guard count > 0 else { return taken }
        for await arrival in commits.arrivals {
            taken.append(arrival)
            if taken.count == count { break }
        }
        return taken
    }

    /// What was asked about commits.
    private var questions: [String] {
        repositories.answers.requests.filter { $0.hasPrefix("commits") }
    }

    @Test("what is visible arrives; what is stored costs nothing when it is visible again")
    func arrivals() async throws {
        let (gateway, all) = try await gateway(repositories, concurrency: 4)
        let commits = gateway.visibleCommits()
        await commits.show(Array(all[0..<5]))
        let first = await take(5, of: commits)
        #expect(first.map(\.repository.id).sorted() == Array(1...5))
        #expect(first.allSatisfy { $0.answer.value?.commits.count == 3 && $0.answer.outcome.word == "fresh" })
        await commits.show(Array(all[3..<8]))
        #expect(await take(3, of: commits).map(\.repository.id).sorted() == Array(6...8))
        await commits.show(Array(all[0..<2]))
        #expect(await take(2, of: commits).allSatisfy { $0.answer.outcome.word == "local only" })
        #expect(questions.count == 8)
        let another = try await Gateway(storage: storage, source: gateway.source, now: clock.now)
        let again = another.visibleCommits()
        await again.show(Array(all[0..<8]))
        #expect(await take(8, of: again).allSatisfy { $0.answer.value?.commits.count == 3 })
        #expect(questions.count == 8)
    }

    @Test(
        "no more are asked at the same time than the source takes; one without credentials",
        arguments: [1, 3])
    func bounded(_ concurrency: Int) async throws {
        let gate = GatedCommitSource(repositories)
        let (gateway, all) = try await gateway(gate, concurrency: concurrency)
        let commits = gateway.visibleCommits()
        await commits.show(Array(all[0..<6]))
        var asked = await gate.questions(concurrency)
        while asked.count < 6 {
            #expect(gate.asked.count == concurrency)
            gate.answer(gate.asked[0])
            asked += await gate.questions(1)
        }
        #expect(asked.sorted() == (1...6).map { "r-\($0)" })
        for name in gate.asked { gate.answer(name) }
        #expect(await take(6, of: commits).count == 6)
    }

    @Test("what leaves the window is cancelled, or never asked, and does not arrive")
    func moved() async throws {
        let gate = GatedCommitSource(repositories)
        let (gateway, all) = try await gateway(gate, concurrency: 2)
        let commits = gateway.visibleCommits()
        await commits.show(Array(all[0..<5]))
        #expect(await gate.questions(2).sorted() == ["r-1", "r-2"])
        await commits.show(Array(all[1..<3]))
        #expect(await gate.questions(1) == ["r-3"])
        #expect(gate.cancelled == ["r-1"])
        for name in ["r-2", "r-3"] { gate.answer(name) }
        #expect(await take(2, of: commits).map(\.repository.id).sorted() == [2, 3])
        #expect(questions == ["commits of octocat/r-2", "commits of octocat/r-3"])
    }

    @Test("what comes back while its question is being cancelled is asked again")
    func back() async throws {
        let gate = GatedCommitSource(repositories)
        let (gateway, all) = try await gateway(gate)
        let commits = gateway.visibleCommits()
        await commits.show([all[0]])
        #expect(await gate.questions(1) == ["r-1"])
        await commits.show([])
        await commits.show([all[0]])
        #expect(await gate.questions(1) == ["r-1"])
        gate.answer("r-1")
        #expect(await take(1, of: commits).map(\.answer.outcome.word) == ["fresh"])
    }

    @Test("what nobody took before the window moved is dropped")
    func slow() async throws {
        let (gateway, all) = try await gateway(repositories, concurrency: 2)
        let commits = gateway.visibleCommits()
        for start in 0..<15 { await commits.show(Array(all[start..<start + 5])) }
        let taken = await take(5, of: commits)
        #expect(taken.map(\.repository.id).sorted() == Array(15...19))
    }

    @Test("a repository that was pushed to since is asked about again, conditionally")
    func pushed() async throws {
        let (gateway, all) = try await gateway(repositories)
        let commits = gateway.visibleCommits()
        await commits.show([all[0]])
        _ = await take(1, of: commits)
        var pushed = all[0]
        pushed.facts?.pushedAt = clock.now()
        await commits.show([])
        await commits.show([pushed])
        #expect(await take(1, of: commits).map(\.answer.outcome.word) == ["local only"])
        clock.advance(by: .seconds(60))
        pushed.facts?.pushedAt = clock.now()
        repositories.changeCommits { $0[1] = ScriptedRepositorySource.commits(4) }
        await commits.show([])
        await commits.show([pushed])
        let arrival = try #require(await take(1, of: commits).first)
        #expect(arrival.answer.value?.commits.first?.message == "change 4")
        #expect(questions == ["commits of octocat/r-1", "commits of octocat/r-1 if changed"])
    }

    @Test("that a repository has no commits is stored, and not asked again")
    func none() async throws {
        repositories.changeCommits { $0[7] = [] }
        let (gateway, all) = try await gateway(repositories)
        for outcome in ["fresh", "local only"] {
            let commits = gateway.visibleCommits()
            await commits.show([all[6]])
            let arrival = try #require(await take(1, of: commits).first)
            #expect(arrival.answer.value?.commits == [] && arrival.answer.outcome.word == outcome)
        }
        #expect(questions.count == 1)
    }

    @Test("a failure arrives as such; close and cancellation end the arrivals and the questions")
    func ends() async throws {
        let gate = GatedCommitSource(repositories)
        let (gateway, all) = try await gateway(gate)
        repositories.answers.fail(with: PatchbayError(.rateLimited, "not now"))
        let commits = gateway.visibleCommits()
        await commits.show([all[0]])
        _ = await gate.questions(1)
        gate.answer("r-1")
        #expect(await take(1, of: commits).map(\.answer.outcome.word) == ["failed: rate limited"])
        await commits.show([all[1]])
        _ = await gate.questions(1)
        let observer = Task { for await _ in commits.arrivals { Issue.record("nothing came") } }
        observer.cancel()
        await observer.value
        await commits.close()
        #expect(await take(1, of: commits).isEmpty)
        await commits.show([all[2]])
        #expect(gate.asked.allSatisfy { $0 == "r-2" })
    }
}
