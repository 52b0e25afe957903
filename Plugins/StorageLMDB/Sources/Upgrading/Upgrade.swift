import PatchbayCore

/// The steps from the stored schema to the wanted one.
struct Upgrade {
    struct Step {
        let collection: CollectionSchema
        let migration: Migration

        /// Whether an index replaces a stored one of the same name with other parts.
        func replaces(_ index: Index) -> Bool {
            migration.removedIndexes.contains { $0.name == index.name }
        }
    }

    /// The schema once the upgrade has run.
    let result: StoredSchema
    let isNothing: Bool
    /// Whether the stored schema has a lower number, so that a copy of the old storage is kept.
    let isNewVersion: Bool
    /// Whether an added index has the name of a removed one.
    let replacesIndexes: Bool
    let added: [CollectionSchema]
    let steps: [Step]

    /// - Throws: `unsupported` when the stored schema is newer or differs in more than additions.
    init(from stored: StoredSchema, to wanted: Schema) throws {
        try wanted.checkVersion(of: stored.version)
        var result = StoredSchema(version: wanted.version, collections: stored.collections)
        var added: [CollectionSchema] = [], steps: [Step] = []
        for collection in wanted.collections {
            if let place = stored.collections.firstIndex(where: { $0.name == collection.name }) {
                let migration = try collection.migration(from: stored.collections[place])
                steps.append(Step(collection: collection, migration: migration))
                result.collections[place] = collection
            } else {
                added.append(collection)
                result.collections.append(collection)
            }
        }
        self.result = result
        self.added = added
        self.steps = steps
        isNewVersion = stored.version < wanted.version
        replacesIndexes = steps.contains { $0.migration.addedIndexes.contains(where: $0.replaces) }
        isNothing = !isNewVersion && added.isEmpty && steps.allSatisfy(\.migration.isNothing)
    }
}
