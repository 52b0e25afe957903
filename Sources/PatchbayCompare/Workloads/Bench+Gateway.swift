import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import SourceSynthetic

// The workloads' calls to the gateway.
extension Bench {
    /// The rows of a part of the list: by default the stored ones.
    func list(after start: Int64 = 0, limit: Int, policy: Policy = .localOnly) async throws -> [ReadRow] {
        let question = try gateway.question(resource, after: start)
        return try await last(gateway.list(question, limit: limit, policy: policy))?.items.map(ReadRow.init)
            ?? []
    }

    /// Continues a sync of the list by one page.
    ///
    /// - Returns: the number of saved rows.
    func syncOnePage() async throws -> Int64 {
        let (end, progress) = await gateway.sync(try gateway.question(resource), maximumRequests: 1).run()
        if case .failed(let error) = end { throw error }
        return progress.rows
    }

    /// Syncs the list, with the details of its rows if the source has them.
    ///
    /// - Returns: the number of saved rows.
    func syncWithDetails() async throws -> Int64 {
        let hasDetails = resource.declaration.show != nil
        return await gateway.sync(try gateway.question(resource), details: hasDetails).run().1.rows
    }

    /// The stored row with a handle.
    func show(_ handle: String) async throws -> ReadRow? {
        try await last(gateway.show(resource, handle, policy: .localOnly)).map(ReadRow.init)
    }

    /// The ids of the favourites among some rows.
    func favourites(among items: [Item]) async throws -> [Int64] {
        try await gateway.favourites(among: items).compactMap {
            if case .integer(let id) = $0 { id } else { nil }
        }
    }

    /// Stores the continuation of the list after each page, and marks one row in twenty as a favourite, at most 5,000,
    /// spread over all.
    func completeList() async throws {
        let pages = population.storedPages()
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

    /// - Throws: the error of a failed answer.
    private func last<Value>(_ answers: Answers<Value>) async throws -> Value? {
        let answer = await answers.ending
        if case .failed(let error) = answer.outcome { throw error }
        return answer.value
    }
}
