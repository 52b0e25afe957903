import PatchbayCore
import PatchbayTestKit
import StorageFlatFile
import Testing

@Suite("flat files keep the promises of a storage")
struct ConformanceTests {
    @Test("keeps", arguments: StorageConformance.promises)
    func keeps(_ promise: Promise) async throws {
        try await StorageConformance {
            FlatFileStorage(path: $0, durability: .normal, busyTimeoutMilliseconds: 20)
        }.check(promise)
    }

    @Test("the plugin opens a storage from its settings and touches nothing before")
    func plugin() async throws {
        try await TemporaryDirectory.with { directory in
            let plugin = Plugin<any Storage>.flatfile
            #expect(
                plugin.options.map(\.key) == ["path", "durability", "compact-at-percent", "busy-timeout-ms"])
            let path = directory.path + "/store"
            let storage = try await plugin.open(Settings("storage", ["path": path, "durability": "off"]))
            #expect(try Files.names(directory.path).isEmpty)
            try await storage.open(Notes.schema)
            try await storage.close()
            #expect(try Files.names(path) == ["index", "lock", "notes.jsonl", "schema.json", "tags.jsonl"])
        }
    }
}
