import PatchbayCore
import PatchbayDomain

/// The state of a resource when a request was sent, to notice what has happened when its answer is saved.
struct StoredBefore: Sendable {
    /// The number of times the rows had been cleared.
    let clearings: Int64
    /// The last change number; nil for a resource whose next sync fetches all rows again.
    let changeNumber: Int64?
}

extension StoredBefore {
    /// Whether an answer has an earlier state of a stored row, which another answer has changed since the request was
    /// sent. A sync that requests only newer rows would not correct it.
    func isOvertaken(_ item: Item, by stored: Item) -> Bool {
        guard let changeNumber, stored.listedNumber > changeNumber else { return false }
        return stored.withRow { ItemState.isGone($0) } || item.isEarlier(than: stored)
    }
}

extension Item {
    /// Whether this is an earlier state of a row than another one, by the field that changes with the row
    /// (`NAME.since`).
    func isEarlier(than other: Item) -> Bool {
        guard let field = resource.declaration.since.flatMap({ resource.field(named: $0.field) }),
            let own = self[field], let others = other[field]
        else { return false }
        switch (own, others) {
        case (.time(let own), .time(let others)): return own < others
        case (.integer(let own), .integer(let others)): return own < others
        default: return own.description < others.description
        }
    }
}

extension Reading {
    /// The stored version of an item that has overtaken it; nil when none has.
    ///
    /// - Throws: `invalidResponse` for an item whose key cannot be stored.
    func later(than item: Item, since before: StoredBefore) throws -> Item? {
        guard before.changeNumber != nil, let stored = try stored(item, item.key) else { return nil }
        return before.isOvertaken(item, by: stored) ? stored : nil
    }

    /// The state of a resource before a request for its rows.
    func before(_ resource: Resource) throws -> StoredBefore {
        StoredBefore(
            clearings: try clearings(of: resource),
            changeNumber: resource.declaration.since == nil ? nil : try incarnation()?.last ?? 0)
    }
}
