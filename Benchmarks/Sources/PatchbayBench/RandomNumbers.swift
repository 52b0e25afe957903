import BenchmarkRows

/// A stream of random numbers from a seed.
struct RandomNumbers: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ bound: UInt64) -> UInt64 {
        state &+= 1
        return row_scatter(state).multipliedFullWidth(by: bound).high
    }
}
