/// The resources that one subject used for a workload; a figure is nil where the system does not report it.
extension WorkloadResult {
    /// User and system time in seconds.
    var processorSecondsPerOperation: Double? { perOperation { $0.processorSeconds } }
    var writtenBytesPerOperation: Double? { perOperation { $0.writtenBytes.map(Double.init) } }
    var writeCallsPerOperation: Double? { perOperation { $0.writeCalls.map(Double.init) } }
    /// The most of all rounds.
    package var peakMemoryBytes: Int? { rounds.compactMap(\.peakMemoryBytes).max() }

    /// The figures as text in the order of every report: processor time, bytes and calls per operation, memory, and
    /// size on disk.
    package var consumption: [String?] {
        let bytes: (Int) -> String = { Quantity.bytes(Double($0)) }
        return [
            processorSecondsPerOperation.map { Quantity.time(seconds: $0) },
            writtenBytesPerOperation.map(Quantity.bytes), writeCallsPerOperation.map { Quantity.decimal($0) },
            peakMemoryBytes.map(bytes), bytesOnDisk.map(bytes),
        ]
    }

    private func perOperation(_ figure: (Round) -> Double?) -> Double? {
        let operations = rounds.reduce(0) { $0 + $1.operations }, known = rounds.compactMap(figure)
        guard operations > 0, known.count == rounds.count else { return nil }
        return known.reduce(0, +) / Double(operations)
    }
}

extension Comparison {
    /// A number of bytes of a subject.
    typealias Figure = (subject: String, bytes: Int)

    /// The size of each subject's files with the most rows, after the first workload that reports one.
    ///
    /// Excludes subjects without files.
    var bytesOnDisk: [Figure] {
        let group = largestGroups.first { $0.standings.contains { $0.result?.bytesOnDisk != nil } }
        return (group?.standings ?? []).compactMap { standing in
            standing.result?.bytesOnDisk.map { (standing.subject, $0) }
        }
    }

    /// The most memory of each subject's process in any workload with the most rows.
    ///
    /// Excludes subjects whose memory the system does not report.
    var peakMemory: [Figure] {
        let groups = largestGroups
        return subjects.indices.compactMap { index in
            groups.compactMap { $0.standings[index].result?.peakMemoryBytes }.max()
                .map { (subjects[index].name, $0) }
        }
    }
}
