/// The result of a workload.
struct Measurement: Sendable {
    var operations: UInt64
    var rows: UInt64
    var seconds: Double
    /// The durations of single operations.
    var times: Histogram?
    /// The durations of the writer's commits, in a workload with a concurrent writer.
    var writerTimes: Histogram?
    var writerSeconds = 0.0

    func json(_ workload: Workload, _ options: Options, since start: ProcessUsage) -> String {
        let usage = ProcessUsage.now(), memory = ProcessUsage.memory()
        var members = [
            #""backend":"\#(options.storage)","op":"\#(workload.rawValue)","n":\#(options.rows),"ops":\#(operations)"#,
            #""rows":\#(rows),"secs":\#(Self.text(seconds, 6)),"ops_s":\#(Self.text(Double(operations) / seconds, 1))"#,
            #""rows_s":\#(Self.text(Double(rows) / seconds, 1))"#,
        ]
        if let times {
            members.append(#""mean_us":\#(Self.text(Double(times.sum) / Double(times.count) / 1_000, 3))"#)
            members += Self.quantiles(times, prefix: "")
        }
        if let writerTimes {
            members.append(#""w_commits_s":\#(Self.text(Double(writerTimes.count) / writerSeconds, 1))"#)
            members += Self.quantiles(writerTimes, prefix: "w_")
        }
        members += [
            #""peak_rss_kb":\#(memory.peak),"rss_anon_kb":\#(memory.anonymous)"#,
            #""cpu_s":\#(Self.text(usage.ownSeconds - start.ownSeconds, 3))"#,
            #""foreign_cores":\#(Self.text(usage.foreignCores(since: start), 2))"#,
        ]
        return "{\(members.joined(separator: ","))}"
    }

    private static func quantiles(_ times: Histogram, prefix: String) -> [String] {
        [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)].map { name, quantile in
            #""\#(prefix)\#(name)_us":\#(text(times.microseconds(quantile), 3))"#
        }
    }

    /// Formats a number with the given number of decimals.
    private static func text(_ value: Double, _ decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        return "\((value * scale).rounded() / scale)"
    }
}
