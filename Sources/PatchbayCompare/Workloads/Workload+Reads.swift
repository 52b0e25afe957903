import PatchbayCore
import PatchbayDomain
import SourceSynthetic

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
