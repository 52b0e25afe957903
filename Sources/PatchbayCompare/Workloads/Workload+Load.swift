import PatchbayCore
import PatchbayDomain

extension Workload {
    /// The number of rows per transaction of a load.
    static let loadRows = 1_000

    static let load = Workload(
        name: "load", summary: "save 1,000 new users with their details, in one transaction", isLoad: true,
        isBare: true, writes: true
    ) { bench, turn in
        let items = try bench.population.grow(by: min(loadRows, bench.rows - bench.population.count))
        let rows = try items.map { try bench.population.packed($0) }
        turn.isLast = bench.population.count == bench.rows
        try await turn.save([rows]) { "save users \($0.first?.handle ?? "") and those after" }
        if turn.isLast, bench.bare == nil { try await bench.completeList() }
    }

    static let ycsbLoad = Workload(
        name: "ycsb-load", summary: "save 1,000 new rows of ten fields of 100 bytes, in one transaction",
        dataset: .ycsb,
        isLoad: true, writes: true
    ) { bench, turn in
        let start = turn.number * loadRows, end = min(start + loadRows, bench.rows)
        let rows = (start..<end).map { YCSBRow(number: $0, &turn.draws) }
        turn.isLast = end == bench.rows
        let store = bench.store
        try await turn.run([rows], query: { "save \($0.first?.key ?? "") and those after" }) { rows in
            try await store.write { writing in for row in rows { try writing.put(row) } }
            return .nothing
        }
    }
}
