/// How long single operations took, in nanoseconds, from an HDR histogram of three significant digits.
package struct Latencies: Sendable, Hashable {
    /// How many operations took up to a length, and longer than the bucket before.
    package struct Bucket: Sendable, Hashable {
        package var upToNanoseconds: Int
        package var count: Int

        package init(upToNanoseconds: Int, count: Int) {
            self.upToNanoseconds = upToNanoseconds
            self.count = count
        }
    }

    package var p50: Int
    package var p90: Int
    package var p99: Int
    package var p999: Int
    package var max: Int
    /// All operations, by rising length, at most ``bucketsMax``; only buckets that hold some.
    package var buckets: [Bucket]

    /// Enough for a chart.
    package static let bucketsMax = 200

    package init(p50: Int, p90: Int, p99: Int, p999: Int, max: Int, buckets: [Bucket]) {
        self.p50 = p50
        self.p90 = p90
        self.p99 = p99
        self.p999 = p999
        self.max = max
        self.buckets = buckets
    }
}
