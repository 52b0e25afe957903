/// One turn of a workload on one subject.
package struct Round: Sendable, Hashable {
    package var operations: Int
    package var seconds: Double
    /// User and system time of the process that did it, all threads; more than `seconds` when several were busy.
    package var processorSeconds: Double
    package var latencies: Latencies
    /// The most memory that the process had resident in this round; nil where the system does not tell, and for
    /// subjects measured in one process with others.
    package var peakMemoryBytes: Int?
    /// What write calls were given, to files and pipes; nil where the system does not tell.
    package var writtenBytes: Int?
    /// How often a write was asked of the system; nil where it does not tell.
    package var writeCalls: Int?
    /// How often a flush to the disk was asked for (fsync, fdatasync, msync); nil where that cannot be seen.
    package var flushes: Int?

    package init(
        operations: Int, seconds: Double, processorSeconds: Double, latencies: Latencies,
        peakMemoryBytes: Int? = nil, writtenBytes: Int? = nil, writeCalls: Int? = nil, flushes: Int? = nil
    ) {
        self.operations = operations
        self.seconds = seconds
        self.processorSeconds = processorSeconds
        self.latencies = latencies
        self.peakMemoryBytes = peakMemoryBytes
        self.writtenBytes = writtenBytes
        self.writeCalls = writeCalls
        self.flushes = flushes
    }

    package var operationsPerSecond: Double { seconds > 0 ? Double(operations) / seconds : 0 }
}
