import PatchbayCore
import PatchbayDomain

/// Former handles, learned from permanent redirects.
extension Reading {
    /// The key of the row that had a handle before.
    func alias(_ handle: String, of resource: Resource) throws -> Key? {
        guard let key = StoredFormerHandle.key(handle, of: resource),
            let former = try get(StoredFormerHandle.self, key)
        else { return nil }
        return KeyText.key(former.keyText, of: resource)
    }
}

extension Writing {
    /// Stores a former handle under which the source returned a row, or deletes it if the row has the handle again.
    mutating func note(requested handle: String, found item: Item, at time: Timestamp) throws {
        guard let former = StoredFormerHandle(handle, of: item, notedAt: time) else { return }
        if item.isCalled(handle) {
            try delete(StoredFormerHandle.self, former.key)
            return
        }
        try put(former)
        let all = StoredFormerHandle.collection
        let surplus = try reading.count(Query(all)) - StoredFormerHandle.countMax
        guard surplus > 0 else { return }
        let oldest = Query(all, by: StoredFormerHandle.byTime, limit: surplus)
        for former in try reading.list(StoredFormerHandle.self, oldest) {
            try delete(StoredFormerHandle.self, former.key)
        }
    }
}
