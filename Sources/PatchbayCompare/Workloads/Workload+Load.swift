import PatchbayCore
import PatchbayDomain

extension Workload {
    /// How many rows a loading transaction saves.
    static let loadRows = 1_000

    static let load = Workload(
        "load", "save 1,000 new users with their details, in one transaction", .users, isLoad: true,
        written: [StoredUser.collection, StoredUserPage.collection, StoredFavourite.collection]
    ) { bench, turn in
        let users = bench.population.grow(by: min(loadRows, bench.rows - bench.population.count))
        let records = users.map { bench.population.stored($0) }
        turn.isLast = bench.population.count == bench.rows
        let store = try bench.store
        try await turn.run([records], query: { "save users \($0.first?.user.id ?? 0) and those behind" }) {
            records in
            try await store.write { writing in for record in records { try writing.put(record) } }
        } log: { _, _ in
        }
        if turn.isLast { try await bench.completeUsers() }
    }

    static let ycsbLoad = Workload(
        "ycsb-load", "save 1,000 new rows of ten fields of 100 bytes, in one transaction", .ycsb,
        isLoad: true, written: [YCSBRow.collection]
    ) { bench, turn in
        let numbers = bench.ycsbCount..<min(bench.ycsbCount + loadRows, bench.rows)
        let rows = numbers.map { YCSBRow(number: $0, &turn.draws) }
        bench.ycsbCount = numbers.upperBound
        turn.isLast = bench.ycsbCount == bench.rows
        let store = try bench.store
        try await turn.run([rows], query: { "save \($0.first?.key ?? "") and those behind" }) { rows in
            try await store.write { writing in for row in rows { try writing.put(row) } }
        } log: { _, _ in
        }
    }
}

extension Bench {
    /// Puts beside the users how their list goes on, and marks some as favourites.
    fileprivate func completeUsers() async throws {
        let pages = population.storedPages()
        let favourites = favouriteIDs().map { id in
            StoredFavourite(of: population.user(id), addedAt: Population.storedAt)
        }
        try await store.write { writing in
            for page in pages { try writing.put(page) }
            for favourite in favourites { try writing.put(favourite) }
        }
    }

    /// One user in twenty, at most 5,000, spread over all.
    private func favouriteIDs() -> Set<Int64> {
        var draws = Draws(seed: setup.seed, workload: "favourites", turn: -1)
        var ids: Set<Int64> = []
        let wanted = min(5_000, max(1, population.count / 20))
        while ids.count < wanted { ids.insert(population.randomID(&draws)) }
        return ids
    }
}
