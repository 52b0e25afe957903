import PatchbayTestKit
import CPlatform
import PatchbayCore
import StorageSQLite
import Testing

@Suite("the error of opening names the problem")
struct OpeningTests {
    @Test("a missing folder, with its name")
    func missingFolder() async throws {
        let folder = try TestFolder()
        let error = await fault { try await open(folder.path + "/none/x.sqlite") }
        #expect(error?.code == .invalidConfiguration)
        #expect(
            error?.message
                == "the folder \"\(folder.path)/none\" does not exist; create it or set another path")
    }

    @Test("a path that does not name a file")
    func noFile() async throws {
        let folder = try TestFolder()
        folder.write([1], to: "file")
        for path in ["", folder.path, "/dev/null", folder.path + "/file/x.sqlite", folder.path + "/a\0b"] {
            let error = await fault { try await open(path) }
            #expect(error?.code == .invalidConfiguration, "\(path)")
        }
        #expect(folder.names == ["file"])
    }

    @Test(
        "a folder without write access is permission denied",
        .enabled(if: unsafe access("/sys/kernel", F_OK) == 0, "needs /sys/kernel"))
    func readOnlyFolder() async {
        let error = await fault { try await open("/sys/kernel/x.sqlite") }
        #expect(error?.code == .permissionDenied)
        #expect(error?.file == "/sys/kernel/x.sqlite")
    }

    @Test("a name that has a special meaning for SQLite is an ordinary file")
    func specialNames() async throws {
        let folder = try TestFolder()
        try await open(folder.path + "/:memory:")
        try await open(folder.path + "/file:x?mode=memory")
        #expect(folder.names == [":memory:", "file:x?mode=memory"])
    }

    @Test("the plugin reads its settings and does not touch the file")
    func plugin() async throws {
        let folder = try TestFolder()
        let plugin = Plugin<any Storage>.sqlite
        let storage = try await plugin.open(
            Settings("storage", ["path": folder.database, "durability": "off", "busy-timeout-ms": "20"]))
        #expect(folder.names.isEmpty)
        try await storage.open(TestCollections.schema)
        try await storage.close()
        #expect(folder.names == ["test.sqlite"])
        await #expect(throws: PatchbayError.self) { _ = try await plugin.open(Settings()) }
        for option in plugin.options {
            #expect(option.defaultValue.map { option.type.fault(in: $0) == nil } ?? true, "\(option.key)")
        }
    }

    @Test("tasks that open the same path at the same time share one database")
    func together() async throws {
        let folder = try TestFolder()
        try await withThrowingTaskGroup { group in
            for id in 0..<6 {
                group.addTask {
                    let storage = try await folder.storage()
                    try await storage.putUser(Int64(id), "user\(id)")
                    try await storage.close()
                }
            }
            try await group.waitForAll()
        }
        let storage = try await folder.storage()
        #expect(try await storage.read { try $0.count(Query(TestCollections.users)) } == 6)
        try await storage.close()
    }

    @Test("creating a database removes what killed creations have left, but nothing of other processes")
    func leftovers() async throws {
        let folder = try TestFolder()
        let word = ProcessName.current.fileWord
        let machine = try #require(word.split(separator: "-").first)
        let left = [".patchbay-\(machine)-2147483647-1-x", ".patchbay-\(machine)-2147483647-1-x-wal"]
        let kept = [".patchbay-\(word)-x", ".patchbay-0-2147483647-1-x", ".patchbay-x"]
        for name in left + kept { folder.write([1], to: name) }
        try await open(folder.database)
        #expect(folder.names == (kept + ["test.sqlite"]).sorted())
    }

    private func open(_ path: String) async throws {
        let storage = SQLiteStorage(path: path)
        try await storage.open(TestCollections.schema)
        try await storage.close()
    }
}
