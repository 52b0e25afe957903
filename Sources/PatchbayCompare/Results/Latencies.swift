/// How long single operations took, in nanoseconds, from an HDR histogram of three significant digits.
public struct Latencies: Sendable, Hashable {
    /// How many operations took up to a length, and longer than the bucket before.
    public struct Bucket: Sendable, Hashable {
        public var upToNanoseconds: Int
        public var count: Int

        public init(upToNanoseconds: Int, count: Int) {
            self.upToNanoseconds = upToNanoseconds
            self.count = count
        }
    }

    public var p50: Int
    public var p90: Int
    public var p99: Int
    public var p999: Int
    public var max: Int
    /// All operations, by rising length, at most ``bucketsMax``; only buckets that hold some.
    public var buckets: [Bucket]

    /// Enough for a chart.
    public static let bucketsMax = 200

    public init(p50: Int, p90: Int, p99: Int, p999: Int, max: Int, buckets: [Bucket]) {
        self.p50 = p50
        self.p90 = p90
        self.p99 = p99
        self.p999 = p999
        self.max = max
        self.buckets = buckets
    }
}
