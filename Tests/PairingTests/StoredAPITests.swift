import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
@testable import PatchbayTestKit
import Testing

@Suite("Claims of servers over every storage", .timeLimit(.minutes(5)))
struct StoredAPITests {
    private let folder: StorageFolder
    private let clock = ManualClock()

    init() throws { folder = try StorageFolder() }

    private func gateway(
        _ plugin: String, _ name: String, word: String = "first", server: String? = nil
    ) async throws -> Gateway {
        var source = ScriptedFeed(people: 1...3).source(named: "\(word) at \(server ?? "its usual server")")
        (source.word, source.server) = (word, server)
        return try await Gateway(
            storage: folder.storage(plugin, name), source: source, schema: .gateway, now: clock.now)
    }

    private func claims(_ store: Store) async throws -> [StoredAPI] {
        try await store.read { try $0.list(StoredAPI.self, Query(StoredAPI.collection)) }
    }

    @Test(
        "the first source that writes claims its word; another server with the same word is refused",
        arguments: StorageFolder.durable)
    func claimed(_ plugin: String) async throws {
        var gateway = try await gateway(plugin, "store", server: "one.example.org")
        _ = try await gateway.listPeople(policy: .localOnly).ending
        #expect(try await claims(gateway.store).isEmpty)
        _ = try await gateway.listPeople().ending
        let first = StoredAPI("first", server: "one.example.org")
        #expect(try await claims(gateway.store) == [first])
        try await gateway.close()
        for server in ["two.example.org", nil] {
            gateway = try await self.gateway(plugin, "store", server: server)
            guard case .failed(let error) = try await gateway.listPeople().ending.outcome else {
                Issue.record("another server was not refused")
                return
            }
            #expect(error.code == .conflict)
            #expect(error.note("storage")?.contains("store") == true)
            try await gateway.close()
        }
        gateway = try await self.gateway(plugin, "store", word: "second", server: "two.example.org")
        #expect(try await gateway.listPeople().ending.value?.items.count == 3)
        #expect(
            try await claims(gateway.store) == [first, StoredAPI("second", server: "two.example.org")])
        try await gateway.close()
        gateway = try await self.gateway(plugin, "store", server: "one.example.org")
        #expect(try await gateway.listPeople(policy: .refresh).ending.value?.items.count == 3)
        try await gateway.close()
    }

    @Test("clearing the rows of a word frees it for another server", arguments: StorageFolder.durable)
    func released(_ plugin: String) async throws {
        var gateway = try await gateway(plugin, "store", server: "one.example.org")
        _ = try await gateway.listPeople().ending
        try await gateway.clear(gateway.people)
        #expect(try await claims(gateway.store).isEmpty)
        try await gateway.close()
        gateway = try await self.gateway(plugin, "store", server: "two.example.org")
        #expect(try await gateway.listPeople().ending.value?.items.count == 3)
        try await gateway.close()
    }

    @Test("a copy and an imported export keep the server", arguments: StorageFolder.durable)
    func transfer(_ plugin: String) async throws {
        let first = try await gateway(plugin, "first", server: "one.example.org")
        _ = try await first.listPeople().ending
        let text = try await exported(first.store)
        let schema = first.store.schema
        try await first.close()
        let copy = CopyStorage(from: "first", try await folder.storage(plugin, "first")) {
            try await folder.storage(plugin, "copy")
        }
        _ = try await copy.run(isVerified: true)
        for name in ["copy", "imported", "first"] {
            let store = try await Store(folder.storage(plugin, name), schema: schema)
            if name != "copy" { #expect(try await run(text, into: store) == 5) }
            #expect(try await claims(store) == [StoredAPI("first", server: "one.example.org")])
            try await store.close()
        }
    }

    @Test(
        "an import of another server's rows is refused before a row is written",
        arguments: StorageFolder.all)
    func refusedImport(_ plugin: String) async throws {
        let first = try await gateway("memory", "first", server: "one.example.org")
        let second = try await gateway(plugin, "second", server: "two.example.org")
        for gateway in [first, second] { _ = try await gateway.listPeople(limit: 2).ending }
        let text = try await exported(first.store)
        let revision = try await second.store.storage.revision()
        let error = await #expect(throws: PatchbayError.self) { try await run(text, into: second.store) }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("rows of \"first at two.example.org\"") == true)
        #expect(error?.rowsImported == 0)
        #expect(try await second.store.storage.revision() == revision)
        try await second.close()
    }

    private func exported(_ store: Store) async throws -> [UInt8] {
        var text: [UInt8] = []
        _ = try await ExportRows(store, nil, as: .jsonl).run { text += $0 }
        return text
    }

    private func run(_ text: [UInt8], into store: Store) async throws -> Int {
        var rest = text[...]
        return try await ImportRows(store, nil, as: .jsonl, name: "rows.jsonl").run { bytesMax in
            defer { rest = rest.dropFirst(bytesMax) }
            return Array(rest.prefix(bytesMax))
        }
    }
}
