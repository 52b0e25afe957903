public import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// The changes of a stretch of a resource's stored rows in the order of their keys, as they are committed by this
    /// process or another.
    ///
    ///     for try await changes in gateway.watch(users, limit: 100) { ... }
    ///
    /// Rows that the source no longer lists are left out. Nothing is asked of the source.
    ///
    /// - Parameters:
    ///   - key: the rows with greater keys; nil is the start.
    ///   - limit: how many rows are watched, 1 to 10,000 (`Limits.pageRows`); so many are kept in memory.
    public func watch(
        _ resource: Resource, after key: Key? = nil, limit: Int = Limits.pageRows
    ) -> ItemChanges {
        precondition((1...Limits.pageRows).contains(limit), "1 to \(Limits.pageRows) rows are watched")
        return ItemChanges(store: store, resource: resource, after: key, limit: limit)
    }
}

/// Sets of changes, each from one state of the storage to a later one.
///
/// The first set reports the rows that are there as inserted, and is empty when there are none; no later set is empty.
/// Who applies them all has the list at any time. Only committed states are compared. A slow observer gets fewer
/// sets, each with all that has changed since the one before: nothing waits in memory but the last state.
///
/// It ends when the store is closed or the observing task is cancelled, and throws when the storage cannot be read.
public struct ItemChanges: AsyncSequence, Sendable {
    let store: Store
    let resource: Resource
    let after: Key?
    let limit: Int

    public func makeAsyncIterator() -> Iterator { Iterator(changes: self) }

    /// Watches from the first call of ``next()`` on.
    public struct Iterator: AsyncIteratorProtocol {
        private let changes: ItemChanges
        private var notices: AsyncStream<Set<String>>.Iterator?
        private var known: [Item] = []

        fileprivate init(changes: ItemChanges) { self.changes = changes }

        public mutating func next() async throws -> [ItemChange]? {
            guard var notices else {
                // Listening begins before the first look, so nothing falls between.
                notices = changes.store.changes.stream().makeAsyncIterator()
                return try await look()
            }
            while let collections = await notices.next(isolation: #isolation) {
                guard collections.contains(changes.resource.collection.name) else { continue }
                let found = try await look()
                if !found.isEmpty { return found }
            }
            return nil
        }

        private mutating func look() async throws -> [ItemChange] {
            let (resource, limit) = (changes.resource, changes.limit)
            let query = Query(resource.collection, after: changes.after)
            let items = try await changes.store.read {
                try $0.listedItems(query, of: resource, limit: limit)
            }
            defer { known = items }
            return ItemChange.between(known, and: items)
        }
    }
}

/// What became of one row in a watched list. A list in the order of keys has no moves.
public enum ItemChange: Hashable, Sendable {
    case inserted(Item)
    case updated(Item)
    /// The row as it was; it is not stored any more, left the list, or was pushed out of the watched stretch.
    case deleted(Item)

    public var item: Item {
        switch self {
        case .inserted(let item), .updated(let item), .deleted(let item): item
        }
    }

    /// The changes that make one list of rows in the order of keys another, in that order.
    static func between(_ old: [Item], and new: [Item]) -> [ItemChange] {
        var changes: [ItemChange] = []
        var old = old.map { (key: $0.key, item: $0) }[...], new = new.map { (key: $0.key, item: $0) }[...]
        let staying = Set(new.map(\.key))
        while let left = old.first, let right = new.first {
            if left.key == right.key {
                if left.item != right.item { changes.append(.updated(right.item)) }
                old.removeFirst()
                new.removeFirst()
            } else if staying.contains(left.key) {
                changes.append(.inserted(right.item))
                new.removeFirst()
            } else {
                changes.append(.deleted(left.item))
                old.removeFirst()
            }
        }
        return changes + old.map { .deleted($0.item) } + new.map { .inserted($0.item) }
    }
}
