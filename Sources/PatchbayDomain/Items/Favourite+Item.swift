package import PatchbayCore
import PatchbayJSON

extension Favourite {
    /// A favourite with a copy of an item.
    package init(of item: Item, addedAt: Timestamp) {
        var writer = JSONWriter()
        writer.beginObject()
        for field in item.resource.fields {
            guard let value = item[field] else { continue }
            writer.key(field.declaration.column)
            writer.value(value)
        }
        for field in item.resource.editable {
            guard let edit = item.override(of: field) else { continue }
            writer.key(field.overrideColumn)
            writer.string(edit)
        }
        writer.endObject()
        self.init(item, fields: String(decoding: writer.bytes, as: UTF8.self), addedAt: addedAt)
    }

    /// The row as it was when it was marked.
    ///
    /// - Returns: nil for a favourite of another resource, or one without a key, which another program wrote.
    public func item(of resource: Resource) -> Item? {
        guard row.collection == resource.collection.name,
            let object = CodedValue(json: fields)?.object
        else { return nil }
        var builder = ItemBuilder()
        builder.begin(resource)
        for field in resource.fields { builder.set(field, object[field.declaration.column], of: field.type) }
        // A copy that another program wrote may contain values that cannot be stored.
        guard let item = try? builder.finish() else { return nil }
        var packing = ItemPacking(item, over: nil, state: ItemState(fetchedAt: addedAt))
        for field in resource.editable {
            if case .string(let edit) = object[field.overrideColumn] { packing.edits[field.name] = edit }
        }
        return try? packing.packed()
    }
}

extension ItemPacking {
    /// The packed row as an item.
    fileprivate func packed() throws -> Item {
        var builder = RowBuilder()
        write(to: &builder)
        return Item(try builder.finish(), of: item.resource)
    }
}

extension ResourceField {
    fileprivate var overrideColumn: String { name + "_override" }
}

extension JSONWriter {
    /// Writes a value in its column form: a time in milliseconds, JSON as text.
    fileprivate mutating func value(_ value: ItemValue) {
        switch value {
        case .text(let text), .json(let text): string(text)
        case .integer(let number): integer(number)
        case .real(let number): number.isFinite ? real(number) : null()
        case .boolean(let isTrue): bool(isTrue)
        case .time(let time): integer(time.milliseconds)
        }
    }
}

extension ItemBuilder {
    /// Sets what ``JSONWriter/value(_:)`` wrote; null for anything else.
    fileprivate mutating func set(_ field: ResourceField, _ value: CodedValue?, of type: ValueType) {
        switch (type, value) {
        case (.text, .string(let text)), (.json, .string(let text)): set(field, text)
        case (.integer, .integer(let number)), (.time, .integer(let number)): set(field, number)
        case (.real, .real(let number)): set(field, number)
        case (.real, .integer(let number)): set(field, Double(number))
        case (.boolean, .bool(let isTrue)): set(field, isTrue ? 1 : 0 as Int64)
        default: setNull(field)
        }
    }
}
