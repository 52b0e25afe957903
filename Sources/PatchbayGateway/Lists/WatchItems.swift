public import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// The changes committed by this process or another to a stretch of a resource's stored rows, in the order of their
    /// keys.
    ///
    ///     for try await changes in gateway.watch(users, limit: 100) { ... }
    ///
    /// Rows that the source no longer lists are left out. The source is not queried.
    ///
    /// - Parameters:
    ///   - key: the key after which the stretch begins; nil for the start.
    ///   - limit: the number of rows watched and kept in memory, 1 to 10,000 (`Limits.pageRows`).
    public func watch(
        _ resource: Resource, after key: Key? = nil, limit: Int = Limits.pageRows
    ) -> ItemChanges {
        precondition((1...Limits.pageRows).contains(limit), "1 to \(Limits.pageRows) rows are watched")
        return ItemChanges(store: store, resource: resource, after: key, limit: limit)
    }
}

/// A sequence of sets of changes, each from one committed state of the storage to a later one.
///
/// The first set reports the existing rows as inserted, and is empty when there are none; no later set is empty.
/// Applying all sets in order gives the current list. A slow observer receives fewer sets, each with all changes since
/// the previous one, so only the last state is kept in memory.
///
/// It ends when the store is closed or the observing task is cancelled, and throws when the storage cannot be read.
public struct ItemChanges: AsyncSequence, Sendable {
    let store: Store
    let resource: Resource
    let after: Key?
    let limit: Int

    /// Creates an iterator, which starts watching at its first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(changes: self) }

    /// Starts watching at the first call of ``next()``.
    public struct Iterator: AsyncIteratorProtocol {
        private let changes: ItemChanges
        private var notices: AsyncStream<Set<String>>.Iterator?
        private var known: [Item] = []

        fileprivate init(changes: ItemChanges) { self.changes = changes }

        /// Returns the next set of changes, after waiting for a commit that changes the list; nil when the store is
        /// closed or the task is cancelled.
        ///
        /// - Throws: the error of the storage when it cannot be read.
        public mutating func next() async throws -> [ItemChange]? {
            guard var notices else {
                // Listening begins before the first read, so that no change is missed in between.
                notices = changes.store.changes.stream().makeAsyncIterator()
                return try await lookUnlessClosed()
            }
            while let collections = await notices.next(isolation: #isolation) {
                guard collections.contains(changes.resource.collection.name) else { continue }
                guard let found = try await lookUnlessClosed() else { return nil }
                if !found.isEmpty { return found }
            }
            return nil
        }

        /// Nil when the store is closed, which may happen between a notice and the read.
        private mutating func lookUnlessClosed() async throws -> [ItemChange]? {
            do {
                return try await look()
            } catch {
                guard changes.store.changes.isFinished else { throw error }
                return nil
            }
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

/// The change of one row in a watched list. There are no moves, because rows are in the order of their keys.
public enum ItemChange: Hashable, Sendable {
    /// The row that was added to the watched stretch.
    case inserted(Item)
    /// The row as it is after the change.
    case updated(Item)
    /// The row as it was before it was deleted, left the list, or was pushed out of the watched stretch.
    case deleted(Item)

    /// The row of the change; for a deletion, the row as it was before.
    public var item: Item {
        switch self {
        case .inserted(let item), .updated(let item), .deleted(let item): item
        }
    }

    /// The changes that turn one list in key order into another, in key order.
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
