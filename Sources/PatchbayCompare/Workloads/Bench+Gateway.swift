import PatchbayCore
import PatchbayDomain
import PatchbayGateway

// What the workloads ask of the gateway. Pages are read and saved here until the gateway lists any resource.
extension Bench {
    /// The stored rows of a stretch of the list.
    func list(after start: Int64 = 0, limit: Int) async throws -> [ReadRow] {
        let resource = try resource
        let query = Query(resource.collection, after: .integer(start), limit: limit)
        return try await store.read { try $0.rows(query, of: resource) }
    }

    /// The rows of a stretch, fetched again.
    func refresh(after start: Int64, limit: Int) async throws -> [ReadRow] {
        _ = try await savePage(after: start)
        return try await list(after: start, limit: limit)
    }

    /// Continues a sync of the list by one page.
    ///
    /// - Returns: how many rows it saved.
    func syncOnePage() async throws -> Int64 {
        let page = try await savePage(after: synced)
        synced = page.next == nil ? 0 : page.items.last?.order ?? 0
        return Int64(page.items.count)
    }

    func syncWithDetails() async throws -> Int64 { throw waiting }

    func show(_ handle: String) async throws -> ReadRow? { throw waiting }

    private var waiting: PatchbayError {
        PatchbayError(.unsupported, "recordings cannot be compared before the gateway lists their resources")
    }

    /// The ids of the favourites among some rows.
    func favourites(among items: [Item]) async throws -> [Int64] {
        try await Array(gateway.findFavourites(among: items.map(User.init)))
    }

    /// Stores how the list continues after each page, and marks some rows as favourites.
    func completeList() async throws {
        let favourites = try favouriteIDs().map {
            StoredFavourite(of: User(try population.item($0)), addedAt: Population.storedAt)
        }
        try await store.write { writing in for favourite in favourites { try writing.put(favourite) } }
    }

    private func savePage(after start: Int64) async throws -> ItemPage {
        var request = ItemRequest(ListQuestion(try resource))
        request.question.after = start
        guard case .changed(let page, _) = try await feed.page(request, ifChangedFrom: Validator()) else {
            return ItemPage([])
        }
        let time = clock.now()
        try await store.write { writing in
            for item in page.items {
                let stored = try writing.reading.row(item.key, of: item.resource)?.item
                var state = stored?.state ?? ItemState()
                state.list(at: time)
                try writing.put(CollectionOfOne(ItemPacking(item, over: stored, state: state)))
            }
        }
        return page
    }
}

extension User {
    fileprivate init(_ item: Item) { self.init(id: item.order!, login: item.handle, url: "") }
}
