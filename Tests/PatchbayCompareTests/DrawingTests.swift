import PatchbayCore
import PatchbayDomain
import SourceSynthetic
import Testing

@testable import PatchbayCompare

@Suite("Random choice of rows")
struct DrawingTests {
    private func draws(_ turn: Int = 0) -> Draw { Draw(seed: 9, workload: "test", turn: turn) }

    @Test("the most popular of 1,000 items follow Zipf's law with the exponent 0.99")
    func zipfian() {
        let zipfian = Zipfian(items: 1_000)
        var draws = draws(), counts = [Int](repeating: 0, count: 1_000)
        for _ in 0..<100_000 { counts[zipfian.draw(&draws)] += 1 }
        // The sum of 1/n^0.99 for n from 1 to 1,000 is 7.7289.
        #expect((12_500...13_400).contains(counts[0]))
        #expect((6_100...6_900).contains(counts[1]))
        #expect(counts[0] > counts[10] && counts[10] > counts[200])
    }

    @Test("a grown distribution equals a new one of its size")
    func growth() {
        var grown = Zipfian(items: 10)
        grown.grow(to: 500)
        let fresh = Zipfian(items: 500)
        var one = draws(), other = draws()
        for _ in 0..<1_000 { #expect(grown.draw(&one) == fresh.draw(&other)) }
    }

    @Test("scrambling spreads the popular items over all", arguments: [1, 2, 100, 100_000])
    func scrambled(_ count: Int) {
        var draws = draws(), found: Set<Int> = []
        for _ in 0..<2_000 { found.insert(Zipfian.scrambled(&draws, below: count)) }
        #expect(found.allSatisfy { (0..<count).contains($0) })
        if count == 100_000 {
            #expect(found.contains { $0 < 20_000 } && found.contains { $0 > 80_000 })
            #expect(found.count < 1_900, "some are wanted again")
        }
    }

    @Test("YCSB's keys are hashes and unique")
    func keys() {
        #expect(Set((0..<10_000).map(YCSBRow.key)).count == 10_000)
        // FNV-1 of eight zero bytes, as in YCSB.
        #expect(
            FNV.hash(0)
                == Int64(
                    bitPattern: (0..<8).reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, _ in
                        hash &* 0x100_0000_01B3
                    }
                ).magnitude)
    }

    @Test("a YCSB row has ten fields of 100 bytes")
    func rows() {
        var draws = draws()
        let row = YCSBRow(number: 5, &draws)
        #expect(row.fields.count == 10 && row.fields.allSatisfy { $0.utf8.count == 100 })
        #expect(Set(row.fields).count == 10)
    }

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
        #expect(try population.firstItems(7).count == 7)
    }
}
