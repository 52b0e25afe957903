package import PatchbayCore

/// An index of a resource under its public name, with a description of its parts.
package struct NamedIndex: Sendable {
    package let name: String
    package let index: Index
    package let parts: [Part]

    /// A part of an index key.
    package struct Part: Sendable {
        /// The name of the field.
        package let field: String
        package let type: ValueType
        /// Whether the values are case-folded prefixes of titles.
        package let isFolded: Bool
    }
}

extension Resource {
    /// The name of the key order in addresses.
    package static let keyIndexName = "key"

    /// The orders in which rows can be walked by the values of fields, key order first.
    package var namedIndexes: [NamedIndex] {
        [named(collection.primaryKey, Self.keyIndexName)]
            + indexes.filter { $0 != changeIndex }.map { named($0, $0.name) }
    }

    private func named(_ index: Index, _ name: String) -> NamedIndex {
        let parts = index.parts.map { part in
            let field = fields.first {
                [$0.position, $0.overridePosition, $0.foldedPosition].contains(part.position)
            }
            let isText = collection.fields[part.position].type == .text
            return NamedIndex.Part(
                field: field?.name ?? collection.fields[part.position].name,
                type: isText ? .text : field?.type ?? .integer,
                isFolded: field?.foldedPosition == part.position)
        }
        return NamedIndex(name: name, index: index, parts: parts)
    }
}
