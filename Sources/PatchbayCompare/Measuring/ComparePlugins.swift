package import PatchbayCore
package import PatchbayDomain

/// The plugins of a comparison: storages by name, bare engines, and a recording as a source.
package struct ComparePlugins: Sendable {
    package let storages: Registry<any Storage>
    let engines: [any BareEngine]
    let openRecording: @Sendable (_ path: String) async throws -> Source

    package init(
        storages: Registry<any Storage>, engines: [any BareEngine] = [],
        openRecording: @escaping @Sendable (_ path: String) async throws -> Source
    ) {
        self.storages = storages
        self.engines = engines
        self.openRecording = openRecording
    }
}
