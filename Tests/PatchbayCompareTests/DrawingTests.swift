import PatchbayCore
import PatchbayDomain
import SourceSynthetic
import Testing

@testable import PatchbayCompare

@Suite("Random choice of rows")
struct DrawingTests {
    private func draws(_ turn: Int = 0) -> Draw { Draw(seed: 9, workload: "test", turn: turn) }

    @Test("turns differ, and each is repeatable")
    func turns() {
        var one = draws(1), again = draws(1), other = draws(2)
        let numbers = (0..<100).map { _ in one.next() }
        #expect(numbers == (0..<100).map { _ in again.next() })
        #expect(numbers != (0..<100).map { _ in other.next() })
    }

    @Test("pages cover the whole list, and each revision changes about half of the rows")
    func pages() throws {
        var population = try Population(seed: 4)
        let items = try population.grow(by: 130) + population.grow(by: 120)
        #expect(population.count == 250 && population.pages == 3)
        var listed: [Int64] = []
        for start in population.pageStarts.prefix(3) {
            let first = try #require(try population.pages(after: [start], revision: 1)[start]).items
            let second = try #require(try population.pages(after: [start], revision: 2)[start]).items
            listed += first.compactMap(\.order)
            let changed = zip(first, second).count { $0 != $1 }
            #expect((first.count / 4...first.count * 3 / 4).contains(changed))
        }
        #expect(listed == items.compactMap(\.order))
        let stored = population.storedPages()
        #expect(stored.map(\.after) == Array(population.pageStarts.prefix(3)))
        #expect(stored.last?.next == nil && stored.last?.end == items.last?.order)
    }

    @Test("a random row exists and comes after the given one")
    func randomRows() throws {
        var population = try Population(seed: 4), draws = draws()
        _ = try population.grow(by: 300)
        for _ in 0..<1_000 {
            let id = population.randomID(&draws, above: 50)
            #expect(id > 50 && id <= population.lastID && population.holds(id))
        }
        #expect(population.ids(7).count == 7 && population.ids(after: population.lastID, 7).isEmpty)
    }
}
