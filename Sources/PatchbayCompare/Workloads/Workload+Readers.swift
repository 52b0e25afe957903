import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension Workload {
    /// The most rows that the writer changes. The readers avoid them, so that their answers do not depend on the
    /// progress of the writer.
    private static let writtenRowsMax = 200
    private static let getsEach = 1_024

    static let readersBesideWriter = Workload(
        name: "readers",
        summary: "read one row by its key, several readers at once, while a writer saves 20 rows at a time",
        writes: true
    ) { bench, turn in
        let population = bench.population
        let written = population.ids(min(writtenRowsMax, bench.rows / 2))
        let keys = try (0..<bench.setup.threads).map { _ in
            try (0..<getsEach).map { _ in
                try population.key(population.randomID(&turn.draws, above: written.last ?? 0))
            }
        }
        let writer = BusyWriter(bench.store, try written.map(population.item), of: population)
        let processorStart = Clock.processor()
        let readers = try await writer.writing { [store = bench.store, resource = bench.resource] in
            try await Reader.runAll(keys, store, resource)
        }
        let processor = Clock.processor() - processorStart
        try await writer.leaveAsItWas()
        try turn.take(
            readers.flatMap(\.rows).map(Answer.row), readers.map(\.latencies),
            processorNanoseconds: processor
        ) { number in
            "get \(bench.resource.name) \(keys[number / getsEach][number % getsEach])"
        }
    }
}

/// One of several concurrent readers, which reads rows one after another.
private struct Reader: Sendable {
    private(set) var rows: [Item?] = []
    private(set) var latencies: [UInt64] = []

    /// The number of reads after which a reader yields its thread, as it would while it waits for a network.
    private static let readsBetweenYields = 16

    /// Runs a reader for each list of keys, at the same time.
    static func runAll(_ keys: [[Key]], _ store: Store, _ resource: Resource) async throws -> [Reader] {
        try await withThrowingTaskGroup(of: (Int, Reader).self) { group in
            for (number, keys) in keys.enumerated() {
                group.addTask { (number, try await Reader(keys, store, resource)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private init(_ keys: [Key], _ store: Store, _ resource: Resource) async throws {
        rows.reserveCapacity(keys.count)
        latencies.reserveCapacity(keys.count)
        for (number, key) in keys.enumerated() {
            let start = Clock.monotonic()
            rows.append(try await store.read { try $0.item(key, of: resource) })
            latencies.append(Clock.monotonic() - start)
            if number % Reader.readsBetweenYields == 0 { await Task.yield() }
        }
    }
}
