import Patchbay
import PatchbayCore
import PatchbayTestKit
import TestSupport
import Testing

/// A storage that a newer Patchbay has migrated.
@Suite("A storage with a newer schema", .mayBlock)
struct NewerSchemaTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    @Test("checks refuse it and state both versions", arguments: StorageFolder.durable)
    func refused(_ plugin: String) async throws {
        let known = Schema.gateway, newer = Schema(version: known.version + 1, known.collections)
        let store = try await Store(try await folder.storage(plugin, "newer"), schema: newer)
        try await store.close()
        let options = folder.places.flags(plugin, at: "\(folder.folder.path)/newer")
        let command = Command(in: folder.folder.path)
        let reason = "has schema \(newer.version), newer than this program's \(known.version)"
        let verification = try command.run(["storage", "verify"] + options)
        #expect(verification.status == 15)
        #expect(verification.errors.contains(reason))
        let checkup = try command.run(["doctor", "--offline"] + options)
        #expect(checkup.status != 0)
        #expect((checkup.output + checkup.errors).contains(reason))
    }
}
