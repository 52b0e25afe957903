import Foundation

/// Random numbers that can be repeated: SplitMix64.
struct Randomness: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Starts from `PATCHBAY_SEED` if it is set, otherwise from a random seed, which it prints.
    static func fromEnvironment(for test: String) -> Randomness {
        let given = ProcessInfo.processInfo.environment["PATCHBAY_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        print("\(test): PATCHBAY_SEED=\(seed)")
        return Randomness(seed: seed)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
