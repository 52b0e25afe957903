import PatchbayCore
import PatchbayDomain

extension Workload {
    private static let pagesATurn = 16

    static let durableWrite = Workload(
        "durable-write", "save one changed user in a separate transaction, with the configured durability",
        .users, isBare: true, turnsARound: 4, writes: true
    ) { bench, turn in
        let packings = try (0..<64).map { _ in
            let item = try bench.population.item(bench.population.randomID(&turn.draws))
            let bio = ItemValue.text(turn.draws.text(bytes: 10 + turn.draws.below(150)))
            return [try bench.population.packing(item, changing: ("bio", bio))]
        }
        try await turn.save(packings, to: bench) { "save users \($0[0].item.order!)" }
    }

    static let refreshPage = Workload(
        "refresh-page", "refresh a page of 100 users, half of them changed, and read it", .users,
        turnsARound: 4, writes: true
    ) { bench, turn in
        let starts = (0..<pagesATurn).map { _ in bench.population.randomPageStart(&turn.draws) }
        bench.feed.prepare(try bench.population.pages(after: starts, revision: turn.number + 1))
        try await turn.run(starts, query: { "refresh users after \($0) limit 100" }) { start in
            bench.clock.step()
            return try await bench.refresh(after: start, limit: Population.pageRows)
        } log: { rows, log in
            try log.append(rows, of: bench)
        }
    }

    static let syncResume = Workload(
        "sync-resume", "resume a sync of the list of users for one page of 100", .users,
        turnsARound: 4, writes: true
    ) { bench, turn in
        let first = turn.number * pagesATurn % bench.population.pages
        let starts = (0..<pagesATurn).map { place in
            bench.population.pageStarts[(first + place) % bench.population.pages]
        }
        bench.feed.prepare(try bench.population.pages(after: starts, revision: turn.number + 1_000_001))
        try await turn.run(starts, query: { "sync users after \($0), one page" }) { _ in
            bench.clock.step()
            return try await bench.syncOnePage()
        } log: { rows, log in
            try log.append(numbers: [rows])
        }
    }
}
