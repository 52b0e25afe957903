@testable import PatchbayCore
import PatchbayTestKit
import Testing

@Suite("sorted map") struct SortedMapTests {
    /// The map and its expected contents in a plain sorted array.
    private struct Pair {
        var map = SortedMap()
        var model: [(key: [UInt8], value: [UInt8])] = []

        mutating func set(_ key: [UInt8], _ value: [UInt8]?) {
            map[key] = value
            model.removeAll { $0.key == key }
            if let value { model.append((key, value)) }
            model.sort { $0.key.lexicographicallyPrecedes($1.key) }
        }

        func keys(_ range: KeyRange, _ order: Query.Order) -> (got: [[UInt8]], expected: [[UInt8]]) {
            var got: [[UInt8]] = []
            map.walk(range, order) { key, _ in
                got.append(key)
                return .next
            }
            let inside = model.map(\.key).filter { key in
                !key.lexicographicallyPrecedes(range.lower)
                    && range.upper.map { key.lexicographicallyPrecedes($0) } ?? true
            }
            return (got, order == .ascending ? inside : inside.reversed())
        }
    }

    private static func key(_ generator: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in UInt8.random(in: 0...9, using: &generator)
        }
    }

    @Test("contains and walks the same as a sorted array through 4,000 random changes")
    func againstSortedArray() {
        var generator = SeededGenerator.fromEnvironment(), pair = Pair()
        for step in 0..<4_000 {
            let key = SortedMapTests.key(&generator)
            // Grows for a while, then shrinks, so that chunks are split and removed.
            let removes = Int.random(in: 0..<10, using: &generator) < (step % 2_000 < 1_200 ? 2 : 8)
            pair.set(key, removes ? nil : [UInt8(step % 256)])
            guard step % 20 == 0 else { continue }
            let lower = SortedMapTests.key(&generator)
            for upper in [nil, SortedMapTests.key(&generator)] {
                for order in [Query.Order.ascending, .descending] {
                    let (got, expected) = pair.keys(KeyRange(lower: lower, upper: upper), order)
                    #expect(got == expected, "step \(step), seed \(generator.seed)")
                }
            }
            #expect(pair.map[lower] == pair.model.first { $0.key == lower }?.value)
            #expect(pair.map.count == pair.model.count)
        }
    }

    @Test("a copy keeps its entries while the original changes")
    func copies() {
        var map = SortedMap()
        for number in 0..<1_000 { map[[UInt8(number / 256), UInt8(number % 256)]] = [1] }
        let copy = map
        for number in 0..<1_000 where number % 2 == 0 {
            map[[UInt8(number / 256), UInt8(number % 256)]] = nil
        }
        map[[9]] = [2]
        #expect(copy.count == 1_000 && map.count == 501)
        #expect(copy[[0, 0]] == [1] && map[[0, 0]] == nil && copy[[9]] == nil)
    }

    @Test("a walk stops when the visitor requests it")
    func stops() {
        var map = SortedMap(), visited: [[UInt8]] = []
        for number in 0..<600 { map[[UInt8(number / 256), UInt8(number % 256)]] = [] }
        map.walk(KeyRange(), .descending) { key, _ in
            visited.append(key)
            return visited.count == 3 ? .stop : .next
        }
        #expect(visited == [[2, 87], [2, 86], [2, 85]])
    }
}
