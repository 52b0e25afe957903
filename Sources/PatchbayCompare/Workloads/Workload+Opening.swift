import PatchbayCore
import PatchbayDomain
import PatchbayGateway

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
