/// A random number generator that a seed makes reproducible (SplitMix64; Steele, Lea and Flood 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// The seed; print it when a test fails.
    package let seed: UInt64
    private var state: UInt64

    /// Creates a generator; the same seed produces the same numbers on every machine.
    package init(seed: UInt64) {
        self.seed = seed
        self.state = seed
    }

    /// Returns a generator with the seed from `PATCHBAY_SEED`, or a new one.
    package static func fromEnvironment() -> SeededGenerator {
        let given = Environment.value(of: "PATCHBAY_SEED").flatMap { UInt64($0) }
        return SeededGenerator(seed: given ?? UInt64.random(in: 1...UInt64(UInt32.max)))
    }

    /// Returns the next number of the sequence, uniform over all 64-bit values.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns true with a probability of 1 in `count`.
    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// Returns one of the elements, of which there must be at least one.
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &self)! }
}
