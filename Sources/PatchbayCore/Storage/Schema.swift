/// The collections of a storage. The version increases with every change that older versions of Patchbay must not
/// modify.
public struct Schema: Sendable {
    /// The version; a storage with a higher one is not opened.
    public let version: Int
    /// The collections, with different names.
    public let collections: [CollectionSchema]

    /// Creates a schema. Two collections with the same name are a programming error.
    public init(version: Int, _ collections: [CollectionSchema]) {
        precondition(Set(collections.map(\.name)).count == collections.count, "two collections of one name")
        self.version = version
        self.collections = collections
    }

    /// These collections and a program's own, in one storage.
    ///
    ///     let schema = Schema.gateway.adding([Note.collection])
    ///
    /// The version stays Patchbay's, so that the command still opens the storage. A program needs no version of its
    /// own: added fields and indexes migrate without one (see ``CollectionSchema/migration(from:)``).
    public func adding(_ own: [CollectionSchema]) -> Schema { Schema(version: version, collections + own) }

    /// Whether there is a collection of this one's name.
    package func has(_ collection: CollectionSchema) -> Bool {
        collections.contains { $0.name == collection.name }
    }

    /// The same collections without their indexes. A storage opened with this schema is filled faster; opening it later
    /// with the whole schema builds the indexes.
    public var withoutIndexes: Schema { Schema(version: version, collections.map(\.withoutIndexes)) }

    /// The schema of a storage with stored collections that is opened with this one: these collections first, then the
    /// others.
    public func joined(with stored: [CollectionSchema]) -> Schema {
        // Stored collections are mostly these very objects.
        if stored.allSatisfy({ one in collections.contains { $0 === one } }) { return self }
        let names = Set(collections.map(\.name))
        return Schema(version: version, collections + stored.filter { !names.contains($0.name) })
    }

    /// Checks that rows stored under another schema can be read under this one unchanged.
    ///
    /// - Throws: `unsupported` when the stored schema is newer, or the storage would have to be changed.
    public func checkReads(_ stored: Schema) throws {
        let missing = try missing(from: stored)
        if let collection = collections.first(where: { missing.contains($0.name) }) {
            throw collection.outdated
        }
    }
}

extension CollectionSchema {
    /// The error for a collection that cannot be read as it is declared.
    var outdated: PatchbayError {
        PatchbayError(
            .unsupported,
            "the collection \"\(name)\" has to be migrated before it can be read; migrate the storage, or open it "
                + "for writing once")
    }

    /// The same collection without indexes.
    public var withoutIndexes: CollectionSchema {
        CollectionSchema(name, keyPositions: primaryKey.parts.map(\.position), indexes: [], fields: fields)
    }

    /// The text of ``definition``.
    static func definition(_ name: String, _ fields: [Field], key: Index, _ indexes: [Index]) -> String {
        func append(_ index: Index, to text: inout String) {
            for part in index.parts {
                text += " "
                // A position that names no field is found later, as the declaration's `fault`.
                text += fields.indices.contains(part.position) ? fields[part.position].name : "?"
                if part.isCaseFolded { text += ":nocase" }
            }
        }
        // Appended piece by piece, because every program writes the definitions of all its collections.
        var text = name
        text.reserveCapacity(32 * (fields.count + indexes.count))
        for (position, field) in fields.enumerated() {
            text += position == 0 ? "(" : ", "
            text += field.name
            text += " "
            text += field.type.rawValue
            if field.isOptional { text += " null" }
            if field.isOwnStorage { text += " own" }
        }
        text += "; key"
        append(key, to: &text)
        for index in indexes {
            text += "; "
            text += index.name
            if index.isUnique { text += ":unique" }
            append(index, to: &text)
        }
        text += ")"
        return text
    }

    /// The collection of a stored definition; nil when the text is not one.
    ///
    /// - Parameter known: collections whose definitions are not parsed again; nearly every stored one is theirs.
    package static func stored(_ definition: String, known: [CollectionSchema]) -> CollectionSchema? {
        known.first { definition.utf8.starts(with: $0.name.utf8) && $0.definition == definition }
            ?? CollectionSchema(definition: definition)
    }

