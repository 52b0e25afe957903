public import PatchbayCore
public import PatchbayDomain

/// What a comparison opens: storages by name, and a recording as a source.
public struct ComparePlugins: Sendable {
    public let storages: Registry<any Storage>
    let openRecording: @Sendable (_ path: String) async throws -> Source

    public init(
        storages: Registry<any Storage>,
        openRecording: @escaping @Sendable (_ path: String) async throws -> Source
    ) {
        self.storages = storages
        self.openRecording = openRecording
    }
}
