import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import SourceSynthetic
import Synchronization

extension Workload {
    /// The number of rows on a displayed page.
    static let pageRows = 20
    private static let gets = 1_024
    private static let pages = 64

    static let getByKey = Workload(name: "get-key", summary: "read a random row by its key", isBare: true) {
        bench, turn in
        let keys = try bench.population.randomIDs(gets, &turn.draws).map(bench.population.key)
        try await turn.get(keys, query: { "get \(bench.resource.name) \($0)" }) { $0 }
    }

    static let getByHandle = Workload(
        name: "get-handle", summary: "find a random row by its handle, through the index of handles",
        need: .handle, isBare: true
    ) { bench, turn in
        let handles = try bench.randomKeys(gets, &turn.draws, in: bench.population.resource.handleIndex!)
        try await turn.list(handles, query: { "find \(bench.resource.name) \($0)" }) { handle, resource in
            Query(resource.collection, by: resource.handleIndex!, .equal(handle), limit: 10)
        }
    }

    static let pageForward = lists(
        "page-forward", "read the 20 rows after a random key, in key order", rows: pageRows, count: pages)

    static let pageBackward = lists(
        "page-backward", "read the 20 rows before a random key, in descending key order",
        rows: pageRows, order: .descending, count: pages)

    static let scan = lists("scan", "read up to 1,000 rows in key order", rows: 1_000, count: 1)

    private static func lists(
        _ name: String, _ summary: String, rows: Int, order: Query.Order = .ascending, count: Int
    ) -> Workload {
        let place = order == .ascending ? "after" : "before"
        return Workload(name: name, summary: summary, isBare: true) { bench, turn in
            let keys = try bench.population.randomIDs(count, &turn.draws).map(bench.population.key)
            try await turn.list(keys, query: { "list \(bench.resource.name) \(place) \($0) limit \(rows)" }) {
                key, resource in
                Query(resource.collection, after: key, order: order, limit: rows)
            }
        }
    }

    static let prefixSearch = Workload(
        name: "prefix-search", summary: "read the first 20 rows whose handle begins with three given letters",
        need: .textHandle, isBare: true
    ) { bench, turn in
        let prefixes = try bench.population.randomIDs(pages, &turn.draws).map {
            String(try bench.population.item($0).handle.prefix(3))
        }
        try await turn.list(prefixes, query: { "find \(bench.resource.name) \"\($0)...\" limit 20" }) {
            prefix, resource in
            Query(resource.collection, by: resource.handleIndex!, .prefix(.text(prefix)), limit: pageRows)
        }
    }

    /// Reads a page in the order of one of a resource's indexes.
    static func index(_ index: Index) -> Workload {
        let name = index.name.hasPrefix("by_") ? String(index.name.dropFirst(3)) : index.name
        return Workload(
            name: "index-\(name.withHyphens)",
            summary: "read the 20 rows from a random row on, in the order of the index \(index.name)"
        ) { bench, turn in
            let keys = try bench.randomKeys(pages, &turn.draws, in: index)
            try await turn.list(
                keys, query: { "list \(bench.resource.name) by \(index.name) from \($0) limit 20" }
            ) {
                key, resource in
                Query(resource.collection, by: index, .between(.including(key), nil), limit: pageRows)
            }
        }
    }

    static let favourites = Workload(
        name: "favourites", summary: "find the favourites among the 20 rows of a page"
    ) { bench, turn in
        let pages = try bench.population.randomIDs(pages, &turn.draws).map { start in
            try bench.population.ids(after: start - 1, pageRows).map(bench.population.item)
        }
        let query = { (page: [Item]) in "find favourites among \(page.count) rows from \(page[0].keyText)" }
        try await turn.run(pages, query: query) { .rows(try await bench.favourites(among: $0)) }
    }
}

extension Bench {
    /// The values of an index in random rows.
    fileprivate func randomKeys(_ count: Int, _ draws: inout Draw, in index: Index) throws -> [Key] {
        let resource = population.resource
        return try population.randomIDs(count, &draws).map { id in
            let key = try population.item(id).withRow { resource.collection.key(of: $0, in: index) }
            let values = key.values.prefix(index.parts.count)
            return values.count == 1 ? values[0] : .compound(Array(values))
        }
    }
}

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

extension Workload {
    private static let openings = 4

    static let open = Workload(
        name: "open", summary: "open the closed storage and read one row", needsFiles: true, isBare: true
    ) { bench, turn in
        let keys = try bench.population.randomIDs(openings, &turn.draws).map(bench.population.key)
        try await turn.get(
            keys, query: { "open, then get \(bench.resource.name) \($0)" }, before: bench.close
        ) { $0 }
    }

    static let firstPage = Workload(
        name: "first-page", summary: "open the closed storage and read the first page of 20 rows",
        needsFiles: true
    ) { bench, turn in
        try await turn.showFirstPages(openings, of: bench, before: bench.close)
    }

    static let coldStart = Workload(
        name: "cold-start",
        summary:
            "like first-page, but after asking the system to drop the files from its cache, which it may ignore",
        needsFiles: true
    ) { bench, turn in
        try await turn.showFirstPages(2, of: bench) {
            try await bench.close()
            try bench.folder.dropCache()
        }
    }
}

extension Turn {
    fileprivate func showFirstPages(
        _ count: Int, of bench: Bench, before: @escaping () async throws -> Void
    ) async throws {
        let limits = Array(repeating: Workload.pageRows, count: count)
        try await run(limits, query: { "open, then list \(bench.resource.name) limit \($0)" }, before: before)
        {
            limit in
            try await bench.open()
            let resource = bench.resource, query = Query(resource.collection, limit: limit)
            return .rows(try await bench.store.read { try $0.items(query, of: resource) })
        }
    }
}

/// Writes some rows repeatedly while others read.
final class BusyWriter: Sendable {
    private let store: Store
    private let population: Population
    private let items: [Item]
    private let isStopped = Atomic(false)

    /// The number of rows per transaction.
    private static let rowsAtOnce = 20

    init(_ store: Store, _ items: [Item], of population: Population) {
        self.store = store
        self.items = items
        self.population = population
    }

    /// Writes while `body` runs.
    func writing<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        async let written: Void = run()
        let result: Result
        do {
            // An error of the body is the only one that is reported.
            defer { isStopped.store(true, ordering: .relaxed) }
            result = try await body()
        }
        try await written
        return result
    }

    /// Restores the rows, so that their content does not depend on how many writes there were.
    func leaveAsItWas() async throws {
        let rows = try items.map { try population.packed($0) }
        try await store.write { try $0.put(rows) }
    }

    /// Writes until it is stopped. It yields after each write, because a storage that never waits, such as one in
    /// memory, would block the readers' thread.
    private func run() async throws {
        for number in 0... {
            if isStopped.load(ordering: .relaxed) { return }
            let start = number * BusyWriter.rowsAtOnce % items.count
            let rows = try items[start...].prefix(BusyWriter.rowsAtOnce).map {
                try population.packed($0, changedTo: "change \(number)")
            }
            try await store.write { try $0.put(rows) }
            await Task.yield()
        }
    }
}
