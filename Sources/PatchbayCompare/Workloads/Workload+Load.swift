import PatchbayCore
import PatchbayDomain

extension Workload {
    /// The number of rows per transaction of a load.
    static let loadRows = 1_000

    static let load = Workload(
        name: "load", summary: "save up to 1,000 new rows in one transaction", isLoad: true, isBare: true,
        writes: true
    ) { bench, turn in
        let items = try bench.population.grow(by: min(loadRows, bench.rows - bench.population.count))
        let rows = try items.map { try bench.population.packed($0) }
        turn.isLast = bench.population.count == bench.rows
        try await turn.save([rows]) { "save \(bench.names($0.prefix(1))) and the rows after it" }
        if turn.isLast, bench.bare == nil { try await bench.completeList() }
    }
}
