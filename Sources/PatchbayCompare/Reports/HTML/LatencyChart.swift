/// A histogram of the latencies of each subject over a logarithmic axis that all share.
///
/// The axis ends at p99.9, or at twice p99 where that is less, so that a long tail does not squeeze the histogram. An
/// arrow after the longest duration says that there are operations beyond.
struct LatencyChart {
    let group: ResultGroup

    private static let laneHeight = 52.0
    private static let areaHeight = 28.0
    private static let bins = 85

    /// Nil when there are no latencies.
    var drawing: HTML? {
        let lanes = group.standings.enumerated().filter { $0.element.rate != nil }
        let latencies = lanes.flatMap { $0.element.result?.rounds.map(\.latencies) ?? [] }
        let starts = latencies.map { Double($0.buckets.first?.upToNanoseconds ?? $0.p50) }
        let ends =
            starts + lanes.compactMap { $0.element.typicalLatencies.map { Double(min($0.p999, 2 * $0.p99)) } }
        guard let scale = LogScale(ends, margin: 1.25) else { return nil }
        let height = Double(lanes.count) * LatencyChart.laneHeight
        let drawn = lanes.enumerated().flatMap { row, lane in
            self.lane(
                lane.element, SubjectMark(index: lane.offset), scale,
                top: Double(row) * LatencyChart.laneHeight)
        }
        return SVG.drawing(
            height: height + 20,
            title: "\(group.workload): how long one operation took, with \(Quantity.count(group.rows)) rows",
            description: lanes.map { "\($0.element.subject): \(LatencyChart.words($0.element))" }.joined(
                separator: "; "),
            axis(scale, height) + drawn)
    }

    private func axis(_ scale: LogScale, _ height: Double) -> [HTML] {
        let ticks = scale.ticks(most: 6).map { tick in
            (x: scale.position(tick) * SVG.width, text: Quantity.shortTime(seconds: tick / 1e9))
        }
        return ticks.map { SVG.line($0.x, 0, $0.x, height + 3, "grid") } + SVG.labels(ticks, y: height + 15)
    }

    private func lane(_ standing: Standing, _ mark: SubjectMark, _ scale: LogScale, top: Double) -> [HTML] {
        let shares = shares(standing, scale)
        let peak = max(shares.max() ?? 0, .leastNormalMagnitude)
        let base = top + LatencyChart.laneHeight - 4
        let step = SVG.width / Double(LatencyChart.bins)
        let tail = tail(standing, scale)
        var points = [(x: 0.0, y: base)]
        for (bin, share) in shares.enumerated() {
            let y = base - share / peak * LatencyChart.areaHeight
            points += [(Double(bin) * step, y), (Double(bin + 1) * step, y)]
        }
        points.append((SVG.width, base))
        return [
            SVG.path(points, isClosed: true, "area \(mark.fill)"),
            SVG.line(0, base, SVG.width, base, "base"),
            mark.shape(6, top + 9),
            SVG.text(
                16, top + 13, "name halo", SVG.shortened(standing.subject, columns: tail.isEmpty ? 20 : 10)),
            SVG.text(SVG.width, top + 13, "value end halo", LatencyChart.words(standing) + tail),
        ] + percentiles(standing, scale, base)
    }

    /// The longest operation when it is beyond the end of the axis: `, max 2.10 s →`.
    private func tail(_ standing: Standing, _ scale: LogScale) -> String {
        let longest = standing.result?.rounds.map(\.latencies.max).max() ?? 0
        return Double(longest) > scale.highest ? ", max \(Quantity.time(nanoseconds: longest)) →" : ""
    }

    /// A solid line at the median and a broken one at p99.
    private func percentiles(_ standing: Standing, _ scale: LogScale, _ base: Double) -> [HTML] {
        guard let latencies = standing.typicalLatencies else { return [] }
        return [(latencies.p50, "p50"), (latencies.p99, "p99")].map { nanoseconds, style in
            let x = scale.position(Double(nanoseconds)) * SVG.width
            return SVG.line(x, base - LatencyChart.areaHeight, x, base, style)
        }
    }

    /// The number of operations of all rounds in each bin of the axis.
    private func shares(_ standing: Standing, _ scale: LogScale) -> [Double] {
        var shares = [Double](repeating: 0, count: LatencyChart.bins)
        for round in standing.result?.rounds ?? [] {
            var before = 0.0
            for bucket in round.latencies.buckets {
                let end = Double(max(1, bucket.upToNanoseconds))
                // Empty buckets are left out, so this one may begin later than the one before it ended.
                let start = max(before, end / LatencyChart.bucketLengthMax)
                if start >= scale.highest { break }
                let ends = [start, end].map { scale.position($0) * Double(LatencyChart.bins) }
                LatencyChart.spread(bucket.count, from: ends[0], to: ends[1], over: &shares)
                before = end
            }
        }
        return shares
    }

    /// Adds to each bin the part of a bucket that lies in it.
    private static func spread(_ count: Int, from start: Double, to end: Double, over shares: inout [Double])
    {
        let (first, last) = (min(Int(start), bins - 1), min(Int(end), bins - 1))
        for bin in first...max(first, last) {
            let inside = min(Double(bin + 1), end) - max(Double(bin), start)
            shares[bin] += Double(count) * (end > start ? max(0, inside) / (end - start) : 1)
        }
    }

    /// The end of a bucket divided by its start is at most this.
    private static let bucketLengthMax = 1.3

    static func words(_ standing: Standing) -> String {
        guard let latencies = standing.typicalLatencies else { return "" }
        return
            "p50 \(Quantity.time(nanoseconds: latencies.p50)), p99 \(Quantity.time(nanoseconds: latencies.p99))"
    }
}