    /// Reads a ``definition``. Nil when the text is not one, as in a damaged storage.
    public convenience init?(definition: String) {
        var reader = SchemaReader(definition), fields: [Field] = [], indexes: [Index] = []
        guard let name = reader.name(), reader.take("(") else { return nil }
        repeat {
            guard let field = reader.field() else { return nil }
            fields.append(field)
        } while reader.take(", ")
        guard reader.take("; key"), let key = reader.parts(fields), !key.contains(where: \.isCaseFolded)
        else { return nil }
        while reader.take("; ") {
            guard let index = reader.index(fields) else { return nil }
            indexes.append(index)
        }
        guard reader.take(")"), reader.isAtEnd else { return nil }
        self.init(unchecked: name, key: key.map(\.position), indexes: indexes, fields: fields)
        guard fault == nil else { return nil }
    }
}

/// Reads the parts of a definition byte by byte.
private struct SchemaReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Consumes these bytes if they come next.
    mutating func take(_ text: StaticString) -> Bool {
        var end = rest.startIndex
        for offset in 0..<text.utf8CodeUnitCount {
            guard end < rest.endIndex, unsafe rest[end] == text.utf8Start[offset] else { return false }
            rest.formIndex(after: &end)
        }
        rest = rest[end...]
        return true
    }

    /// Consumes a name of a collection, field or index.
    mutating func name() -> String? {
        let end = rest.firstIndex { !Field.isOfName($0) } ?? rest.endIndex
        let name = String(Substring(rest[..<end]))
        rest = rest[end...]
        return Field.isName(name) ? name : nil
    }

    mutating func field() -> Field? {
        guard let name = name(), take(" "), let type = self.name().flatMap(FieldType.init) else { return nil }
        return Field(name, type, isOptional: take(" null"), isOwnStorage: take(" own"))
    }

    mutating func index(_ fields: [Field]) -> Index? {
        guard let name = name() else { return nil }
        let isUnique = take(":unique")
        return parts(fields).map { Index(name, parts: $0, unique: isUnique) }
    }

    /// Consumes the parts of an index or key; nil when there are none or one is not a field.
    mutating func parts(_ fields: [Field]) -> [Index.Part]? {
        var parts: [Index.Part] = []
        while take(" ") {
            guard let name = name(), let position = fields.firstIndex(where: { $0.name == name }) else {
                return nil
            }
            parts.append(Index.Part(position: position, isCaseFolded: take(":nocase")))
        }
        return parts.isEmpty ? nil : parts
    }
}

/// The changes that rows written under an older declaration need.
public struct Migration: Sendable, Equatable {
    /// Optional fields added after the old ones.
    public var addedFields: [Field]
    /// The indexes to build, including those whose declaration changed.
    public var addedIndexes: [Index]
    /// The indexes to delete, including those whose declaration changed.
    public var removedIndexes: [Index]

    /// Whether the stored rows and indexes can be used unchanged.
    public var isEmpty: Bool { addedFields.isEmpty && addedIndexes.isEmpty && removedIndexes.isEmpty }
}

extension CollectionSchema {
    /// The migration from the stored declaration to this one.
    ///
    /// A migration can add optional fields at the end, and add and remove indexes.
    ///
    /// - Throws: `unsupported` for any other difference.
    public func migration(from stored: CollectionSchema) throws -> Migration {
        if stored == self { return Migration(addedFields: [], addedIndexes: [], removedIndexes: []) }
        let isAdditive =
            fields.count >= stored.fields.count
            && Array(fields.prefix(stored.fields.count)) == stored.fields
            && fields.dropFirst(stored.fields.count).allSatisfy(\.isOptional)
            && primaryKey == stored.primaryKey
        guard isAdditive else {
            throw PatchbayError(
                .unsupported,
                "the stored collection \"\(name)\" has changes other than added fields and indexes; "
                    + "export it and import it into a new storage",
                [.note("stored", stored.definition), .note("wanted", definition)])
        }
        return Migration(
            addedFields: Array(fields.dropFirst(stored.fields.count)),
            addedIndexes: indexes.filter { !stored.indexes.contains($0) },
            removedIndexes: stored.indexes.filter { !indexes.contains($0) })
    }
}
