import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
@testable import PatchbayTestKit
import Testing

@Suite("Whose rows a storage holds, over every storage", .timeLimit(.minutes(5)))
struct StoredSourceTests {
    /// The schema before the source was stored.
    private static let before = Schema(
        version: 4, Schema.gateway.collections.filter { $0.name != StoredSource.collection.name })

    private let folder: StorageFolder
    private let clock = ManualClock()

    init() throws { folder = try StorageFolder() }

    private func gateway(_ plugin: String, _ name: String, api: String) async throws -> Gateway {
        let source = Source(name: api, users: ScriptedUserSource(users: ScriptedUserSource.users(1...3)))
        return try await Gateway(
            storage: folder.storage(plugin, name), source: source, schema: .gateway, now: clock.now)
    }

    private func api(_ store: Store) async throws -> String? {
        try await store.read { try $0.get(StoredSource.self, StoredSource.key)?.api }
    }

    @Test(
        "a storage of version 4 opens, and belongs to the first source that writes",
        arguments: StorageFolder.durable)
    func upgrade(_ plugin: String) async throws {
        let old = try await Store(folder.storage(plugin, "old"), schema: Self.before)
        try await old.write { writing in
            for user in ScriptedUserSource.users(1...3) {
                try writing.put(StoredUser(user: user, fetchedAt: Timestamp(milliseconds: 1)))
            }
        }
        try await old.close()
        var gateway = try await gateway(plugin, "old", api: "first")
        #expect(await gateway.listUsers(policy: .localOnly).ending.value?.users.count == 3)
        #expect(try await api(gateway.store) == nil)
        _ = await gateway.listUsers().ending
        #expect(try await api(gateway.store) == "first")
        try await gateway.close()
        gateway = try await self.gateway(plugin, "old", api: "second")
        guard case .failed(let error) = await gateway.listUsers().ending.outcome else {
            Issue.record("another source was not refused")
            return
        }
        #expect(error.code == .conflict)
        #expect(error.context["storage"]?.contains("old") == true)
        try await gateway.close()
        let older = try await folder.storage(plugin, "old")
        let refusal = await #expect(throws: PatchbayError.self) { try await older.open(Self.before) }
        #expect(refusal?.code == .unsupported)
    }

    @Test("a copy, and an export that is imported, know the source", arguments: StorageFolder.durable)
    func transfer(_ plugin: String) async throws {
        let first = try await gateway(plugin, "first", api: "first")
        _ = await first.listUsers().ending
        var text: [UInt8] = []
        _ = try await ExportRows(first.store, nil, as: .ndjson).run { text += $0 }
        try await first.close()
        let copy = CopyStorage(from: "first", try await folder.storage(plugin, "first")) {
            try await folder.storage(plugin, "copy")
        }
        _ = try await copy.run(isVerified: true)
        for name in ["copy", "imported", "first"] {
            let store = try await Store(folder.storage(plugin, name), schema: .gateway)
            if name != "copy" { #expect(try await run(text, into: store) == 5) }
            #expect(try await api(store) == "first")
            try await store.close()
        }
    }

    @Test(
        "an export of another API's rows is refused before a row of it is put", arguments: StorageFolder.all)
    func refusedImport(_ plugin: String) async throws {
        let first = try await gateway("memory", "first", api: "first")
        let second = try await gateway(plugin, "second", api: "second")
        for gateway in [first, second] { _ = await gateway.listUsers(limit: 2).ending }
        var text: [UInt8] = []
        _ = try await ExportRows(first.store, nil, as: .ndjson).run { text += $0 }
        let revision = try await second.store.storage.revision()
        let error = await #expect(throws: PatchbayError.self) { try await run(text, into: second.store) }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("\"second\" told") == true)
        #expect(error?.context["rows imported before"] == "0")
        #expect(try await second.store.storage.revision() == revision)
        try await second.close()
    }

    private func run(_ text: [UInt8], into store: Store) async throws -> Int {
        var rest = text[...]
        return try await ImportRows(store, nil, as: .ndjson, name: "rows.ndjson").run { bytesMax in
            defer { rest = rest.dropFirst(bytesMax) }
            return Array(rest.prefix(bytesMax))
        }
    }
}
