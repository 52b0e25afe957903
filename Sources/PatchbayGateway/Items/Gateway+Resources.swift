import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// The resource with a name, or with its singular, its plural or the name of its collection.
    ///
    /// - Throws: `unsupported` when the source has none; the error names those it has.
    public func resource(_ name: String) throws -> Resource {
        let found = resources.first { resource in
            [resource.name, resource.singular, resource.plural, resource.collection.name].contains(name)
        }
        if let found { return found }
        let names = resources.map(\.name)
        let known = names.isEmpty ? "it has no resources" : "it has \(names.joined(separator: ", "))"
        throw PatchbayError(
            .unsupported,
            "source \(source.name) does not provide \"\(name)\""
                + "\(EditDistance.suggestion(for: name, in: names)); \(known)")
    }

    /// The feed of the source's resources.
    ///
    /// - Throws: `unsupported` when it has none.
    func requireFeed() throws -> any ResourceFeed {
        guard !source.isClosed else {
            throw PatchbayError(.offline, "the source is not to be asked (offline)")
        }
        guard let feed = source.feed else {
            throw PatchbayError(.unsupported, "source \(source.name) has no resources")
        }
        return feed
    }

    /// The resource that a resource's lists belong to.
    func parent(of resource: Resource) throws -> Resource? {
        try resource.declaration.parent.map { try self.resource($0) }
    }
}

extension Store {
    /// Opens a storage with the resources of a source beside a schema.
    ///
    /// The columns of a resource keep the order in which they were stored first, so a storage whose columns differ from
    /// those of the definitions is opened twice: to see them, then with them.
    static func opening(
        _ storage: any Storage, _ schema: Schema, _ source: Source, _ access: StorageAccess,
        _ progress: @escaping WorkProgress.Handler
    ) async throws -> (Store, [Resource]) {
        func open(_ resources: [Resource]) async throws -> (Store, [Resource]) {
            let schema = schema.adding(resources.map(\.collection))
            return (try await Store(storage, schema: schema, access: access, progress: progress), resources)
        }
        guard let first = source.candidates.first else {
            let declared = source.resources
            return try await opening(SourceResources(word: source.word, declared), storage, open)
        }
        // A storage that cannot be read says so when it is opened.
        let stored = source.candidates.count > 1 ? try? await storage.storedCollections() : nil
        let names = Set((stored ?? []).map(\.name))
        let chosen = source.candidates.first { $0.isStored(among: names) } ?? first
        return try await opening(chosen, storage, open)
    }

    private static func opening(
        _ source: SourceResources, _ storage: any Storage,
        _ open: ([Resource]) async throws -> (Store, [Resource])
    ) async throws -> (Store, [Resource]) {
        let plain = try source.resources.map { try Resource($0, api: source.word) }
        do {
            return try await open(plain)
        } catch let error as PatchbayError where error.code == .unsupported && !plain.isEmpty {
            // The first error is the one to report.
            guard let stored = try? await storage.storedCollections() else { throw error }
            let bound = try source.resources.map { declaration in
                let name = "\(source.word)_\(declaration.name)"
                return try Resource(declaration, api: source.word, stored: stored.first { $0.name == name })
            }
            guard bound.map(\.collection) != plain.map(\.collection) else { throw error }
            return try await open(bound)
        }
    }
}

extension SourceResources {
    /// Whether a storage with these collections holds one of them. Names that begin otherwise say so without the
    /// resources, which may have to be read first.
    fileprivate func isStored(among names: Set<String>) -> Bool {
        names.contains { $0.hasPrefix(word + "_") }
            && resources.contains { names.contains("\(word)_\($0.name)") }
    }
}

extension Storage {
    /// The collections that a storage keeps.
    fileprivate func storedCollections() async throws -> [CollectionSchema] {
        let store = try await Store(self, schema: nil, access: .reading)
        let collections = store.schema.collections
        try await store.close()
        return collections
    }
}
