import PatchbayCore
import PatchbayDomain

/// What the answers to a request for newer rows show about other rows.
extension LinkedList {
    /// Marks stored rows as gone that have changed so that the definition leaves them out; returns their number.
    ///
    /// - Parameter kept: the rows of the same answer that are kept, because it may have several states of a row.
    func remove(
        leftOut items: [Item], beside kept: Set<KeyText>, in writing: inout Writing, at time: Timestamp
    ) throws -> Int64 {
        var count: Int64 = 0
        for item in items {
            guard let stored = try writing.reading.item(item.key, of: resource),
                !stored.withRow({ ItemState.isGone($0) }), isSameRow(item, stored),
                isLater(item, stored, orEqual: !kept.contains(KeyText(item.key)))
            else { continue }
            try writing.change(item.key, of: resource) { $0.markGone(at: time) }
            count += 1
        }
        return count
    }

    /// Whether a row comes again with a later time: it was at the end of a page that moved up, and others may have been
    /// on no page.
    func hasMoved(
        _ items: [Item], since run: StoredListRun, in reading: borrowing Reading
    ) throws -> Bool {
        guard run.position > 0, let first = try page(at: 0, in: reading) else { return false }
        let seen = Set(first.keys.prefix(Int(clamping: run.position)))
        return try items.contains { item in
            let key = KeyText(item.key)
            guard seen.contains(key), let stored = try reading.listedItem(key, of: resource) else {
                return false
            }
            return isLater(item, stored, orEqual: false)
        }
    }

    /// Keeps the mark of a run in which rows moved, or were missing, so that the next one asks for the same rows again.
    /// A list may always move or lack a row, so this ends after some runs.
    func settle(_ run: inout StoredListRun) {
        run.unsettledRuns = run.unsettled == nil ? 0 : run.unsettledRuns + 1
        if case .last = resource.declaration.paging, run.incomplete == nil { return }
        if (1...Self.openRunsMax).contains(run.unsettledRuns) { run.newest = run.since }
    }

    private func isLater(_ item: Item, _ stored: Item, orEqual: Bool) -> Bool {
        guard let field = sinceField, let new = item[field], let old = stored[field], new != old else {
            return orEqual
        }
        return stored.isEarlier(than: item)
    }

    /// Whether a row that is left out has at least half of the values of a stored one: a row of another kind, such as a
    /// comment among posts, may have the same key.
    private func isSameRow(_ item: Item, _ stored: Item) -> Bool {
        let fields = resource.fields.filter { field in
            if field == sinceField || resource.key.contains(field) || field.declaration.isDetail {
                return false
            }
            guard case .path(let path) = field.declaration.origin else { return false }
            return path != resource.declaration.condition?.path
        }
        let known = fields.filter { stored[$0] != nil }
        return 2 * known.count { item[$0] == stored[$0] } >= known.count
    }
}
