import PatchbayCore

/// The columns and indexes that a declaration needs.
struct ResourceLayout {
    static let overrideSuffix = "_override"
    static let foldedSuffix = "_folded"
    static let changeIndexName = "by_change"

    private let declaration: ResourceDeclaration
    /// The name of the collection.
    let name: String

    init(_ declaration: ResourceDeclaration, api: String) {
        self.declaration = declaration
        name = "\(api)_\(declaration.name)"
    }

    static func titleIndexName(_ field: String) -> String { "by_\(field)\(foldedSuffix)" }

    /// Nil when the handle is the whole key, which needs no index.
    var handleIndexName: String? {
        guard let handle = declaration.handle?.field, declaration.key != [handle] else { return nil }
        return "by_\(handle)"
    }

    /// The names of columns and indexes that contain the name of a field.
    func names(derivedFrom field: FieldDeclaration) -> [String] {
        let name = field.name
        var names = [field.column]
        if declaration.editable.contains(name) { names.append(name + Self.overrideSuffix) }
        if titles.contains(name) { names.append(Self.titleIndexName(name)) }
        if [declaration.handle?.field, declaration.order, declaration.within].contains(name) {
            names.append("by_\(name)")
        }
        return names
    }

    var fields: [Field] {
        let declared = declaration.fields.map {
            Field($0.column, $0.type.fieldType, isOptional: !declaration.key.contains($0.name))
        }
        let overrides = declaration.editable.map { Field($0 + Self.overrideSuffix, .text, isOptional: true) }
        let folded = titles.map { Field($0 + Self.foldedSuffix, .text, isOptional: true) }
        return ItemState.fields + declared + overrides + folded + ItemState.LaterColumn.allCases.map(\.field)
    }

    /// The titles for which local search needs a column. The handle has its own index.
    private var titles: [String] { declaration.title.filter { $0 != declaration.handle?.field } }

    /// The collection with the stored columns first, unchanged, then the new ones.
    func collection(following stored: CollectionSchema?) throws -> CollectionSchema {
        var fields = fields
        if let stored {
            try check(stored)
            let known = Set(stored.fields.map(\.name))
            fields = stored.fields + fields.filter { !known.contains($0.name) }
        }
        // Columns of former fields stay, so that there may be less room than the declaration needs.
        let count = fields.count - ItemState.LaterColumn.allCases.count
        let limit = ItemState.fields.count + ItemState.declaredMax
        guard count <= limit else {
            throw PatchbayError(
                .invalidConfiguration,
                "\(declaration.name) needs \(count) columns; a collection has at most \(limit)",
                [.limit(limit)])
        }
        guard Field.isName(name) else {
            throw PatchbayError(
                .invalidConfiguration,
                "the collection \"\(name)\" cannot be stored: a name has at most \(Field.nameBytesMax) letters a-z, "
                    + "digits and underscores; choose a shorter word for its source (source.as)")
        }
        func position(_ field: String) -> Int {
            let column = declaration.fields.first { $0.name == field }?.column ?? field
            return fields.firstIndex { $0.name == column }!
        }
        return CollectionSchema(
            name, keyPositions: declaration.key.map(position),
            indexes: indexes.map { index in
                let parts = index.fields.map {
                    $0.isCaseFolded ? Index.Part.caseFolded(position($0.name)) : .exact(position($0.name))
                }
                return Index(index.name, parts: parts)
            } + [changeIndex(fields)], fields: fields)
    }

    private func changeIndex(_ fields: [Field]) -> Index {
        let position = fields.firstIndex { $0.name == ItemState.LaterColumn.changeNumber.rawValue }!
        return Index(Self.changeIndexName, .exact(position))
    }

    private var indexes: [IndexDeclaration] {
        var indexes = declaration.indexes
        func add(_ index: IndexDeclaration) {
            if !indexes.contains(where: { $0.name == index.name }) { indexes.append(index) }
        }
        if let handle = declaration.handle?.field, let handleIndexName {
            let isText = declaration.fields.first { $0.name == handle }?.type == .text
            add(IndexDeclaration(handleIndexName, [(handle, isText)]))
        }
        for title in titles {
            add(IndexDeclaration(Self.titleIndexName(title), [(title + Self.foldedSuffix, false)]))
        }
        if let order = declaration.order, declaration.key != [order] {
            add(IndexDeclaration("by_\(order)", [(order, false)]))
        }
        if let within = declaration.within { add(IndexDeclaration("by_\(within)", [(within, false)])) }
        return indexes
    }

    /// - Throws: `unsupported` when a field or the key differs from how it is stored.
    private func check(_ stored: CollectionSchema) throws {
        let key = stored.primaryKey.parts.map { stored.fields[$0.position].name }
        let columns = declaration.key.map { name in
            declaration.fields.first { $0.name == name }?.column ?? name
        }
        guard key == columns else {
            let words = [key, columns].map { $0.joined(separator: " ") }
            throw conflict("rows are stored under the key \(words[0]), not \(words[1])")
        }
        let wanted = fields
        for field in stored.fields {
            guard let new = wanted.first(where: { $0.name == field.name }), new != field else { continue }
            throw conflict("the field \"\(field.name)\" is stored as \(field.words), not \(new.words)")
        }
    }

    private func conflict(_ problem: String) -> PatchbayError {
        PatchbayError(
            .unsupported,
            "\(name) has changed: \(problem); rename the resource, or sync it into a new storage")
    }
}

extension Field {
    fileprivate var words: String { type.rawValue + (isOptional ? "" : ", part of the key") }
}
