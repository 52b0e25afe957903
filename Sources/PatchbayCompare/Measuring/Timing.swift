/// How long the operations of a turn took.
struct Timing {
    /// Of each operation, in nanoseconds.
    var latencies: [UInt64] = []
    /// The time in which they were done: their sum; of several readers, the mean of their sums.
    var nanoseconds = 0.0
    /// The processor time meanwhile.
    var processorNanoseconds: UInt64 = 0
}
