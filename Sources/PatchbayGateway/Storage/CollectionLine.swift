import PatchbayCore
import PatchbayJSON

/// The line before a collection's rows: `{"_collection":"users","_definition":"users(id integer, ...)"}`.
struct CollectionLine {
    private let name: String
    private let definition: String?

    /// Returns nil for any other line. They can be distinguished because no field's name begins with an underscore.
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

    /// The named collection: that of the schema, otherwise the one that the line defines.
    ///
    /// - Parameter wanted: the only collection that the caller accepts; nil for any.
    func collection(in schema: Schema, wanted: CollectionSchema?) throws -> CollectionSchema {
        if let wanted, wanted.name != name {
            throw LineFault(
                "here begin rows of \"\(name)\", not of \"\(wanted.name)\"; "
                    + "to import all collections, do not name one")
        }
        let written = try definition.map { try declared($0) }
        let known = schema.transferable.collections
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

    /// Refuses rows with different fields before the first of them is read.
    private func checkFields(_ written: CollectionSchema, _ collection: CollectionSchema) throws {
        for field in written.fields {
            guard let own = collection.fields.first(where: { $0.name == field.name }) else {
                throw LineFault(
                    "\(name) has no field \"\(field.name)\" in the storage; a newer version of Patchbay may add it, or "
                        + "a sync if its definition has it")
            }
            if own.type != field.type {
                throw LineFault(
                    "\(name).\(field.name) is \(field.type.rawValue) in the file "
                        + "and \(own.type.rawValue) here")
            }
        }
    }
}
