import PatchbayPlugins
import PatchbayCore
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Snippets of Choosing a storage")
struct ChoosingAStorage {
    @Test("a storage is copied to another kind of storage")
    func copied() async throws {
        let folder = try TemporaryFolder()
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
        for await _ in try gateway.list("users", limit: 150) {}
        try await gateway.close()
        // snippet: copy
        let outcome = try await CopyStorage(from: "users.sqlite", try await old.openStorage()) {
            try await new.openStorage()
        }.run(isVerified: true)
        for copied in outcome.collections { print(copied.collection.name, copied.rows) }
        // end
        #expect(outcome.collections.first { $0.collection.name == "synthetic_users" }?.rows ?? 0 >= 150)
    }

    @Test("a program's own rows are stored next to Patchbay's")
    func ownRows() async throws {
        let configuration = try GatewayConfiguration(["storage": "memory", "source": "synthetic"])
        // snippet: own
        let gateway = try await Gateway(
            configuration: configuration, schema: .gateway.adding([Note.collection]), isOffline: true)
        try await gateway.store.write { try $0.put(Note(id: 1, text: "call back")) }
        // end
        #expect(try await gateway.store.read { try $0.get(Note.self, 1) }?.text == "call back")
        try await gateway.close()
    }
}

private struct Note: StoredRecord {
    static let collection = CollectionSchema(
        "notes", key: 0, fields: [Field("id", .integer), Field("text", .text)])
    var id: Int64
    var text: String

    init(id: Int64, text: String) {
        self.id = id
        self.text = text
    }

    init(_ row: borrowing RowView) { self.init(id: row.integer(0), text: row.text(1)) }

    func write(to row: inout RowBuilder) {
        row.set(0, id)
        row.set(1, text)
    }
}
