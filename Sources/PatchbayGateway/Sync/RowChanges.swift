import PatchbayCore
public import PatchbayDomain

/// The numbers of stored rows that a sync has changed.
public struct RowChanges: Hashable, Sendable {
    /// The rows that were not stored before, or were no longer listed.
    public internal(set) var added: Int64 = 0
    /// The stored rows whose fields have changed.
    public internal(set) var changed: Int64 = 0
    /// The rows that are no longer listed.
    public internal(set) var gone: Int64 = 0
    /// How the rows differ from what their definition says.
    public internal(set) var drift = Drift()

    /// The rows that a complete list lacked for the first time. They stay in lists until it lacks them again.
    public internal(set) var missing: Int64 = 0
    /// The rows whose time of change is later than the answer that contained them, so that it says nothing about which
    /// rows are new.
    public internal(set) var ahead: Int64 = 0

    /// Counts the change of saving an item.
    mutating func note(_ stored: Item?, saved item: Item) {
        guard let stored, !stored.withRow({ ItemState.isGone($0) }) else { return added += 1 }
        if !item.hasKnownValues(of: stored) { changed += 1 }
    }

    /// Counts the values of a page that become null because none of its rows has a field.
    mutating func note(vanished counts: [String: Int], of resource: Resource) {
        for (field, count) in counts where count >= Drift.vanishedMin {
            drift.vanished[resource.memberName(field), default: 0] += count
        }
    }

    static func += (left: inout RowChanges, right: RowChanges) {
        left.added += right.added
        left.changed += right.changed
        left.gone += right.gone
        left.drift += right.drift
        left.missing += right.missing
        left.ahead += right.ahead
    }
}

extension Drift {
    /// Adds what a page of a list of a resource shows, and notes its unread members in the run.
    mutating func add(_ page: ItemPage, of resource: Resource, in run: inout StoredListRun) {
        addLosses(of: page, of: resource)
        var unread = UnreadMembers(stored: run.unreadMembers)
        appeared += unread.add(page.unread).map { "\(resource.name.withHyphens).\($0)" }
        run.unreadMembers = unread.stored
    }

    /// Adds the values of a page that are stored otherwise than they were sent.
    mutating func addLosses(of page: ItemPage, of resource: Resource) {
        func named(_ counts: [String: Int]) -> [String: Int] {
            Dictionary(uniqueKeysWithValues: counts.map { (resource.memberName($0.key), $0.value) })
        }
        emptied.merge(named(page.emptied), uniquingKeysWith: +)
        altered.merge(named(page.altered), uniquingKeysWith: +)
    }
}

extension Resource {
    /// A field's name with that of the resource, as in a definition.
    fileprivate func memberName(_ field: String) -> String { "\(name.withHyphens).\(field.withHyphens)" }
}
