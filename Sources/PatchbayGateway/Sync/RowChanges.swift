import PatchbayCore
import PatchbayDomain

/// The numbers of stored rows that a sync has changed.
public struct RowChanges: Hashable, Sendable {
    /// The rows that were not stored before, or were no longer listed.
    public internal(set) var added: Int64 = 0
    /// The stored rows whose fields have changed.
    public internal(set) var changed: Int64 = 0
    /// The rows that are no longer listed.
    public internal(set) var gone: Int64 = 0

    /// Counts the change of saving an item.
    mutating func note(_ stored: Item?, saved item: Item) {
        guard let stored, !stored.withRow({ ItemState.isGone($0) }) else { return added += 1 }
        if !item.hasKnownValues(of: stored) { changed += 1 }
    }

    static func += (left: inout RowChanges, right: RowChanges) {
        left.added += right.added
        left.changed += right.changed
        left.gone += right.gone
    }
}
