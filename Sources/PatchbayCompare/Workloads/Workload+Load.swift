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
}
