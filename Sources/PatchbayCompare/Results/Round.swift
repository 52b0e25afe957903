/// One measured round of a workload on one subject.
package struct Round: Sendable, Hashable {
    package var operations: Int
    package var seconds: Double
    /// User and system time of all threads of the measured process; more than `seconds` when several were busy.
    package var processorSeconds: Double
    package var latencies: Latencies
    /// The most memory that the process had resident in this round; nil where the system does not report it, and for
    /// subjects that share a process.
    package var peakMemoryBytes: Int?
    /// The bytes passed to write calls, without the replies to the comparing process; nil where the system does not
    /// report them.
    package var writtenBytes: Int?
    /// The number of write calls, without those replies; nil where the system does not report it.
    package var writeCalls: Int?

    package var operationsPerSecond: Double { seconds > 0 ? Double(operations) / seconds : 0 }
}
