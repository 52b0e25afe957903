public import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// Marks a stored row as a favourite and stores a copy of its current fields, which follows every change of the row
    /// until the row is removed. Marking it again changes nothing.
    ///
    /// - Throws: `notFound` when the row is not stored; `conflict` when several rows have the handle, so that one must
    ///   be named by its key (`1/11`); `invalidValue` when there are `Limits.pageRows` favourites
    ///   already, because all of them must fit on one page.
    @discardableResult
    public func addFavourite(_ resource: Resource, _ handle: String) async throws -> Edited<Favourite> {
        let time = now()
        let known = try await store.read { reading in
            try reading.copy(of: reading.requireItem(called: handle, of: resource))
        }
        if let known, !known.hasChanged { return Edited(value: known.value, hasChanged: false) }
        return try await store.write { writing in
            let item = try writing.reading.requireItem(called: handle, of: resource)
            if let known = try writing.renewFavourite(of: item) {
                return Edited(value: known, hasChanged: false)
            }
            guard try writing.reading.count(Query(Favourite.collection)) < Limits.pageRows else {
                throw PatchbayError(
                    .invalidValue,
                    "there are \(Limits.pageRows) favourites, which is the limit; remove one first",
                    [.limit(Limits.pageRows)])
            }
            let favourite = Favourite(of: item, addedAt: time)
            try writing.put(favourite)
            return Edited(value: favourite, hasChanged: true)
        }
    }

    /// Removes a favourite. The row itself stays as it is.
    ///
    /// - Parameter handle: the handle that the favourite was added with, or the current handle of its row.
    /// - Returns: the removed favourite.
    /// - Throws: `notFound` when no favourite has the handle, `conflict` when several rows have the handle.
    @discardableResult
    public func removeFavourite(_ resource: Resource, _ handle: String) async throws -> Favourite {
        try await store.write { writing in
            guard let favourite = try writing.reading.favourite(called: handle, of: resource) else {
                throw PatchbayError(
                    .notFound,
                    "there is no favourite \(resource.singular) \"\(handle)\"; check the list of favourites")
            }
            try writing.delete(Favourite.self, favourite.row.key)
            return favourite
        }
    }

    /// The favourites of a resource, or of all resources, in the order of their titles; at most `Limits.pageRows`. Only
    /// an import of exported rows can store more.
    public func favourites(_ resource: Resource? = nil) async throws -> [Favourite] {
        try await store.read { try $0.favourites(of: resource) }
    }

    /// The favourites whose handle or title contains a text, in the order of their titles.
    ///
    /// - Parameter text: compared without white space at both ends and in any case. An empty text finds all.
    /// - Throws: `invalidValue` for a text of more than 256 characters or with U+0000.
    public func favourites(
        matching text: String, of resource: Resource? = nil
    ) async throws -> [Favourite] {
        let wanted = try SearchText(text)?.prefix
        let favourites = try await favourites(resource)
        guard let wanted else { return favourites }
        return favourites.filter { favourite in
            [favourite.handle, favourite.title].contains { $0.caseFolded.contains(wanted) }
        }
    }

    /// Finds out in one read which items are favourites.
    ///
    /// - Returns: the keys of the favourites.
    public func favourites(among items: [Item]) async throws -> Set<Key> {
        let wanted = items.map { (row: $0.rowKey, key: $0.key) }.sorted { $0.row.precedes($1.row) }
        guard let last = wanted.last else { return [] }
        return try await store.read { reading in
            var found: Set<Key> = [], next = 0
            while next < wanted.count {
                let start = next
                // Favourites are few, so the next one usually shows that several of the rows are none.
                try reading.scan(Favourite.keys(from: wanted[next].row, to: last.row)) { favourite in
                    let row = StoredRowKey(favourite)
                    while next < wanted.count, wanted[next].row.precedes(row) { next += 1 }
                    if next < wanted.count, !row.precedes(wanted[next].row) {
                        found.insert(wanted[next].key)
                        next += 1
                        return .next
                    }
                    return .stop
                }
                if next == start { break }
            }
            return found
        }
    }

    /// A window over the favourites of a resource, or of all resources, in the order of their titles; it is empty until
    /// its first move.
    ///
    /// - Parameters:
    ///   - size: the number of favourites shown, 1 to 10,000 (`Limits.pageRows`).
    ///   - wraps: whether the first favourite follows the last.
    public func favouritesWindow(
        of resource: Resource?, size: Int, wraps: Bool = false
    ) -> Window<Favourite, FavouritePosition> {
        Window(over: FavouriteWindowList(of: resource), in: store, size: size, wraps: wraps)
    }
}

extension Reading {
    /// The favourites by title; except after an import of exported rows, they fit on one page.
    fileprivate func favourites(of resource: Resource?) throws -> [Favourite] {
        try list(Favourite.self, Favourite.query(of: resource))
    }

    /// The favourite with a new copy of its row; nil when the row is not a favourite.
    fileprivate func copy(of item: Item) throws -> Edited<Favourite>? {
        guard let known = try get(Favourite.self, item.rowKey.key) else { return nil }
        let copy = Favourite(of: item, addedAt: known.addedAt)
        return Edited(value: copy, hasChanged: !copy.isSame(as: known))
    }

    /// Whether any row of a resource is a favourite.
    func hasFavourites(of resource: Resource) throws -> Bool {
        try count(Query(Favourite.collection, .equal(.text(resource.collection.name)), limit: 1)) > 0
    }

    /// The favourite whose row has the handle now, otherwise the latest one added with that handle.
    ///
    /// - Throws: `conflict` when several rows have the handle and more than one of them is a favourite.
    fileprivate func favourite(called handle: String, of resource: Resource) throws -> Favourite? {
        let key = Key.compound([.text(resource.collection.name), .text(handle)])
        let named = try list(Favourite.self, Query(Favourite.collection, by: Favourite.byHandle, .equal(key)))
        let rows = try namesakes(called: handle, of: resource)
        if rows.count > 1, named.count == 1 { return named[0] }
        if rows.count > 1, named.count > 1 { try rows.requireOne(called: handle, of: resource) }
        if let item = rows.preferred, let favourite = try get(Favourite.self, item.rowKey.key) {
            return favourite
        }
        return named.max { $0.addedAt < $1.addedAt }
    }
}

extension Writing {
    /// Copies a row that has changed to its favourite.
    ///
    /// - Returns: the favourite; nil when the row is not one.
    @discardableResult
    mutating func renewFavourite(of item: Item) throws -> Favourite? {
        guard let known = try reading.copy(of: item) else { return nil }
        if known.hasChanged { try put(known.value) }
        return known.value
    }
}

extension Favourite {
    /// All favourites of a resource, or of all resources, in the order of their titles.
    static func query(of resource: Resource?) -> Query {
        guard let resource else { return Query(collection, by: byTitle) }
        return Query(collection, by: byResource, .equal(.text(resource.collection.name)))
    }

    /// Whether two copies are equal byte by byte, so that NFC and NFD spellings of a title differ.
    fileprivate func isSame(as other: Favourite) -> Bool {
        [(title, other.title), (handle, other.handle), (fields, other.fields)].allSatisfy {
            $0.utf8.elementsEqual($1.utf8)
        }
    }
}
