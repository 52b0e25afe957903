import PatchbayCore
import PatchbayDomain

extension LinkedList {
    /// The rows that a complete list must hold, so that others of them are no longer listed.
    private enum Coverage {
        case all
        /// Rows whose key starts so: those of the row that the list belongs to.
        case key(Key)
        /// Rows that share the value of this field with a row of the list.
        case sharing(ResourceField, Index)
    }

    /// Nil where nothing such is known: of searches, and of lists that are a view of other ones.
    private var coverage: Coverage? {
        guard case .list(let name) = question.subject else { return nil }
        if question.isWholeCollection { return question.after == 0 ? .all : nil }
        if !question.arguments.isEmpty { return sharing }
        guard name == nil else { return nil }
        return parentKey.map { .key($0) } ?? sharing
    }

    private var sharing: Coverage? {
        guard let name = resource.declaration.within, let field = resource.field(named: name),
            let index = resource.collection.index(named: "by_\(name)")
        else { return nil }
        return .sharing(field, index)
    }

    /// What the keys of a parent's rows start with.
    private var parentKey: Key? {
        guard let parent = question.parent else { return nil }
        var values: [Key] = []
        for field in resource.key {
            guard case .parent(let name) = field.declaration.origin, let value = parent[name]?.key else {
                break
            }
            values.append(value)
        }
        return values.isEmpty ? nil : values.count == 1 ? values[0] : .compound(values)
    }

    /// The rows that the list must hold, as far as its stored pages say which these are.
    func coveredRows(in reading: borrowing Reading) throws -> Query? {
        switch coverage {
        case nil: return nil
        case .all: return Query(resource.collection)
        case .key(let key): return Query(resource.collection, .equal(key))
        case .sharing(let field, let index):
            guard let value = try firstValue(of: field, in: reading) else { return nil }
            return Query(resource.collection, by: index, .equal(value))
        }
    }

    /// The value of a field of the first row in the stored pages that is stored itself.
    private func firstValue(of field: ResourceField, in reading: borrowing Reading) throws -> Key? {
        var position: Int64 = 0
        while let page = try page(at: position, in: reading) {
            for text in page.keys {
                if let key = KeyText.key(text, of: resource), let item = try reading.item(key, of: resource),
                    let value = item[field]?.key
                {
                    return value
                }
            }
            position += 1
        }
        return nil
    }

    /// Marks the rows that the complete list does not hold.
    ///
    /// - Parameter former: the rows that an empty list must hold, from what it held before.
    /// - Returns: how many were marked.
    func markUnlisted(
        _ former: Query?, in writing: inout Writing, at time: Timestamp
    ) throws -> Int64 {
        guard let query = try former ?? coveredRows(in: writing.reading) else { return 0 }
        // A list may be long: of each key a number is kept. Two keys with one number only leave a row unmarked.
        var listed: Set<Int> = []
        try scan(from: 0, fields: .all, in: writing.reading) { page in
            for key in page.keys { listed.insert(key.hashValue) }
        }
        return try writing.markGone(query, of: resource, at: time) {
            listed.contains(KeyText($0).text.hashValue)
        }
    }
}

extension ItemValue {
    /// The value in a key; nil for one that no key holds.
    fileprivate var key: Key? {
        switch self {
        case .text(let text), .json(let text): .text(text)
        case .integer(let number): .integer(number)
        case .boolean(let isTrue): .integer(isTrue ? 1 : 0)
        case .time(let time): .integer(time.milliseconds)
        case .real: nil
        }
    }
}
