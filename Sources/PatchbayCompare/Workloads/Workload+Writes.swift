import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension Workload {
    private static let pagesATurn = 16

    static let durableWrite = saves(
        "durable-write", "save one changed user in a separate transaction, with the configured durability",
        rows: 1, count: 64)

    static let durablePage = saves(
        "durable-page", "save 20 changed users in one transaction, with the configured durability",
        rows: pageRows, count: pagesATurn)

    private static func saves(_ name: String, _ summary: String, rows: Int, count: Int) -> Workload {
        Workload(name: name, summary: summary, isBare: true, turnsARound: 4, writes: true) { bench, turn in
            let saves = try (0..<count).map { _ in
                try bench.population.differentIDs(rows, &turn.draws).map { id in
                    let bio = ItemValue.text(turn.draws.text(bytes: 10 + turn.draws.below(150)))
                    return try bench.population.packed(bench.population.item(id), changing: ("bio", bio))
                }
            }
            try await turn.save(saves) { "save users \($0.map { $0.order! })" }
        }
    }

    static let refreshPage = Workload(
        name: "refresh-page", summary: "refresh a page of 100 users, half of them changed, and read it",
        turnsARound: 4, writes: true
    ) { bench, turn in
        let starts = (0..<pagesATurn).map { _ in bench.population.randomPageStart(&turn.draws) }
        bench.feed.prepare(try bench.population.pages(after: starts, revision: turn.number + 1))
        try await turn.run(starts, query: { "refresh users after \($0) limit 100" }) { start in
            bench.clock.step()
            return .rows(
                try await bench.list(after: start, limit: Population.pageRows, policy: .refresh))
        }
    }

    static let syncResume = Workload(
        name: "sync-resume", summary: "resume a sync of the list of users for one page of 100",
        turnsARound: 4, writes: true
    ) { bench, turn in
        let first = turn.number * pagesATurn % bench.population.pages
        let starts = (0..<pagesATurn).map { place in
            bench.population.pageStarts[(first + place) % bench.population.pages]
        }
        bench.feed.prepare(try bench.population.pages(after: starts, revision: turn.number + 1_000_001))
        try await turn.run(starts, query: { "sync users after \($0), one page" }) { _ in
            bench.clock.step()
            return .numbers([try await bench.syncOnePage()])
        }
    }
}
