import SourceSynthetic

extension Draw {
    /// Random numbers from a seed, a workload and the number of a turn (SplitMix64, Steele, Lea and Flood 2014), the
    /// same for every subject and in every run.
    init(seed: UInt64, workload: String, turn: Int) {
        var state = Draw.mixed(seed) &+ UInt64(truncatingIfNeeded: turn) &* 0xD134_2543_DE82_EF95
        for byte in workload.utf8 { state = Draw.mixed(state ^ UInt64(byte)) }
        self.init(state)
    }

    /// A number from 0 up to, but not including, `end`, which is greater than 0.
    mutating func below(_ end: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(end)).high) }

    /// Printable ASCII without quotes and backslashes.
    mutating func text(bytes: Int) -> String {
        var word: UInt64 = 0
        let letters = (0..<bytes).map { place in
            if place % 10 == 0 { word = next() }
            defer { word >>= 6 }
            return Draw.letters[Int(word & 63)]
        }
        return String(decoding: letters, as: UTF8.self)
    }

    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -".utf8)
}
