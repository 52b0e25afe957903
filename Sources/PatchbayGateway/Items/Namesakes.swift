import PatchbayCore
import PatchbayDomain

/// The stored rows that a handle names equally well.
struct Namesakes {
    /// The number of keys in messages.
    private static let keysMax = 5

    /// The most recently fetched one that is still listed.
    private(set) var preferred: Item?
    /// The number of those that are still listed, and the keys of the first ones.
    private(set) var count = 0
    private var keys: [String] = []

    fileprivate mutating func add(_ item: Item) {
        let state = item.state
        if state.goneAt == nil {
            count += 1
            if keys.count < Self.keysMax { keys.append(item.keyText) }
        }
        guard let other = preferred?.state else {
            preferred = item
            return
        }
        let isBetter =
            (other.goneAt == nil ? 1 : 0, other.fetchedAt?.milliseconds ?? .min)
            < (state.goneAt == nil ? 1 : 0, state.fetchedAt?.milliseconds ?? .min)
        if isBetter { preferred = item }
    }

    /// - Throws: `conflict` when several rows have the handle.
    func requireOne(called handle: String, of resource: Resource) throws {
        guard count > 1 else { return }
        let shown = keys.joined(separator: ", ") + (count > keys.count ? " and others" : "")
        throw PatchbayError(
            .conflict,
            "\(count) \(resource.plural) are called \"\(handle)\": \(shown); name one by its key",
            [.collection(resource.collection.name)])
    }
}

extension Reading {
    /// The item that has a handle now, preferably in the same case, or had it before, or else has it in another
    /// spelling: in another case of any letter, or with its accents composed otherwise. If several have it, the most
    /// recently fetched one that is still listed; the others are named by their keys (``KeyText``).
    func item(called handle: String, of resource: Resource) throws -> Item? {
        try namesakes(called: handle, of: resource).preferred
    }

    /// The only item that a handle names, for a change.
    ///
    /// - Throws: `notFound` when no such item is stored, `conflict` when several are.
    func requireItem(called handle: String, of resource: Resource) throws -> Item {
        var found = try namesakes(called: handle, of: resource)
        guard let item = found.preferred else { throw resource.isNotStored(handle) }
        // The key of a row that only its key names may be the handle of another one.
        if !resource.isNamedByKey, let key = KeyText.key(handle, of: resource),
            let other = try self.item(key, of: resource), other.key != item.key,
            try namesakes(calledNow: other.handle, of: resource).count > 1
        {
            found.add(other)
        }
        try found.requireOne(called: handle, of: resource)
        return item
    }

    /// The items that a handle names equally well, as ``item(called:of:)`` finds them.
    func namesakes(called handle: String, of resource: Resource) throws -> Namesakes {
        let called = try namesakes(calledNow: handle, of: resource)
        if called.preferred != nil { return called }
        if let key = try alias(handle, of: resource) { return try Namesakes(item(key, of: resource)) }
        if let key = KeyText.key(handle, of: resource), let item = try item(key, of: resource) {
            if resource.isNamedByKey { return Namesakes(item) }
            if try namesakes(calledNow: item.handle, of: resource).count > 1 { return Namesakes(item) }
        }
        return try namesakes(spelledLike: handle, of: resource)
    }

    /// The items that have a handle in this case, or, if none has, in another one.
    private func namesakes(calledNow handle: String, of resource: Resource) throws -> Namesakes {
        guard let index = resource.handleIndex, let field = resource.handle else {
            guard let key = KeyText.key(KeyText(.text(handle)).text, of: resource) else {
                return Namesakes()
            }
            return try Namesakes(item(key, of: resource))
        }
        let value: Key
        if field.type.fieldType == .integer {
            guard let number = Int64(handle) else { return Namesakes() }
            value = .integer(number)
        } else {
            value = .text(handle)
        }
        var exact = Namesakes(), other = Namesakes()
        try scan(Query(resource.collection, by: index, .equal(value))) { row in
            let item = Item(row, of: resource)
            if item.handle == handle { exact.add(item) } else { other.add(item) }
            return .next
        }
        return exact.preferred == nil ? other : exact
    }

    private func namesakes(spelledLike handle: String, of resource: Resource) throws -> Namesakes {
        var found = Namesakes()
        guard let field = resource.handle, field.type == .text, handle.utf8.count <= Resource.foldedBytesMax
        else { return found }
        let folded = handle.caseFolded
        for start in FoldedStarts(of: folded, foldsLatin: resource.handleIndex != nil).starts {
            let key = Key.text(start.text)
            let query = Query(
                resource.collection, by: resource.handleIndex, start.isWhole ? .equal(key) : .prefix(key))
            try scan(query) { row in
                let item = Item(row, of: resource)
                if item.handle.caseFolded == folded { found.add(item) }
                return .next
            }
        }
        return found
    }
}

extension Namesakes {
    fileprivate init(_ item: Item?) {
        if let item { add(item) }
    }
}
