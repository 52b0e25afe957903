package import PatchbayCore
package import PatchbayDomain

extension Reading {
    /// The stored item with a key.
    package func item(_ key: Key, of resource: Resource) throws -> Item? {
        var item: Item?
        _ = try get(key, in: resource.collection) { item = Item($0, of: resource) }
        return item
    }

    /// The item for a key in a stored list; nil when it is missing or no longer listed.
    func listedItem(_ word: KeyText, of resource: Resource) throws -> Item? {
        guard let key = KeyText.key(word.text, of: resource), let item = try item(key, of: resource) else {
            return nil
        }
        return item.withRow { ItemState.isGone($0) } ? nil : item
    }

    /// The items found by a query.
    package func items(_ query: Query, of resource: Resource) throws -> [Item] {
        var items: [Item] = []
        // Reserves room for a page; a longer result grows the array.
        items.reserveCapacity(min(query.limit, 128))
        try scan(query) { row in
            items.append(Item(row, of: resource))
            return .next
        }
        return items
    }

    /// The greatest stored key, or `Int64.min` when there are no rows; nil when keys are not single integers.
    fileprivate func greatestKey(of resource: Resource) throws -> Int64? {
        guard resource.key.count == 1, resource.key[0].type == .integer else { return nil }
        var greatest = Int64.min
        try scan(Query(resource.collection, order: .descending, limit: 1)) { row in
            greatest = row.integer(resource.key[0].position)
            return .stop
        }
        return greatest
    }
}

extension Key {
    fileprivate var number: Int64? { if case .integer(let number) = self { number } else { nil } }
}

extension Resource {
    /// Whether a key names any row where people may write a handle: because rows are requested by their keys, or
    /// because they have no handle.
    var isNamedByKey: Bool { isShownByKey || handle == nil }

    /// The error for a row that must be stored.
    func isNotStored(_ handle: String) -> PatchbayError {
        PatchbayError(
            .notFound, "\(singular) \"\(handle)\" is not stored; fetch it first",
            [.collection(collection.name)])
    }
}

extension PatchbayError {
    /// The error for an item of an answer that the storage refuses, such as for a text that is too long for an index.
    fileprivate func unstorable(_ item: Item) -> PatchbayError {
        let advice = limit == nil ? "" : "; the definition can cut texts (\"text:400\"), except in the key"
        return PatchbayError(
            .invalidResponse,
            "the \(item.resource.singular) \"\(item.handle.prefix(100))\" cannot be stored: \(message)\(advice)",
            details)
    }
}

extension Reading {
    /// Returns the stored version of a fetched item.
    ///
    /// - Throws: `invalidResponse` for an item whose key cannot be stored.
    func stored(_ item: Item, _ key: Key) throws -> Item? {
        do {
            return try self.item(key, of: item.resource)
        } catch let error as PatchbayError where error.code == .invalidValue {
            throw error.unstorable(item)
        }
    }
}

extension Writing {
    /// Stores an item and returns the stored version.
    @discardableResult
    mutating func put(_ packing: ItemPacking) throws -> Item {
        var builder = RowBuilder(), packing = packing
        let isChange = try number(&packing)
        packing.write(to: &builder)
        let row = try builder.finish()
        try put(row, in: packing.item.resource.collection)
        let item = Item(row, of: packing.item.resource)
        if isChange { try renewFavourite(of: item) }
        return item
    }

    /// Sets the change numbers that a row is stored with: new ones if the row changes, otherwise the stored row's.
    ///
    /// - Returns: whether the row changes.
    private mutating func number(_ packing: inout ItemPacking) throws -> Bool {
        let isChange = packing.isChange
        packing.changeNumber = isChange ? try changeNumber() : packing.stored?.changeNumber
        packing.listedNumber = isChange && packing.isListedChange ? nil : packing.stored?.listedNumber
        return isChange
    }

