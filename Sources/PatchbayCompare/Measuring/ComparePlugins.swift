package import PatchbayCore
package import PatchbayDomain
package import PatchbayGateway

/// The plugins of a comparison: storages by name, bare engines, and what copied rows need.
package struct ComparePlugins: Sendable {
    package let storages: Registry<any Storage>
    let engines: [any BareEngine]
    private let resources: @Sendable (RowsOrigin) async throws -> [SourceResources]
    /// Opens the recording of the rows.
    let replay: @Sendable (RowsOrigin) async throws -> Replay

    /// A recording that can be synced once.
    package struct Replay: Sendable {
        let source: Source
        let sync: @Sendable (Gateway) async throws -> Void

        /// - Parameter sync: fetches all rows that the recording contains.
        package init(_ source: Source, sync: @escaping @Sendable (Gateway) async throws -> Void) {
            self.source = source
            self.sync = sync
        }
    }

    /// - Parameters:
    ///   - resources: the resources that rows of an origin may have.
    ///   - replay: opens the recording of an origin.
    package init(
        storages: Registry<any Storage>, engines: [any BareEngine] = [],
        resources: @escaping @Sendable (RowsOrigin) async throws -> [SourceResources] = { _ in [] },
        replay: @escaping @Sendable (RowsOrigin) async throws -> Replay = { _ in
            Replay(Source(name: "none")) { _ in }
        }
    ) {
        self.storages = storages
        self.engines = engines
        self.resources = resources
        self.replay = replay
    }

    /// The declaration of copied rows, among the others of their source.
    ///
    /// - Throws: `notFound` when the definition has changed since the rows were copied.
    func declaration(
        of copy: RowsCopy
    ) async throws -> (resources: SourceResources, declaration: ResourceDeclaration) {
        for resources in try await resources(copy.origin) {
            if let found = resources.declaration(of: copy.collection) { return (resources, found) }
        }
        throw PatchbayError(.notFound, "no definition describes the rows of \"\(copy.collection)\" any more")
    }
}

extension SourceResources {
    /// The resource whose rows a collection has.
    package func declaration(of collection: String) -> ResourceDeclaration? {
        // Without reading the definitions of others.
        guard collection.hasPrefix(word + "_") else { return nil }
        return resources.first { "\(word)_\($0.name)" == collection }
    }
}
