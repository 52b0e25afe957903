/// The durations of a turn's operations.
struct Timing {
    /// The duration of each operation in nanoseconds.
    var latencies: [UInt64] = []
    /// The sum of the durations; with several readers, the mean of their sums.
    var nanoseconds = 0.0
    /// The processor time used for them.
    var processorNanoseconds: UInt64 = 0
}
