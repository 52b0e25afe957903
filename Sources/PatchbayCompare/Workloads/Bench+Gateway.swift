import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import SourceSynthetic

// The workloads' calls to the gateway.
extension Bench {
    /// Refreshes a part of the list and returns its rows.
    func refresh(after start: Int64, limit: Int) async throws -> [Item] {
        let question = try gateway.question(resource, after: start)
        let answer = await gateway.list(question, limit: limit, policy: .refresh).ending
        if case .failed(let error) = answer.outcome { throw error }
        return answer.value?.items ?? []
    }

    /// Continues a sync of the list by one page.
    ///
    /// - Returns: the number of saved rows.
    func syncOnePage() async throws -> Int64 {
        let (end, progress) = await gateway.sync(try gateway.question(resource), maximumRequests: 1).run()
        if case .failed(let error) = end { throw error }
        return progress.rows
    }

    /// The favourites among some rows, in the order of the rows.
    func favourites(among items: [Item]) async throws -> [Item] {
        let keys = try await gateway.favourites(among: items)
        return items.filter { keys.contains($0.key) }
    }

    /// Marks one row in twenty as a favourite, at most 5,000, spread over all, and stores the continuation of a
    /// made-up list after each page.
    func completeList() async throws {
        let pages = setup.copy == nil ? population.storedPages() : []
        let count = min(5_000, max(1, population.count / 20))
        var draws = Draw(seed: setup.seed, workload: "favourites", turn: -1)
        let favourites = try population.differentIDs(count, &draws).map {
            Favourite(of: try population.item($0), addedAt: Population.storedAt)
        }
        try await store.write { writing in
            for page in pages { try writing.put(page) }
            for favourite in favourites { try writing.put(favourite) }
        }
    }
}
