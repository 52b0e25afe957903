import PatchbayCore
import PatchbayDomain

extension Store {
    /// Opens a storage with a schema and the resources of sources.
    ///
    /// The columns of a resource keep the order in which they were first stored, so a storage whose columns differ from
    /// the definitions is opened twice for writing: once to read its columns, then with these.
    ///
    /// - Returns: the resources of each source, in the order of the sources.
    /// - Throws: `invalidConfiguration` when two collections would have the same name.
    static func opening(
        _ storage: any Storage, _ schema: Schema, _ sources: [Source], _ access: StorageAccess,
        _ progress: @escaping WorkProgress.Handler
    ) async throws -> (Store, [[Resource]]) {
        if access == .reading { return try await reading(storage, schema, sources, progress) }
        var stored: [CollectionSchema] = []
        if sources.contains(where: { $0.candidates.count > 1 }) {
            do {
                stored = try await storage.storedCollections().all
            } catch let error as PatchbayError where error.code == .busy {
                // The opening below would wait as long again.
                throw error
            } catch {
                // A storage that cannot be read reports the error when it is opened below.
            }
        }
        let declared = sources.map { $0.resources(storedAmong: Set(stored.map(\.name))) }
        func open(_ resources: [[Resource]]) async throws -> (Store, [[Resource]]) {
            let schema = try schema.adding(resources)
            return (try await Store(storage, schema: schema, access: access, progress: progress), resources)
        }
        let plain = try declared.map { try $0.bound(to: []) }
        do {
            return try await open(plain)
        } catch let error as PatchbayError where error.code == .unsupported && !plain.joined().isEmpty {
            // The first error is the one to report.
            guard let stored = try? await storage.storedCollections() else { throw error }
            let bound = try declared.map { try $0.bound(to: stored.all, empty: stored.empty) }
            guard bound.map({ $0.map(\.collection) }) != plain.map({ $0.map(\.collection) }) else {
                throw error
            }
            return try await open(bound)
        }
    }

    private static func reading(
        _ storage: any Storage, _ schema: Schema, _ sources: [Source],
        _ progress: @escaping WorkProgress.Handler
    ) async throws -> (Store, [[Resource]]) {
        var resources: [[Resource]] = []
        let store = try await Store(reading: storage, progress: progress) { stored in
            let names = Set(stored.collections.map(\.name))
            resources = try sources.map {
                try $0.resources(storedAmong: names).bound(to: stored.collections)
            }
            return try schema.adding(resources)
        }
        return (store, resources)
    }
}

extension Schema {
    /// The schema with the collections of sources.
    ///
    /// - Throws: `invalidConfiguration` when two collections would have one name.
    fileprivate func adding(_ resources: [[Resource]]) throws -> Schema {
        let collections = resources.flatMap { $0.map(\.collection) }
        var names = Set(self.collections.map(\.name))
        for collection in collections where !names.insert(collection.name).inserted {
            throw PatchbayError(
                .invalidConfiguration,
                "two collections would have the name \"\(collection.name)\"; give one of the sources another word "
                    + "(source.as)")
        }
        return adding(collections)
    }
}

extension Source {
    /// The resources of the source. If there are several candidates, the first one with stored rows.
    fileprivate func resources(storedAmong names: Set<String>) -> SourceResources {
        candidates.first { candidates.count > 1 && $0.isStored(among: names) } ?? candidates.first
            ?? SourceResources(word: word, resources)
    }
}

extension SourceResources {
    /// Whether one of these collections belongs to the resources. The prefix is checked first, because the resources
    /// may not have been read yet.
    fileprivate func isStored(among names: Set<String>) -> Bool {
        names.contains { $0.hasPrefix(word + "_") }
            && resources.contains { names.contains("\(word)_\($0.name)") }
    }

    /// The resources, with the stored columns first.
    ///
    /// - Parameter empty: the names of the collections that are known to have no rows.
    fileprivate func bound(to stored: [CollectionSchema], empty: Set<String> = []) throws -> [Resource] {
        try resources.map { declaration in
            let name = "\(word)_\(declaration.name)"
            do {
                return try Resource(declaration, api: word, stored: stored.first { $0.name == name })
            } catch let error as PatchbayError where error.code == .unsupported && empty.contains(name) {
                let advice = "; it has no rows, so you can also remove the storage if it holds nothing else"
                throw PatchbayError(error.code, error.message + advice, error.details)
            }
        }
    }
}

extension Storage {
    /// The collections of a storage, and the names of those without rows.
    fileprivate func storedCollections() async throws -> (all: [CollectionSchema], empty: Set<String>) {
        let store = try await Store(self, schema: nil, access: .reading)
        let collections = store.schema.collections
        let empty = try await store.read { reading in
            try collections.filter { try reading.count(Query($0, limit: 1)) == 0 }.map(\.name)
        }
        try await store.close()
        return (collections, Set(empty))
    }
}
