import PatchbayCore
import PatchbayDomain

/// The state of a resource when a request was sent, to notice what has happened when its answer is saved.
struct StoredBefore: Sendable {
    /// The number of times the rows had been cleared.
    let clearings: Int64
    /// The last change number; nil for a resource whose next sync fetches all rows again.
    let changeNumber: Int64?
}

/// The reason not to save an answer: one to a later request may have been saved before it.
struct Overtaken: Error {}

extension Reading {
    /// The state of a resource before a request for its rows.
    func before(_ resource: Resource) throws -> StoredBefore {
        StoredBefore(
            clearings: try clearings(of: resource),
            changeNumber: resource.declaration.since == nil ? nil : try incarnation()?.last ?? 0)
    }

    /// Checks that no row of an answer was changed by another answer since the request was sent. The older of two
    /// answers would otherwise replace the newer one, and a sync that requests only newer rows would not correct it.
    ///
    /// - Throws: ``Overtaken``.
    func requireCurrent(_ items: some Sequence<Item>, of resource: Resource, since before: StoredBefore)
        throws
    {
        guard let number = before.changeNumber, try hasChange(of: resource, after: number) else { return }
        for item in items {
            let stored = try stored(item, item.key)
            if let stored, stored.listedNumber > number, !item.hasKnownValues(of: stored, ignoringPlace: true)
            {
                throw Overtaken()
            }
        }
    }

    /// Whether a row of a resource has changed after a change number.
    func hasChange(of resource: Resource, after number: Int64) throws -> Bool {
        let later = Bounds.between(.excluding(.integer(number)), nil)
        var hasChange = false
        try scan(Query(resource.collection, by: resource.changeIndex, later, limit: 1)) { _ in
            hasChange = true
            return .stop
        }
        return hasChange
    }
}
