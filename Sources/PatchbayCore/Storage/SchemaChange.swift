/// One change that brings a stored schema up to date.
package enum SchemaChange {
    /// Creates a collection that is not stored yet, with its indexes.
    case create(CollectionSchema)
    /// Removes an index that is no longer declared, or is declared differently.
    case dropIndex(Index, CollectionSchema)
    /// Adds an optional field after the stored ones.
    case addField(Field, CollectionSchema)
    /// Builds an index over stored rows.
    case buildIndex(Index, CollectionSchema)
    /// Stores the declaration of a collection after its other changes.
    case declare(CollectionSchema)
    /// Stores the version.
    case setVersion(Int)

    /// The description shown as progress during a change that needs no index.
    package static let task = "changing the schema"

    /// The description shown as progress during the change.
    package var task: String {
        guard case .buildIndex(let index, let collection) = self else { return Self.task }
        return "building the index \(index.name) of \(collection.name)"
    }
}

extension Schema {
    /// The changes that bring a stored schema up to this one, in the order in which to make them; none when it is up to
    /// date. Stored collections that this schema does not declare stay.
    ///
    /// - Throws: `unsupported` when the stored schema is newer, or differs in more than added fields and indexes.
    package func changes(from stored: Schema) throws -> [SchemaChange] {
        try requireNotOlder(than: stored)
        var changes: [SchemaChange] = []
        for collection in collections {
            guard let old = stored.collections.first(where: { $0.name == collection.name }) else {
                changes.append(.create(collection))
                continue
            }
            let migration = try collection.migration(from: old)
            if migration.isEmpty { continue }
            changes += migration.removedIndexes.map { .dropIndex($0, collection) }
            changes += migration.addedFields.map { .addField($0, collection) }
            changes += migration.addedIndexes.map { .buildIndex($0, collection) }
            changes.append(.declare(collection))
        }
        if stored.version < version { changes.append(.setVersion(version)) }
        return changes
    }

    /// Checks that this program knows the version of a stored schema.
    ///
    /// - Throws: `unsupported` when the stored schema is newer.
    package func requireNotOlder(than stored: Schema) throws {
        guard stored.version > version else { return }
        throw PatchbayError(
            .unsupported,
            "the storage has schema \(stored.version), newer than this program's \(version); "
                + "use a newer Patchbay")
    }

    /// The names of the collections that a storage does not contain.
    ///
    /// - Throws: `unsupported` when the stored schema is newer, or a collection would have to be changed.
    func missing(from stored: Schema) throws -> Set<String> {
        var missing: Set<String> = []
        for change in try changes(from: stored) {
            switch change {
            case .create(let collection): missing.insert(collection.name)
            case .addField(_, let collection), .buildIndex(_, let collection): throw collection.outdated
            case .dropIndex, .declare, .setVersion: break
            }
        }
        return missing
    }

    /// Reads the entries of the table `patchbay_schema`, in which storages with SQL tables record their collections.
    ///
    /// - Parameter known: the schema that the table nearly always has.
    /// - Throws: `corrupted` when an entry is not the definition of its collection, or occurs twice.
    package init(
        version: Int, recorded entries: [(name: String, definition: String)], expecting known: Schema?
    ) throws {
        var collections: [CollectionSchema] = []
        for (name, definition) in entries {
            let isRepeated = collections.contains { $0.name == name }
            guard !isRepeated,
                let collection = CollectionSchema.stored(definition, known: known?.collections ?? []),
                collection.name == name
            else {
                throw PatchbayError(
                    .corrupted,
                    "the entry \"\(name)\" of patchbay_schema "
                        + (isRepeated ? "occurs twice" : "is not a definition") + "; restore the database",
                    [.note("definition", definition)])
            }
            collections.append(collection)
        }
        self.init(version: version, collections)
    }
}
