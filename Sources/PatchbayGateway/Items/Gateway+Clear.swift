import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// Removes all stored rows of a resource with their pictures and former handles, and the pages and runs of its
    /// lists and searches. Favourites stay, and so do the rows of lists that belong to the removed ones: without those
    /// it is not known which of the lists the source no longer has.
    ///
    /// When no rows of the source are left, a source of another server may fill the storage. Answers to requests sent
    /// before the clear are not saved and fail with `conflict`.
    ///
    /// - Parameter keepingEdits: whether edits are kept; each applies again when its row is fetched again. Otherwise
    ///   edits kept by an earlier clear are removed as well.
    @discardableResult
    public func clear(_ resource: Resource, keepingEdits: Bool = false) async throws -> Cleared {
        let children = resources.filter { $0.declaration.parent == resource.name }
        return try await store.write { [now, collections = store.schema.collections] writing in
            let rows = try writing.reading.count(Query(resource.collection))
            let edits = Query(StoredEdit.collection, resource.references)
            // A row's edit and one kept for the same row by an earlier clear count once.
            try writing.keepEdits(of: resource)
            let removed = keepingEdits ? 0 : try writing.delete(edits)
            try writing.deleteAll(in: resource.collection)
            try writing.delete(Query(StoredPicture.collection, resource.references))
            try writing.delete(Query(StoredFormerHandle.collection, resource.references))
            try writing.deleteLists(of: resource, collections)
            try writing.noteClearing(of: resource, at: now())
            let kept = try writing.reading.count(edits)
            try writing.releaseClaim(of: resource.api, collections)
            let filled = try children.filter {
                try writing.reading.count(Query($0.collection, limit: 1)) > 0
            }
            return Cleared(
                rows: rows, keptEdits: kept, removedEdits: removed, children: filled.map(\.plural))
        }
    }
}

/// The numbers of rows removed, and of edits kept and removed, by a clear.
public struct Cleared: Hashable, Sendable {
    /// The number of rows of the resource that were removed.
    public let rows: Int
    /// The number of edits kept for rows that may be fetched again.
    public let keptEdits: Int
    /// The number of edits removed, including those kept by an earlier clear.
    public let removedEdits: Int
    /// The plurals of the resources that have rows, and whose lists belong to the removed ones.
    package let children: [String]
}

extension Resource {
    /// The rows of collections whose key begins with the resource's collection.
    fileprivate var references: Bounds { .equal(.text(collection.name)) }
}

/// The number of rows removed or copied at a time.
private let batch = 1_000

extension Writing {
    /// Copies the edits out of the rows.
    fileprivate mutating func keepEdits(of resource: Resource) throws {
        let positions = resource.key.map(\.position) + resource.edits.map(\.position)
        var query: Query? = Query(resource.collection, fields: FieldSet(positions: positions))
        while let next = query {
            var edits: [StoredEdit] = []
            query = nil
            try reading.scan(next) { row in
                let key = resource.collection.key(of: row)
                for (field, position) in resource.edits where !row.isNull(position) {
                    edits.append(StoredEdit(StoredRowKey(key, of: resource), field, row.text(position)))
                }
                guard edits.count >= batch else { return .next }
                query = next
                query?.after = key
                return .stop
            }
            for edit in edits { try put(edit) }
        }
    }

    /// Removes the pages, stretches, runs and searches of the resource's lists.
    fileprivate mutating func deleteLists(of resource: Resource, _ collections: [CollectionSchema]) throws {
        let names = [
            StoredListPage.collection.name, StoredListRun.collection.name, StoredSearch.collection.name,
            StoredListStretch.collection.name,
        ]
        let name = resource.collection.name
        for collection in collections where names.contains(collection.name) {
            // All of them have the list's name (`ListQuestion.name`) as the first part of their key.
            let list = collection.primaryKey.parts[0].position
            try delete(Query(collection, .prefix(.text(name)))) { row in
                let rest = row.text(list).utf8.dropFirst(name.utf8.count).first
                return rest == nil || rest == UInt8(ascii: " ") || rest == UInt8(ascii: ".")
            }
        }
        // The lists of all rows of another resource were fetched and are missing now.
        for end in [" ", "."] {
            let rounds = Query(StoredListRun.collection, .prefix(.text("every \(name)\(end)")))
            for var round in try reading.list(StoredListRun.self, rounds) {
                round.changeNumber = nil
                try put(round)
            }
        }
    }

    /// Removes the rows of a query along the primary key, and returns their number.
    ///
    /// - Parameter matches: whether a row is removed; called with the fields of its key.
    @discardableResult
    mutating func delete(
        _ query: Query, where matches: (borrowing RowView) -> Bool = { _ in true }
    ) throws -> Int {
        var count = 0, rest: Query? = query
        rest?.fields = FieldSet(positions: query.collection.primaryKey.parts.map(\.position))
        while let next = rest {
            var keys: [Key] = []
            rest = nil
            try reading.scan(next) { row in
                let key = next.collection.key(of: row)
                if matches(row) { keys.append(key) }
                guard keys.count == batch else { return .next }
                rest = next
                rest?.after = key
                return .stop
            }
            for key in keys { try delete(key, in: query.collection) }
            count += keys.count
        }
        return count
    }
}

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
    func requireNoClearing(of resource: Resource, since before: StoredBefore) throws {
        guard try reading.clearings(of: resource) == before.clearings else {
            throw PatchbayError.cleared(resource)
        }
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
