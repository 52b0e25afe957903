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

    /// The same collections without their indexes. A storage opened with this schema is filled faster; opening it later
    /// with the whole schema builds the indexes.
    public var withoutIndexes: Schema { Schema(version: version, collections.map(\.withoutIndexes)) }
}

extension Schema {
    /// The schema of a storage with stored collections that is opened with this one: these collections first, then the
    /// others.
    public func joined(with stored: [CollectionSchema]) -> Schema {
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
}

extension CollectionSchema {
    /// The same collection without indexes.
    public var withoutIndexes: CollectionSchema {
        CollectionSchema(name, keyPositions: primaryKey.parts.map(\.position), indexes: [], fields: fields)
    }
}

extension CollectionSchema {
    /// The declaration as one line of text, which a storage saves with the rows and compares when it opens:
    ///
    ///     users(id integer, login text, name text null; key id; by_login login:nocase; by_id_name:unique id name)
    public var definition: String {
        let fieldList = fields.map { "\($0.name) \($0.type.rawValue)" + ($0.isOptional ? " null" : "") }
        let lines =
            [fieldList.joined(separator: ", "), "key" + definition(of: primaryKey)]
            + indexes.map { $0.name + ($0.isUnique ? ":unique" : "") + definition(of: $0) }
        return "\(name)(\(lines.joined(separator: "; ")))"
    }

    private func definition(of index: Index) -> String {
        index.parts.map { " \(fields[$0.position].name)" + ($0.isCaseFolded ? ":nocase" : "") }.joined()
    }

    /// Reads a ``definition``. Nil when the text is not one, as in a damaged storage.
    public convenience init?(definition: String) {
        guard let open = definition.firstIndex(of: "("), definition.last == ")" else { return nil }
        let lines = Words(definition[definition.index(after: open)...].dropLast()).parts(between: ";")
        guard lines.count >= 2, let fields = lines[0].fields, let key = lines[1].key(fields) else {
            return nil
        }
        let indexes = lines[2...].compactMap { Index(words: $0, fields) }
        guard indexes.count == lines.count - 2 else { return nil }
        self.init(unchecked: String(definition[..<open]), key: key, indexes: indexes, fields: fields)
        guard fault == nil, self.definition == definition else { return nil }
    }
}

/// One part of a definition, up to a semicolon.
private struct Words {
    let text: Substring
    var words: [Substring] { parts(between: " ").map(\.text) }

    init(_ text: Substring) { self.text = text }

    /// Splits at bytes, because every opening reads the definitions of all collections.
    func parts(between separator: Unicode.Scalar) -> [Words] {
        text.utf8.split(separator: UInt8(ascii: separator)).map { Words(Substring($0)) }
    }

    var fields: [Field]? {
        let parts = parts(between: ",")
        let fields = parts.compactMap(Field.init(words:))
        return fields.count == parts.count ? fields : nil
    }

    func key(_ fields: [Field]) -> [Int]? {
        guard words.first == "key", let parts = Index.parts(words.dropFirst(), fields) else { return nil }
        return parts.map(\.position)
    }
}

extension Field {
    fileprivate init?(words: Words) {
        let words = words.words.map(String.init)
        guard (2...3).contains(words.count), Field.isName(words[0]), let type = FieldType(rawValue: words[1])
        else { return nil }
        guard words.count == 2 || words[2] == "null" else { return nil }
        self.init(words[0], type, isOptional: words.count == 3)
    }
}

extension Index {
    fileprivate init?(words: Words, _ fields: [Field]) {
        let words = words.words
        guard let (name, isUnique) = words.first?.removing(":unique"), Field.isName(name),
            let parts = Index.parts(words.dropFirst(), fields)
        else { return nil }
        self.init(name, parts: parts, unique: isUnique)
    }

    /// The parts of an index or key; nil when there are none or one is not a field.
    fileprivate static func parts(_ words: ArraySlice<Substring>, _ fields: [Field]) -> [Part]? {
        var parts: [Part] = []
        for word in words {
            let (name, isFolded) = word.removing(":nocase")
            guard let position = fields.firstIndex(where: { $0.name == name }) else { return nil }
            parts.append(Part(position: position, isCaseFolded: isFolded))
        }
        return parts.isEmpty ? nil : parts
    }
}

extension Substring {
    /// The text without a mark at its end, and whether it had one. Names contain no colon.
    fileprivate func removing(_ mark: String) -> (String, Bool) {
        hasSuffix(mark) ? (String(dropLast(mark.count)), true) : (String(self), false)
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
    public var isNothing: Bool { addedFields.isEmpty && addedIndexes.isEmpty && removedIndexes.isEmpty }
}

extension CollectionSchema {
    /// The migration from the stored declaration to this one.
    ///
    /// A migration can add optional fields at the end, and add and remove indexes.
    ///
    /// - Throws: `unsupported` for any other difference.
    public func migration(from stored: CollectionSchema) throws -> Migration {
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
