package import PatchbayCore
package import PatchbayDomain

/// The plugins of a comparison: storages by name, and a recording as a source.
package struct ComparePlugins: Sendable {
    package let storages: Registry<any Storage>
    let openRecording: @Sendable (_ path: String) async throws -> Source

    package init(
        storages: Registry<any Storage>,
        openRecording: @escaping @Sendable (_ path: String) async throws -> Source
    ) {
        self.storages = storages
        self.openRecording = openRecording
    }
}
