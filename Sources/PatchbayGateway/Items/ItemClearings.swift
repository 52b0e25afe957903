import PatchbayCore
import PatchbayDomain

extension Reading {
    /// The number of times the rows of a resource have been cleared; read before a request is sent.
    func clearings(of resource: Resource) throws -> Int64 {
        try get(StoredClearing.self, .text(resource.collection.name))?.count ?? 0
    }
}

extension Writing {
    /// Checks, in the transaction that saves an answer, that the rows were not cleared since the request was sent.
    ///
    /// - Throws: `conflict` when they were cleared.
    func requireNoClearing(of resource: Resource, since count: Int64) throws {
        guard try reading.clearings(of: resource) == count else { throw PatchbayError.cleared(resource) }
    }

    mutating func noteClearing(of resource: Resource, at time: Timestamp) throws {
        // Wraps around, because an imported row may contain the greatest number and any different number will do.
        let count = try reading.clearings(of: resource) &+ 1
        let clearing = StoredClearing(
            list: resource.collection.name, count: count, clearedAt: time, changeNumber: try changeNumber())
        try put(clearing)
    }
}

extension PatchbayError {
    /// The error for an answer that arrived after a clear.
    static func cleared(_ resource: Resource) -> PatchbayError {
        PatchbayError(
            .conflict,
            "the \(resource.plural) were cleared during the request; nothing was saved, try again")
    }
}
