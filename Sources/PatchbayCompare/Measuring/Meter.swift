import CPlatform
import Histogram

/// The replies that a process has written about its measurements.
struct Replies {
    var count = 0
    var bytes = 0
}

/// Measures one round of turns, with the turns of other subjects in between.
struct Meter {
    private var histogram = Histogram<UInt32>(
        highestTrackableValue: Meter.nanosecondsMax, numberOfSignificantValueDigits: .three)
    private var operations = 0
    private var nanoseconds = 0.0
    private var processorNanoseconds: UInt64 = 0
    private let hasPeak = ProcessCounters.restartPeakMemory()
    private let start: ProcessCounters

    /// An hour; longer operations count as an hour in the histogram.
    static let nanosecondsMax: UInt64 = 3_600_000_000_000

    /// - Parameter replies: the replies so far.
    init(_ replies: Replies = Replies()) { start = .now(without: replies) }

    /// Adds the measurements of a turn.
    mutating func add(_ turn: Timing) {
        for length in turn.latencies { _ = histogram.record(min(length, Meter.nanosecondsMax)) }
        operations += turn.latencies.count
        nanoseconds += turn.nanoseconds
        processorNanoseconds += turn.processorNanoseconds
    }

    /// - Parameter replies: the replies so far.
    func round(_ replies: Replies = Replies()) -> Round {
        let end = ProcessCounters.now(without: replies)
        func difference(_ counter: KeyPath<ProcessCounters, Int?>) -> Int? {
            guard let last = end[keyPath: counter], let first = start[keyPath: counter] else { return nil }
            return max(0, last - first)
        }
        return Round(
            operations: operations, seconds: nanoseconds / 1e9,
            processorSeconds: Double(processorNanoseconds) / 1e9, latencies: latencies,
            peakMemoryBytes: hasPeak ? ProcessCounters.peakMemoryBytes : nil,
            writtenBytes: difference(\.writtenBytes), writeCalls: difference(\.writeCalls))
    }

    private var latencies: Latencies {
        func percentile(_ part: Double) -> Int { Int(histogram.valueAtPercentile(part)) }
        return Latencies(
            p50: percentile(50), p90: percentile(90), p99: percentile(99), p999: percentile(99.9),
            max: operations == 0 ? 0 : Int(histogram.maxRecorded), buckets: buckets)
    }

    /// Four buckets per doubling, so at most 168 up to an hour.
    private var buckets: [Latencies.Bucket] {
        var buckets: [Latencies.Bucket] = []
        for recorded in histogram.recordedValues() {
            let quarters = (log2(Double(max(1, recorded.value))) * 4).rounded(.up)
            let border = Int(exp2(quarters / 4).rounded(.up))
            if buckets.last?.upToNanoseconds == border {
                buckets[buckets.count - 1].count += Int(recorded.count)
            } else {
                buckets.append(.init(upToNanoseconds: border, count: Int(recorded.count)))
            }
        }
        return buckets
    }
}
