import PatchbayCore

/// The steps from the stored schema to the wanted one, which names every stored collection.
struct Upgrade {
    struct Step {
        let collection: CollectionSchema
        let migration: Migration

        /// Whether an index replaces a stored one of the same name with other parts.
        func replaces(_ index: Index) -> Bool {
            migration.removedIndexes.contains { $0.name == index.name }
        }
    }

    /// Whether the stored schema has a lower number, so that a copy of the old storage is kept.
    let isNewVersion: Bool
    /// The collections that are not stored yet.
    let added: [CollectionSchema]
    /// The changes of the stored collections.
    let steps: [Step]

    /// Whether the stored schema is the wanted one.
    var isNothing: Bool { !isNewVersion && added.isEmpty && steps.allSatisfy(\.migration.isNothing) }

    /// Whether an added index has the name of a removed one.
    var replacesIndexes: Bool { steps.contains { $0.migration.addedIndexes.contains(where: $0.replaces) } }

    /// - Throws: `unsupported` when the stored schema is newer or differs in more than additions.
    init(from stored: Schema, to wanted: Schema) throws {
        try wanted.checkVersion(of: stored.version)
        let known = Set(stored.collections.map(\.name))
        added = wanted.collections.filter { !known.contains($0.name) }
        steps = try stored.collections.compactMap { old in
            try wanted.collections.first { $0.name == old.name }
                .map { Step(collection: $0, migration: try $0.migration(from: old)) }
        }
        isNewVersion = stored.version < wanted.version
    }
}
