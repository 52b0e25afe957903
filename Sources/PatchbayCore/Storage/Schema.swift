/// The collections that a storage must keep. The version grows with every change that an older Patchbay must not
/// touch.
public struct Schema: Sendable {
    public let version: Int
    public let collections: [Collection]

    public init(version: Int, _ collections: [Collection]) {
        precondition(Set(collections.map(\.name)).count == collections.count, "two collections of one name")
        self.version = version
        self.collections = collections
    }
}

extension Collection {
    /// The declaration as one line of text, which a storage keeps beside the rows and compares when it opens:
    ///
    ///     users(id integer, login text, name text null; key id; by_login login nocase; by_id_name unique id name)
    public var definition: String {
        let fieldList = fields.map { "\($0.name) \($0.type.rawValue)" + ($0.isOptional ? " null" : "") }
        let lines = [fieldList.joined(separator: ", "), "key" + definition(of: primaryKey)]
            + indexes.map { $0.name + ($0.isUnique ? " unique" : "") + definition(of: $0) }
        return "\(name)(\(lines.joined(separator: "; ")))"
    }

    private func definition(of index: Index) -> String {
        index.parts.map { " \(fields[$0.position].name)" + ($0.isCaseFolded ? " nocase" : "") }.joined()
    }

    /// Reads what ``definition`` wrote. Nil when the text is something else.
    public convenience init?(definition: String) {
        guard let open = definition.firstIndex(of: "("), definition.last == ")" else { return nil }
        let name = String(definition[..<open])
        let lines = definition[definition.index(after: open)...].dropLast().split(separator: ";").map(Words.init)
        guard Field.isName(name), lines.count >= 2 else { return nil }
        let fields = definition[definition.index(after: open)...].dropLast().split(separator: ";")[0]
            .split(separator: ",").map { Field(words: Words($0)) }
        let known = fields.compactMap { $0 }
        guard known.count == fields.count, (1...Limits.fields).contains(known.count),
            lines[1].words.first == "key", let key = Index.parts(lines[1].words.dropFirst(), known), !key.isEmpty
        else { return nil }
        let indexes = lines[2...].map { Index(words: $0, known) }
        guard indexes.allSatisfy({ $0 != nil }) else { return nil }
        self.init(name, keyPositions: key.map(\.position), indexes: indexes.compactMap { $0 }, fields: known)
    }
}

/// The words of one stretch of a definition.
private struct Words {
    let words: [String]
    init(_ text: Substring) { words = text.split(separator: " ").map(String.init) }
}

extension Field {
    fileprivate init?(words: Words) {
        let words = words.words
        guard (2...3).contains(words.count), Field.isName(words[0]), let type = FieldType(rawValue: words[1])
        else { return nil }
        guard words.count == 2 || words[2] == "null" else { return nil }
        self.init(words[0], type, isOptional: words.count == 3)
    }
}

extension Index {
    fileprivate init?(words: Words, _ fields: [Field]) {
        guard let name = words.words.first, Field.isName(name) else { return nil }
        let isUnique = words.words.dropFirst().first == "unique"
        guard let parts = Index.parts(words.words.dropFirst(isUnique ? 2 : 1), fields), !parts.isEmpty
        else { return nil }
        self.init(name, parts: parts, unique: isUnique)
    }

    fileprivate static func parts(_ words: ArraySlice<String>, _ fields: [Field]) -> [Part]? {
        var parts: [Part] = []
        for word in words {
            if word == "nocase", let last = parts.popLast() {
                parts.append(.caseFolded(last.position))
            } else if let position = fields.firstIndex(where: { $0.name == word }) {
                parts.append(.exact(position))
            } else {
                return nil
            }
        }
        return parts
    }
}

/// What must be done to rows that were written under an older declaration.
public struct Migration: Sendable, Equatable {
    /// Optional fields that came after the old ones.
    public var addedFields: [Field]
    public var addedIndexes: [Index]
    public var removedIndexes: [Index]

    public var isNothing: Bool { addedFields.isEmpty && addedIndexes.isEmpty && removedIndexes.isEmpty }
}

extension Collection {
    /// The way from the stored declaration to this one.
    ///
    /// Only what loses nothing is a migration: optional fields at the end, and indexes.
    /// - Throws: `unsupported` for any other difference.
    public func migration(from stored: Collection) throws -> Migration {
        let isAdditive = fields.count >= stored.fields.count
            && Array(fields.prefix(stored.fields.count)) == stored.fields
            && fields.dropFirst(stored.fields.count).allSatisfy(\.isOptional)
            && primaryKey == stored.primaryKey
        guard isAdditive else {
            throw PatchbayError(
                .unsupported,
                "the stored collection \"\(name)\" differs in more than added fields and indexes; "
                    + "export it and import it into a new storage",
                ["stored": stored.definition, "wanted": definition])
        }
        return Migration(
            addedFields: Array(fields.dropFirst(stored.fields.count)),
            addedIndexes: indexes.filter { !stored.indexes.contains($0) },
            removedIndexes: stored.indexes.filter { !indexes.contains($0) })
    }
}
