import PatchbayCore
import PatchbayDomain

extension Store {
    /// Gives rows that were imported or written by another program without folded titles what local search finds them
    /// by.
    ///
    /// The indexes of folded titles know which these are; where there are none, this is one look an index. Each step is
    /// a transaction of so many rows, so the next call goes on where one was ended. A row of another program that no
    /// storage would take, say with U+0000 in a text, stays as it is and is not found by its title.
    ///
    /// - Parameter progress: hears of the work when there is any.
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
                        try writing.put(ItemPacking(item, over: nil, state: item.state))
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
