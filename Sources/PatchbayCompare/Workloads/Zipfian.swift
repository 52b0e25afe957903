import CPlatform
import SourceSynthetic

/// A Zipf distribution, in which few items are popular (Gray and others, "Quickly Generating Billion-Record Synthetic
/// Databases", 1994), with YCSB's constant 0.99. Item 0 is the most popular.
struct Zipfian: Sendable {
    static let theta = 0.99

    private(set) var items: Int
    private var zeta: Double
    private let alpha = 1 / (1 - Zipfian.theta)

    private static let zetaOfTwo = sum(1...2)

    /// - Parameter zeta: the sum over all items; computed when it is not known.
    init(items: Int, zeta: Double? = nil) {
        precondition(items > 0, "there is nothing to draw from")
        self.items = items
        self.zeta = zeta ?? Zipfian.sum(1...items)
    }

    /// Ten billion items, with the precomputed sum from YCSB, to be spread over the existing rows.
    static let scrambled = Zipfian(items: 10_000_000_000, zeta: 26.469_028_201_783_02)

    /// Adds new items at the end, which are the least popular.
    mutating func grow(to items: Int) {
        guard items > self.items else { return }
        zeta += Zipfian.sum(self.items + 1...items)
        self.items = items
    }

    func draw(_ draws: inout Draw) -> Int {
        let unit = draws.unit(), place = unit * zeta
        if place < 1 { return 0 }
        if place < 1 + pow(0.5, Zipfian.theta) { return 1 }
        return min(items - 1, Int(Double(items) * pow(eta * unit - eta + 1, alpha)))
    }

    /// One of `count` items. A hash (64-bit FNV-1) spreads the popular ones over all, as in YCSB.
    static func scrambled(_ draws: inout Draw, below count: Int) -> Int {
        Int(FNV.hash(UInt64(scrambled.draw(&draws))) % UInt64(count))
    }

    private var eta: Double {
        // Both terms of the quotient are zero with two items, where any number will do.
        items <= 2
            ? 0 : (1 - pow(2 / Double(items), 1 - Zipfian.theta)) / (1 - Zipfian.zetaOfTwo / zeta)
    }

    private static func sum(_ ranks: ClosedRange<Int>) -> Double {
        ranks.reduce(0) { $0 + 1 / pow(Double($1), theta) }
    }
}

/// The hash with which YCSB spreads its keys.
enum FNV {
    static func hash(_ value: UInt64) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325, rest = value
        for _ in 0..<8 {
            hash = (hash ^ (rest & 0xFF)) &* 0x100_0000_01B3
            rest >>= 8
        }
        // YCSB takes the absolute value of a signed number.
        return Int64(bitPattern: hash).magnitude
    }
}
