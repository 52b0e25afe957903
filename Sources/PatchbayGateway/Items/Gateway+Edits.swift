import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// Overrides a field of a stored row locally. The source's value stays stored beside the edit.
    ///
    /// The edit belongs to the row, not to its handle: it stays whatever the source returns later. Setting the value
    /// that is shown already changes nothing.
    ///
    /// - Parameters:
    ///   - field: the name of an editable field, in any spelling.
    ///   - value: stored without white space at both ends; an empty one shows the field as null.
    /// - Throws: `notFound` when the row is not stored; `conflict` when several rows have the handle, so that one must
    ///   be named by its key (`1/11`); `invalidValue` for a field that cannot be edited, for a value
    ///   that exceeds 1,024 bytes of UTF-8 or contains U+0000, and for an empty one in a field that identifies the row.
    @discardableResult
    public func edit(
        _ resource: Resource, _ handle: String, _ field: String, to value: String
    ) async throws -> Edited<Item> {
        try await edit(resource, handle, [(field, value)])
    }

    /// Removes the edits of a stored row, so that the source's values are shown again.
    ///
    /// - Parameter field: the name of an editable field; nil for all.
    /// - Throws: `notFound` when the row is not stored; `conflict` when several rows have the handle; `invalidValue`
    ///   for a field that cannot be edited.
    @discardableResult
    public func revert(
        _ resource: Resource, _ handle: String, _ field: String? = nil
    ) async throws -> Edited<Item> {
        let fields = field.map { [$0] } ?? resource.editable.map(\.name)
        return try await edit(resource, handle, fields.map { ($0, nil) })
    }

    /// Changes the edits of several fields of a stored row in one transaction.
    ///
    /// - Parameters:
    ///   - changes: new texts by the names of editable fields, in any spelling; nil reverts a field.
    ///   - check: throws when the row is not in the state that the caller expects, so that nothing is written.
    /// - Throws: the errors of editing and reverting single fields, and those of `check`.
    package func edit(
        _ resource: Resource, _ handle: String, _ changes: [(field: String, value: String?)],
        expecting check: @escaping @Sendable (Item) throws -> Void = { _ in }
    ) async throws -> Edited<Item> {
        let texts = try changes.map { change in
            let field = try resource.requireEditable(change.field)
            return (
                field, try change.value.map { try EditedText($0, of: field.name, in: resource.declaration) }
            )
        }
        let edits = { @Sendable (item: Item) in
            var edits: [String: String?] = [:]
            for (field, text) in texts {
                if let text {
                    // The source may have a text for a detail that is null because it was not fetched.
                    let isUnknown =
                        field.declaration.isDetail && item.state.detailFetchedAt == nil
                        && item.override(of: field) == nil
                    if isUnknown || !text.isSpelled(item.shown(field)?.description) {
                        edits[field.name] = text.text
                    }
                } else if item.override(of: field) != nil {
                    edits[field.name] = .some(nil)
                }
            }
            return edits
        }
        let stored = try await store.read { try $0.requireItem(called: handle, of: resource) }
        try check(stored)
        guard !edits(stored).isEmpty else { return Edited(value: stored, hasChanged: false) }
        return try await store.write { writing in
            let item = try writing.reading.requireItem(called: handle, of: resource)
            try check(item)
            var packing = ItemPacking(item, over: item, state: item.state)
            packing.edits = edits(item)
            guard !packing.edits.isEmpty else { return Edited(value: item, hasChanged: false) }
            return Edited(value: try writing.put(packing), hasChanged: true)
        }
    }

    /// The stored row with a handle or, in a resource without handles, with the text of a key (``KeyText``).
    ///
    /// - Returns: nil when it is not stored.
    package func storedItem(_ resource: Resource, _ handle: String) async throws -> Item? {
        try await store.read { try $0.item(called: handle, of: resource) }
    }
}

extension Resource {
    /// - Throws: `invalidValue` for a field that cannot be edited; the error names those that can.
    fileprivate func requireEditable(_ name: String) throws -> ResourceField {
        if let field = field(spelled: name), editable.contains(field) { return field }
        let names = editable.map(\.name)
        let problem =
            field(spelled: name) == nil
            ? "\(plural) have no field \"\(name)\"\(EditDistance.suggestion(for: name, in: names))"
            : "the field \"\(name)\" of \(plural) cannot be edited"
        throw PatchbayError(
            .invalidValue,
            names.isEmpty
                ? "\(problem); no field of \(plural) can"
                : "\(problem); edit \(names.joined(separator: ", "))")
    }
}

extension Reading {
    /// Whether edits of any row of a resource's collection were kept by a clear.
    func hasKeptEdits(in collection: CollectionSchema) throws -> Bool {
        let ofResource = Bounds.equal(.text(collection.name))
        return try count(Query(StoredEdit.collection, ofResource, limit: 1)) > 0
    }
}

extension Writing {
    /// Removes and returns the edits that a clear kept for a row which is now stored again.
    mutating func takeKeptEdits(of item: Item) throws -> [String: String?] {
        var edits: [String: String?] = [:]
        guard !item.resource.edits.isEmpty else { return edits }
        let row = item.rowKey
        for (field, _) in item.resource.edits {
            if let edit = try takeKeptEdit(of: row, field) { edits[field] = edit }
        }
        return edits
    }

    /// Removes and returns the edit that a clear kept for a field of a row which is now stored again.
    mutating func takeKeptEdit(of row: StoredRowKey, _ field: String) throws -> String? {
        let key = row.key(.text(field))
        guard let edit = try reading.get(StoredEdit.self, key) else { return nil }
        try delete(StoredEdit.self, key)
        return edit.value
    }
}

/// The result of a local change.
public struct Edited<Value: Sendable>: Sendable {
    /// The value as it is stored after the change.
    public let value: Value
    /// False when the value was the same already, so that nothing was written and no observer was notified.
    public let hasChanged: Bool
}
