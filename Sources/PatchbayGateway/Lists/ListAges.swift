package import PatchbayCore
package import PatchbayDomain

/// When the lists of a resource were last fetched to their ends.
package struct ListAges: Sendable {
    /// The number of lists that were; at most ``listsMax`` are looked at.
    package private(set) var finished = 0
    /// The times of the list that was fetched first, and of the one that was fetched last; nil when there is none.
    package private(set) var oldest, newest: Timestamp?

    static let listsMax = 10_000

    fileprivate mutating func add(_ time: Timestamp) {
        finished += 1
        oldest = min(oldest ?? time, time)
        newest = max(newest ?? time, time)
    }
}

extension Reading {
    /// Returns when the lists of a resource were last fetched to their ends.
    package func listAges(of resource: Resource) throws -> ListAges {
        let name = resource.collection.name
        var ages = ListAges()
        // The name of a list is that of its collection, followed by its view or its arguments. A longer name belongs to
        // another resource.
        for bounds in [Bounds.equal(.text(name)), .prefix(.text(name + " ")), .prefix(.text(name + "."))] {
            try scan(Query(StoredListRun.collection, bounds, limit: ListAges.listsMax)) { row in
                if let time = StoredListRun(row).finishedAt { ages.add(time) }
                return .next
            }
        }
        return ages
    }
}
