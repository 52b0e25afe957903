import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Lists of any length, in batches")
struct ItemBatchesTests {
    private func all(_ batches: ItemBatches) async -> [Answer<ItemList>] {
        var answers: [Answer<ItemList>] = []
        while let answer = await batches.next() { answers.append(answer) }
        return answers
    }

    private func ids(_ answers: [Answer<ItemList>]) -> [Int64] { answers.flatMap { $0.value?.ids ?? [] } }

    @Test("when the source is queried, each batch is one of its pages, requested once")
    func pages() async throws {
        let fixture = try await ResourceFixture()
        let people = await all(
            fixture.gateway.batches(of: try fixture.gateway.people(), limit: 1_000, policy: .localFirst))
        #expect(ids(people) == Array(1...50))
        #expect(people.map { $0.value?.items.count } == [20, 20, 10])
        #expect(people.map(\.outcome.word) == ["fresh", "fresh", "fresh"])
        #expect(people.last?.value?.state == .endOfSource)
        #expect(fixture.requests.count == 3)
        let projects = await all(
            fixture.gateway.batches(of: try fixture.gateway.projects(), limit: 30, policy: .localFirst))
        #expect(ids(projects) == Array(1...30) && projects.last?.value?.hasMore == true)
        #expect(fixture.requests.filter { $0.hasPrefix("projects") }.count == 2)
        let again = await all(
            fixture.gateway.batches(of: try fixture.gateway.projects(), limit: 30, policy: .localFirst))
        #expect(again.map(\.outcome.word) == ["unchanged", "unchanged"] && ids(again) == ids(projects))
    }

    @Test("stored rows come in batches of 1,000 up to the end of the list")
    func stored() async throws {
        let fixture = try await ResourceFixture(people: 1...2_500, projects: 1...2_500, pageSize: 700)
        let gateway = fixture.gateway
        for question in try [gateway.people(), gateway.projects()] {
            _ = await all(gateway.batches(of: question, limit: .max, policy: .localFirst))
            let before = fixture.requests.count
            let whole = await all(gateway.batches(of: question, limit: .max, policy: .localOnly))
            #expect(whole.map { $0.value?.items.count } == [1_000, 1_000, 500])
            #expect(ids(whole) == Array(1...2_500) && whole.last?.value?.state == .endOfSource)
            let even = await all(gateway.batches(of: question, limit: 2_000, policy: .localOnly))
            #expect(ids(even) == Array(1...2_000) && even.count == 2)
            #expect(even.last?.value?.hasMore == true)
            #expect(fixture.requests.count == before)
        }
        let entered = await all(
            gateway.batches(of: try gateway.people(after: 1_200), limit: 1_200, policy: .localOnly))
        #expect(ids(entered) == Array(1_201...2_400) && entered.last?.value?.next == 2_400)
    }

    @Test("a row that is on several pages comes once, with the first of them")
    func repeated() async throws {
        let fixture = try await ResourceFixture(projects: 1...2_500, pageSize: 700)
        let gateway = fixture.gateway, question = try gateway.projects()
        _ = await gateway.sync(question).run()
        try await gateway.store.write { writing in
            let pages = try writing.reading.list(StoredListPage.self, Query(StoredListPage.collection))
            var last = try #require(pages.last)
            last.keys += pages[0].keys.suffix(3) + pages[1].keys.prefix(3)
            try writing.put(last)
        }
        for limit in [1_000, 2_500, .max] {
            let batches = gateway.batches(of: question, limit: limit, policy: .localOnly)
            #expect(await ids(all(batches)) == Array(1...Int64(min(limit, 2_500))))
        }
    }

    @Test(
        "a list whose rows have moved since the last batch fails; others may change after it",
        arguments: [Policy.localOnly, .localFirst, .refresh])
    func moved(_ policy: Policy) async throws {
        let fixture = try await ResourceFixture(projects: 1...2_500, pageSize: 700)
        let gateway = fixture.gateway, question = try gateway.projects()
        func sync() async { _ = await gateway.sync(question, from: .theBeginning).run() }
        await sync()
        for (change, isSound) in [
            ({ _ in }, true), ({ $0.removeLast() }, true), ({ $0.removeFirst(3) }, false),
            ({ $0.insert(ScriptedFeed.projects(9_000...9_000)[0], at: 0) }, false),
        ] as [((inout [ScriptedFeed.Row]) -> Void, Bool)] {
            let batches = gateway.batches(of: question, limit: .max, policy: policy)
            let first = await batches.next()
            #expect(first?.value?.items.count == (policy == .localOnly ? 1_000 : 700))
            fixture.feed.change("projects", change)
            for _ in 1...2 { await sync() }
            let rest = await all(batches)
            #expect(rest.contains { $0.outcome.error?.code == .conflict } == !isSound)
        }
    }