    /// Saves the items of a list without changing stored details. New items get back the edits kept by a clear.
    ///
    /// - Parameters:
    ///   - identity: the ``Source/identity`` of the source that returned them; nil for rows of a file.
    ///   - before: the state when they were requested; nil for rows of a file.
    ///   - absent: the fields that none of the items has.
    ///   - isLeftOut: called with the stored version of an item and the item; returns whether not to save it.
    /// - Throws: `invalidResponse` for an item that cannot be stored.
    mutating func save(
        _ items: some Collection<Item>, of resource: Resource, at time: Timestamp, from identity: String?,
        since before: StoredBefore? = nil, absent: Set<String> = [],
        unless isLeftOut: (_ stored: Item, _ item: Item) -> Bool = { _, _ in false }
    ) throws -> RowChanges {
        var changes = RowChanges()
        if items.isEmpty { return changes }
        let hasKeptEdits = try reading.hasKeptEdits(in: resource.collection)
        let hasFavourites = try reading.hasFavourites(of: resource)
        var greatest = try reading.greatestKey(of: resource), builder = RowBuilder()
        let absent = resource.fields.filter { absent.contains($0.name) }
        var vanished: [String: Int] = [:]
        for item in items {
            let key = item.key
            // Rows often come in key order. A key greater than all stored ones is new and need not be looked up.
            let isNew = greatest.map { greatest in key.number.map { $0 > greatest } ?? false } ?? false
            if isNew { greatest = key.number }
            let stored = isNew ? nil : try reading.stored(item, key)
            if let stored, before?.isOvertaken(item, by: stored) ?? false || isLeftOut(stored, item) {
                continue
            }
            var state = stored?.state ?? ItemState()
            state.list(at: time, from: identity)
            // The row's own address would confirm values that the list has replaced.
            if let stored, state.detailValidator.isCondition,
                !item.hasKnownValues(of: stored, ignoringPlace: true)
            {
                state.detailValidator = state.detailValidator.withoutConditions
            }
            var packing = ItemPacking(item, over: stored, state: state)
            if stored == nil, hasKeptEdits { packing.edits = try takeKeptEdits(of: item) }
            let isChange = try number(&packing)
            let saved = try putFetched(packing, with: &builder) { row in
                hasFavourites && isChange ? Item(row, of: resource) : nil
            }
            changes.note(stored, saved: item)
            if let stored {
                for field in absent where stored[field] != nil { vanished[field.name, default: 0] += 1 }
            }
            if let saved { try renewFavourite(of: saved) }
        }
        changes.note(vanished: vanished, of: resource)
        return changes
    }

    /// Saves the results of a search, except earlier states of stored rows: what a source searches may be older than
    /// its rows.
    mutating func saveFound(
        _ items: some Collection<Item>, of resource: Resource, at time: Timestamp, from identity: String,
        since before: StoredBefore
    ) throws -> RowChanges {
        try save(items, of: resource, at: time, from: identity, since: before) { stored, found in
            found.isEarlier(than: stored)
        }
    }

    /// Stores a packing that has its change number, and passes the row to `take`.
    ///
    /// - Throws: `invalidResponse` for an item that cannot be stored.
    private mutating func putFetched<Result>(
        _ packing: ItemPacking, with builder: inout RowBuilder, take: (borrowing RowView) -> Result
    ) throws -> Result {
        packing.write(to: &builder)
        do {
            let row = try builder.finish()
            try put(row, in: packing.item.resource.collection)
            return take(row)
        } catch let error as PatchbayError where error.code == .invalidValue {
            throw error.unstorable(packing.item)
        }
    }

    /// Saves an item fetched from its own address, with its details.
    ///
    /// - Throws: `invalidResponse` for an item that cannot be stored.
    @discardableResult
    mutating func save(_ item: Item, _ validator: Validator, at time: Timestamp) throws -> Item {
        let stored = try reading.stored(item, item.key)
        var state = stored?.state ?? ItemState()
        state.confirm(at: time)
        state.detailValidator = validator
        var packing = ItemPacking(item, over: stored, state: state)
        if stored == nil { packing.edits = try takeKeptEdits(of: item) }
        let isChange = try number(&packing)
        var builder = RowBuilder()
        let saved = try putFetched(packing, with: &builder) { Item($0, of: item.resource) }
        if isChange { try renewFavourite(of: saved) }
        return saved
    }

    /// Changes the state of a stored item and returns it; nil when it is not stored.
    @discardableResult
    mutating func change(
        _ key: Key, of resource: Resource, _ note: (inout ItemState) -> Void
    ) throws -> Item? {
        guard let stored = try reading.item(key, of: resource) else { return nil }
        var state = stored.state
        note(&state)
        return try put(ItemPacking(stored, over: stored, state: state))
    }

    /// Clears the mark of an item that was no longer listed, because a list contains it.
    mutating func confirmListed(_ word: KeyText, of resource: Resource) throws {
        guard let key = KeyText.key(word.text, of: resource), let item = try reading.item(key, of: resource),
            item.withRow({ ItemState.isGone($0) }) || item.state.missingSince != nil
        else { return }
        try change(key, of: resource) { ($0.goneAt, $0.missingSince) = (nil, nil) }
    }
}
