#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Draws items of which few are wanted often (Gray and others, "Quickly Generating Billion-Record Synthetic
/// Databases", 1994), with YCSB's constant 0.99: item 0 is the most wanted.
struct Zipfian: Sendable {
    static let theta = 0.99

    private(set) var items: Int
    private var zeta: Double
    private let zetaOfTwo: Double
    private let alpha = 1 / (1 - Zipfian.theta)
    private var eta = 0.0

    init(items: Int) {
        precondition(items > 0, "there is nothing to draw from")
        self.items = items
        zetaOfTwo = Zipfian.sum(1...2)
        zeta = Zipfian.sum(1...items)
        eta = freshEta
    }

    /// For a number of items whose sum is known.
    private init(items: Int, zeta: Double) {
        self.items = items
        self.zeta = zeta
        zetaOfTwo = Zipfian.sum(1...2)
        eta = freshEta
    }

    /// Ten billion items, the sum precomputed as in YCSB: what ``Workload`` scrambles over the rows there are.
    static let scrambled = Zipfian(items: 10_000_000_000, zeta: 26.469_028_201_783_02)

    /// Takes new items in at the end; they are the least wanted.
    mutating func grow(to items: Int) {
        guard items > self.items else { return }
        zeta += Zipfian.sum(self.items + 1...items)
        self.items = items
        eta = freshEta
    }

    func draw(_ draws: inout Draws) -> Int {
        let unit = draws.unit(), place = unit * zeta
        if place < 1 { return 0 }
        if place < 1 + pow(0.5, Zipfian.theta) { return 1 }
        return min(items - 1, Int(Double(items) * pow(eta * unit - eta + 1, alpha)))
    }

    /// One of `count` items, the wanted ones spread over all of them by a hash (64-bit FNV-1), as YCSB does.
    static func scrambled(_ draws: inout Draws, below count: Int) -> Int {
        Int(FNV.hash(UInt64(scrambled.draw(&draws))) % UInt64(count))
    }

    private var freshEta: Double {
        // Both terms of the quotient vanish at two items; any number serves there.
        items <= 2
            ? 0 : (1 - pow(2 / Double(items), 1 - Zipfian.theta)) / (1 - zetaOfTwo / zeta)
    }

    private static func sum(_ ranks: ClosedRange<Int>) -> Double {
        ranks.reduce(0) { $0 + 1 / pow(Double($1), theta) }
    }
}

/// The hash that YCSB spreads its keys with.
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