    @Test(
        "a list whose rows were cleared since the last batch fails",
        arguments: [Policy.localOnly, .localFirst])
    func cleared(_ policy: Policy) async throws {
        let fixture = try await ResourceFixture(people: 1...2_500, projects: 1...2_500, pageSize: 700)
        let gateway = fixture.gateway
        for question in try [gateway.people(), gateway.projects()] {
            _ = await gateway.sync(question, from: .theBeginning).run()
            let batches = gateway.batches(of: question, limit: .max, policy: policy)
            #expect(await batches.next()?.value?.items.isEmpty == false)
            try await gateway.clear(question.resource)
            #expect(await batches.next()?.outcome.error?.code == .conflict)
        }
    }

    @Test("rows of a list that was never fetched come in batches of 1,000, in the order of their keys")
    func neverFetched() async throws {
        let fixture = try await ResourceFixture()
        let gateway = fixture.gateway, changes = try gateway.changes(of: "octocat/p-7")
        try await gateway.put(ScriptedFeed.projects(7...8), in: "projects")
        try await gateway.put(ScriptedFeed.changes(2_500, of: 7), in: "changes")
        try await gateway.put(ScriptedFeed.changes(5, of: 8), in: "changes")
        let answers = await all(gateway.batches(of: changes, limit: .max, policy: .localOnly))
        #expect(answers.map { $0.value?.items.count } == [1_000, 1_000, 500])
        let messages = answers.flatMap { $0.value?.items.map { $0.text("message") } ?? [] }
        #expect(messages == (1...2_500).map { "change \($0)" })
        #expect(answers.last?.value?.isPartial == true && answers.last?.value?.state == .more)
        let stretch = await gateway.list(changes, skipping: 2, limit: 3, policy: .localOnly).ending.value
        #expect(stretch?.items.map { $0.text("message") } == ["change 3", "change 4", "change 5"])
        #expect(stretch?.parent?.id == 7 && fixture.requests.isEmpty)
    }

    @Test("a list ends at its maximum, wherever it is entered")
    func maximum() async throws {
        let fixture = try await ResourceFixture()
        let gateway = fixture.gateway
        let people = await all(
            gateway.batches(of: try gateway.people(), limit: 100, maximum: 30, policy: .localFirst))
        #expect(ids(people) == Array(1...30) && people.last?.value?.state == .limitReached(30))
        #expect(fixture.requests.count == 2)
        let rest = await all(
            gateway.batches(of: try gateway.people(after: 25), limit: 100, maximum: 30, policy: .localOnly))
        #expect(ids(rest) == Array(26...30) && rest.last?.value?.state == .limitReached(30))
        let none = await all(
            gateway.batches(of: try gateway.people(after: 40), limit: 100, maximum: 30, policy: .localFirst))
        #expect(none.count == 1 && ids(none).isEmpty && none[0].value?.state == .limitReached(30))
        #expect(fixture.requests.count == 2)
        let projects = await all(
            gateway.batches(of: try gateway.projects(), limit: 100, maximum: 30, policy: .localFirst))
        #expect(ids(projects) == Array(1...30) && projects.last?.value?.state == .limitReached(30))
    }

    @Test("after a failure the remaining rows come from the storage, and each batch reports the failure")
    func failure() async throws {
        let fixture = try await ResourceFixture()
        let gateway = fixture.gateway
        for question in try [gateway.people(), gateway.projects()] {
            _ = await all(gateway.batches(of: question, limit: 50, policy: .localFirst))
            let before = fixture.requests.count
            fixture.feed.answers.fail(with: PatchbayError(.offline, "no network"), afterAnswers: 1)
            let answers = await all(gateway.batches(of: question, limit: 50, policy: .localFirst))
            #expect(ids(answers) == Array(1...50))
            #expect(answers.map(\.outcome.word) == ["unchanged", "failed: offline"])
            #expect(fixture.requests.count == before + 2)
            fixture.feed.answers.fail(with: nil)
        }
    }

    @Test("a list that was never fetched has no value offline")
    func unknown() async throws {
        let fixture = try await ResourceFixture()
        for question in try [fixture.gateway.people(), fixture.gateway.projects()] {
            let answers = await all(fixture.gateway.batches(of: question, limit: 5_000, policy: .localOnly))
            #expect(answers.map(\.outcome.word) == ["local only"] && answers[0].value == nil)
        }
        #expect(fixture.requests.isEmpty)
    }
}
