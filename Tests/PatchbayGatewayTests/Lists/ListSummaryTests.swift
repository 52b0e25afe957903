import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("The summary of a list")
struct ListSummaryTests {
    private static let failed = Outcome.failed(PatchbayError(.offline, "the server is away"))

    private let items: [Item]

    init() async throws {
        let fixture = try await ResourceFixture(people: 1...3)
        items = try #require(try await fixture.gateway.listPeople().ending.value).items
    }

    private func list(
        _ count: Int, hasMore: Bool = false, isPartial: Bool = false, _ shortfall: Shortfall? = nil,
        gaps: [ListGap] = []
    ) -> ItemList {
        var list = ItemList(Array(items.prefix(count)), hasMore ? .more : .endOfSource)
        (list.hasMore, list.isPartial) = (hasMore, isPartial)
        list.notes.add(shortfall)
        (list.gaps, list.gapCount) = (gaps, gaps.count)
        return list
    }

    private func summary(_ list: ItemList?, _ outcome: Outcome) -> ListSummary {
        ListSummary(Answer(value: list, age: nil, outcome: outcome), limit: 3)
    }

    @Test("stored rows are complete if the list ends with them or there are as many as requested")
    func stored() {
        for outcome in [Outcome.stored, .localOnly, Self.failed] {
            #expect(summary(list(2), outcome).isComplete)
            #expect(summary(list(3, hasMore: true), outcome).isComplete)
            #expect(!summary(list(2, isPartial: true), outcome).isComplete)
            #expect(!summary(nil, outcome).isComplete)
            #expect(summary(nil, outcome).hasMore == nil)
            #expect(summary(list(2, isPartial: true), outcome).hasMore == true)
        }
    }

    @Test("rows that the source has just confirmed are complete unless some are missing among them")
    func confirmed() {
        for outcome in [Outcome.fresh, .unchanged] {
            #expect(summary(list(2, hasMore: true), outcome).isComplete)
            #expect(summary(nil, outcome).isComplete)
            let shortfall = Shortfall(.keys, "2 rows have no id")
            #expect(!summary(list(3, shortfall), outcome).isComplete)
            #expect(summary(list(3, shortfall), outcome).shortfall == shortfall)
            #expect(!summary(list(3, gaps: [ListGap(after: 1, before: 9)]), outcome).isComplete)
        }
    }

    @Test("rows that are not complete have a reason, and complete ones have none")
    func reason() {
        let gap = ListGap(after: 1, before: 9)
        for (list, reason) in [
            (list(2), nil), (list(2, isPartial: true), "the rest was not fetched"),
            (list(2, Shortfall(.keys, "2 rows have no id")), "2 rows have no id"),
            (list(3, gaps: [gap]), "rows between these were not fetched"),
        ] {
            #expect(summary(list, .localOnly).reason == reason)
        }
        #expect(summary(nil, .localOnly).reason == "this list was never fetched")
        #expect(summary(nil, .fresh).reason == nil)
    }

    @Test("what is missing in one of several answers is missing in all of them")
    func several() {
        let answers = [
            list(1, hasMore: true, gaps: [ListGap(after: 1, before: 9)]), list(1, hasMore: true), list(0),
        ].map { (list: ItemList) in Answer(value: list, age: .seconds(list.items.count), outcome: .unchanged)
        }
        var summary = ListSummary(answers[0], limit: 10)
        for answer in answers.dropFirst() { summary.add(answer) }
        #expect(summary.count == 2 && summary.gapCount == 1 && !summary.isComplete)
        #expect(summary.last?.items.count == 1 && summary.hasMore == true && summary.age == .seconds(1))

        var late = ListSummary(answers[1], limit: 10)
        late.add(Answer(value: list(0, Shortfall(.end, "the list ends early")), age: nil, outcome: .fresh))
        #expect(!late.isComplete && late.shortfall?.kind == .end, "an empty last page can lack rows")
    }

    @Test("an answer of several parts is unchanged only if each part is, and its last failure shows")
    func outcomes() {
        var summary = summary(list(1, hasMore: true), .fresh)
        summary.add(Answer(value: list(1), age: nil, outcome: .unchanged))
        #expect(summary.outcome.word == "fresh")
        summary.add(Answer(value: nil, age: nil, outcome: Self.failed))
        #expect(summary.outcome.error != nil && summary.count == 2, "\(summary)")
    }

    @Test("a cold list takes 3 read transactions and 1 write, and the same list again 3 and 1")
    func transactions() async throws {
        let storage = CountingStorage()
        let fixture = try await ResourceFixture(storage: storage)
        for list in [
            { try fixture.gateway.listPeople(policy: $0) },
            { try fixture.gateway.listProjects(limit: 20, policy: $0) },
        ] as [(Policy) throws -> Answers<ItemList>] {
            for policy in [Policy.localFirst, .remoteFirst] {
                let before = (storage.reads, storage.writes)
                let answer = try await list(policy).ending
                #expect(answer.outcome.isConfirmed && answer.value?.items.isEmpty == false)
                #expect(storage.reads - before.0 <= 3, "\(policy)")
                #expect(storage.writes - before.1 <= 1, "\(policy)")
            }
            let before = (storage.reads, storage.writes)
            #expect(try await list(.localOnly).ending.value?.items.isEmpty == false)
            #expect(storage.reads - before.0 == 1 && storage.writes == before.1)
        }
    }
}
