import PatchbayCore
import PatchbayJSON

/// The line before a collection's rows: `{"_collection":"users","_definition":"users(id integer, ...)"}`.
struct CollectionLine {
    private let name: String
    private let definition: String?

    /// Nil when the line is another one. No field's name begins with an underscore.
    init?(_ line: [UInt8]) throws {
        var reader = JSONReader(line.span.bytes)
        try reader.beginObject()
        guard let first = try reader.nextKey(), first == "_collection" else { return nil }
        name = try reader.readString()
        var definition: String?
        while let key = try reader.nextKey() {
            if key == "_definition" { definition = try reader.readString() } else { try reader.skipValue() }
        }
        try reader.finish()
        self.definition = definition
    }

    /// The collection that is meant: one of the schema, else the one that the line defines.
    ///
    /// - Parameter wanted: the only one that the caller takes; nil for any.
    func collection(in schema: Schema, wanted: CollectionSchema?) throws -> CollectionSchema {
        if let wanted, wanted.name != name {
            throw LineFault(
                "here begin rows of \"\(name)\", not of \"\(wanted.name)\"; name no collection to import all")
        }
        let written = try definition.map { try declared($0) }
        let known = schema.withoutCopyMark.collections
        if let collection = known.first(where: { $0.name == name }) {
            if let written { try checkFields(written, collection) }
            return collection
        }
        if let written, name != CopyMark.collection.name { return written }
        let names = known.map(\.name), meant = EditDistance.suggestion(for: name, in: names)
        throw LineFault(
            "there is no collection \"\(name)\"\(meant), and the line does not define it; "
                + "known: \(names.joined(separator: ", "))")
    }

    private func declared(_ definition: String) throws -> CollectionSchema {
        guard let written = CollectionSchema(definition: definition), written.name == name else {
            throw LineFault("the definition of \"\(name)\" is damaged")
        }
        return written
    }

    /// Refuses rows whose fields are other ones, before the first of them.
    private func checkFields(_ written: CollectionSchema, _ collection: CollectionSchema) throws {
        for field in written.fields {
            guard let own = collection.fields.first(where: { $0.name == field.name }) else {
                throw LineFault("\(name) has no field \"\(field.name)\"; a newer Patchbay may have")
            }
            if own.type != field.type {
                throw LineFault(
                    "\(name).\(field.name) is \(field.type.rawValue) there and \(own.type.rawValue) here")
            }
        }
    }
}
