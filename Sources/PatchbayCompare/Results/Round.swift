/// One measured round of a workload on one subject.
package struct Round: Sendable, Hashable, Codable {
    package var operations: Int = 0
    package var seconds = 0.0
    /// User and system time of all threads of the measured process; more than `seconds` when several were busy.
    package var processorSeconds = 0.0
    package var latencies = Latencies()
    /// The most memory that the process had resident in this round; nil where the system does not report it.
    package var peakMemoryBytes: Int?
    /// The bytes passed to write calls, without the replies to the comparing process; nil where the system does not
    /// report them.
    package var writtenBytes: Int?
    /// The number of write calls, without those replies; nil where the system does not report it.
    package var writeCalls: Int?

    package var operationsPerSecond: Double { seconds > 0 ? Double(operations) / seconds : 0 }
}

/// The durations of single operations in nanoseconds, from an HDR histogram of three significant digits.
package struct Latencies: Sendable, Hashable, Codable {
    /// The number of operations that took up to a duration and longer than that of the bucket before.
    package struct Bucket: Sendable, Hashable {
        package var upToNanoseconds: Int
        package var count: Int
    }

    package var p50: Int = 0
    package var p90: Int = 0
    package var p99: Int = 0
    package var p999: Int = 0
    package var max: Int = 0
    /// All operations in at most 200 buckets by ascending duration, without empty buckets.
    package var buckets: [Bucket] = []
}

/// A bucket is `[upToNanoseconds, count]`, because a report has many.
extension Latencies.Bucket: Codable {
    package init(from decoder: any Decoder) throws {
        var numbers = try decoder.unkeyedContainer()
        upToNanoseconds = try numbers.decode(Int.self)
        count = try numbers.decode(Int.self)
    }

    package func encode(to encoder: any Encoder) throws { try [upToNanoseconds, count].encode(to: encoder) }
}
