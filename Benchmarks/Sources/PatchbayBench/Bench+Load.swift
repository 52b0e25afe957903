import PatchbayCore
import PatchbayDomain

extension Bench {
    private static let rowsPerTransaction: UInt64 = 10_000

    /// Inserts every row in the order of ids. The time excludes generating the rows, and ends when the store is
    /// closed and everything is durable.
    func load(indexLast: Bool) async throws -> Measurement {
        ProcessUsage.resetPeak()
        var times = Histogram()
        var spent: UInt64 = 0
        var start = nanoseconds()
        let collection = (indexLast ? BenchRows.unindexed : BenchRows.resource).collection
        let store = try await open(Schema(version: 1, [collection]))
        spent += nanoseconds() - start
        guard try await store.read({ try $0.count(Query(collection, limit: 1)) }) == 0 else {
            throw Fault("\(options.folder) already contains rows; empty it first")
        }
        for first in stride(from: 0, to: options.rows, by: Int(Self.rowsPerTransaction)) {
            let chunk = (first..<min(first + Self.rowsPerTransaction, options.rows)).map { rows.item($0) }
            start = nanoseconds()
            try await store.write { try $0.save(chunk, over: { _ in nil }, in: collection) }
            let time = nanoseconds() - start
            times.add(time)
            spent += time
        }
        start = nanoseconds()
        try await store.close()
        if indexLast { try await open(.indexed).close() }
        spent += nanoseconds() - start
        return Measurement(
            operations: times.count, rows: options.rows, seconds: Double(spent) / 1e9, times: times)
    }
}
