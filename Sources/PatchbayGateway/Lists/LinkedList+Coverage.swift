import PatchbayCore
import PatchbayDomain

extension LinkedList {
    /// The rows that a complete list must contain; those that it lacks are no longer listed.
    private enum Coverage {
        case all
        /// Rows whose key starts with that of the row that the list belongs to.
        case key(Key)
        /// Rows that share the value of this field with a row of the list.
        case sharing(ResourceField, Index)
    }

    /// Nil for searches and for lists that are views of other lists, because they need not contain any particular row.
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

    /// The prefix of the keys of a parent's rows.
    private var parentKey: Key? {
        var values: [Key] = []
        for field in resource.key {
            guard let value = parentValue(of: field) else { break }
            values.append(value)
        }
        return values.isEmpty ? nil : values.count == 1 ? values[0] : .compound(values)
    }

    /// The value that the rows of the whole list of a parent take from it.
    private func parentValue(of field: ResourceField) -> Key? {
        guard case .parent(let name) = field.declaration.origin else { return nil }
        return question.arguments.isEmpty ? question.parent?[name]?.key : nil
    }

    /// The rows that the list must contain, as far as its parent and its stored pages determine them.
    func coveredRows(in reading: borrowing Reading) throws -> Query? {
        switch coverage {
        case nil: return nil
        case .all: return Query(resource.collection)
        case .key(let key): return Query(resource.collection, .equal(key))
        case .sharing(let field, let index):
            let value = try parentValue(of: field) ?? firstValue(of: field, in: reading)
            return value.map { Query(resource.collection, by: index, .equal($0)) }
        }
    }

    /// The value of a field in the first row of the stored pages that has one, of those that no other list has returned
    /// since: those may belong to another parent by now.
    private func firstValue(of field: ResourceField, in reading: borrowing Reading) throws -> Key? {
        var position: Int64 = 0
        while let page = try page(at: position, in: reading) {
            for word in page.keys {
                if let key = KeyText.key(word.text, of: resource),
                    let item = try reading.item(key, of: resource), let value = item[field]?.key,
                    item.listedNumber <= page.changeNumber ?? .max
                {
                    return value
                }
            }
            position += 1
        }
        return nil
    }
}

extension ItemValue {
    /// The value as a key; nil for a real number, which no key contains.
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
