import CPlatform
import Histogram

/// Measures one round of turns, with the turns of other subjects in between.
struct Meter {
    private var histogram = Histogram<UInt32>(
        highestTrackableValue: Meter.nanosecondsMax, numberOfSignificantValueDigits: .three)
    private var operations = 0
    private var nanoseconds = 0.0
    private var processorNanoseconds: UInt64 = 0
    private let hasPeak = PeakMemory.restart()
    private let start: Writes?

    /// An hour; longer operations count as an hour in the histogram.
    static let nanosecondsMax: UInt64 = 3_600_000_000_000

    /// - Parameter replies: the writing of the replies so far, which is not that of the subject.
    init(_ replies: Writes = Writes()) { start = .now(without: replies) }

    /// Adds the measurements of a turn.
    mutating func add(_ turn: Timing) {
        for length in turn.latencies { _ = histogram.record(min(length, Meter.nanosecondsMax)) }
        operations += turn.latencies.count
        nanoseconds += turn.nanoseconds
        processorNanoseconds += turn.processorNanoseconds
    }

    /// - Parameter replies: the writing of the replies so far.
    func round(_ replies: Writes = Writes()) -> Round {
        var writes: Writes?
        if let start, let end = Writes.now(without: replies) {
            writes = Writes(bytes: max(0, end.bytes - start.bytes), calls: max(0, end.calls - start.calls))
        }
        return Round(
            operations: operations, seconds: nanoseconds / 1e9,
            processorSeconds: Double(processorNanoseconds) / 1e9, latencies: latencies,
            peakMemoryBytes: hasPeak ? PeakMemory.bytes : nil, writtenBytes: writes?.bytes,
            writeCalls: writes?.calls)
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
