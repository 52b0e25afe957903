/// One measured round of a workload on one subject.
package struct Round: Sendable, Hashable, Codable {
    package var operations: Int = 0
    package var seconds = 0.0
    /// User and system time of all threads of the measured process; more than `seconds` when several were busy.
    package var processorSeconds = 0.0
    package var latencies = Latencies()
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
