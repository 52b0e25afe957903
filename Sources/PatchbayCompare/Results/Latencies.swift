/// The durations of single operations in nanoseconds, from an HDR histogram of three significant digits.
package struct Latencies: Sendable, Hashable, Codable {
    /// The number of operations that took up to a duration and longer than that of the bucket before.
    package struct Bucket: Sendable, Hashable, Codable {
        package var upToNanoseconds: Int
        package var count: Int
    }

    package var p50: Int = 0
    package var p90: Int = 0
    package var p99: Int = 0
    package var p999: Int = 0
    package var max: Int = 0
    /// All operations in at most ``bucketsMax`` buckets by ascending duration, without empty buckets.
    package var buckets: [Bucket] = []

    /// Enough for a chart.
    package static let bucketsMax = 200
}
