import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension Gateway {
    /// Returns whether a collection has no rows.
    func isEmpty(_ collection: CollectionSchema) async throws -> Bool {
        try await store.read { reading in
            var isEmpty = true
            try reading.scan(Query(collection, limit: 1)) { _ in
                isEmpty = false
                return .stop
            }
            return isEmpty
        }
    }
}
