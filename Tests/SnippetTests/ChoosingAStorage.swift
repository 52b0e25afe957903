import PatchbayPlugins
import PatchbayCore
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Snippets of Choosing a storage")
struct ChoosingAStorage {
    @Test("a storage is copied into one of another kind")
    func copied() async throws {
        let folder = try TemporaryDirectory()
        func configuration(_ storage: String) throws -> GatewayConfiguration {
            try GatewayConfiguration(
                flags: [
                    .init("source", "synthetic", name: "test"), .init("storage", storage, name: "test"),
                    .init("storage.path", "\(folder.path)/users.\(storage)", name: "test"),
                ], environment: [:])
        }
        let old = try configuration("sqlite")
        let new = try configuration("lmdb")
        let gateway = try await Gateway(configuration: old)
        for await _ in gateway.listUsers(limit: 150) {}
        try await gateway.close()
        // snippet: copy
        let copied = try await CopyStorage(.gateway, from: "users.sqlite", try await old.openStorage()) {
            try await new.openStorage()
        }.run(isVerified: true)
        for collection in copied { print(collection.collection.name, collection.rows) }
        // end
        #expect(copied.first { $0.collection.name == "users" }?.rows ?? 0 >= 150)
    }
}
