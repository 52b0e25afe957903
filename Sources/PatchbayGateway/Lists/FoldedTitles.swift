import PatchbayCore
import PatchbayDomain

extension Store {
    /// Adds the folded titles, by which local search finds rows, to rows that were imported or written by another
    /// program without them.
    ///
    /// The indexes of folded titles list these rows, so this costs one lookup per index when there are none. Rows are
    /// written in transactions of up to 1,000, so an interrupted call is continued by the next. A row of another
    /// program that a storage would refuse, for example with U+0000 in a text, stays as it is and is not found by its
    /// title.
    ///
    /// - Parameter progress: called after each transaction.
    func fillFoldedTitles(of resources: [Resource], progress: WorkProgress.Handler = { _ in }) async throws {
        for resource in resources {
            for index in resource.title.compactMap(resource.titleIndex) {
                try await fill(index, of: resource, progress)
            }
        }
    }

    private func fill(_ index: Index, of resource: Resource, _ progress: WorkProgress.Handler) async throws {
        let unfilled = Query(resource.collection, by: index, .equal(.null), limit: 1_000)
        guard try await read({ try $0.count(unfilled) }) > 0 else { return }
        var done = 0
        while true {
            let count = try await write { writing in
                var count = 0
                for item in try writing.reading.items(unfilled, of: resource) {
                    do {
                        try writing.put(ItemPacking(item, over: item, state: item.state))
                        count += 1
                    } catch let error as PatchbayError where error.code == .invalidValue {
                        continue
                    }
                }
                return count
            }
            guard count > 0 else { return }
            done += count
            progress(WorkProgress("indexing the titles of \(resource.plural)", done: done))
        }
    }
}
