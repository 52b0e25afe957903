import PatchbayTestKit
import PatchbayCore
import StorageSQLite
import Testing

@Suite("a database can be described, verified and compacted")
struct MaintenanceTests {
    @Test("the description names the engine, the files and the effective settings")
    func describes() async throws {
        let folder = try TestFolder()
        let storage = SQLiteStorage(path: folder.database, durability: .normal, busyTimeoutMilliseconds: 77)
        try await storage.open(TestCollections.schema)
        try await storage.putUsers(0..<100, bytes: 1_000)
        let description = try await storage.describe()
        #expect(description.path == folder.database)
        #expect(description.engine.hasPrefix("SQLite 3."))
        #expect(description.files.map(\.path) == ["", "-wal", "-shm"].map { folder.database + $0 })
        #expect(description.files.allSatisfy { $0.bytes > 0 && $0.bytes % 512 == 0 })
        let settings = Dictionary(uniqueKeysWithValues: description.settings.map { ($0.name, $0.value) })
        #expect(settings["journal_mode"] == "wal")
        #expect(settings["synchronous"] == "normal")
        #expect(settings["busy_timeout"] == "77")
        #expect(settings["secure_delete"] == "0")
        #expect(settings["wal_autocheckpoint"] == "0")
        #expect(settings["user_version"] == "1")
        #expect(settings["mmap_size of reads"] != nil)
        try await storage.close()
        #expect(await fault { _ = try await storage.describe() }?.code == .unsupported)
    }

    @Test("an intact database has no faults, and the check reports progress")
    func sound() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        try await storage.putUsers(0..<5_000)
        let log = ProgressLog()
        #expect(try await storage.verifyFiles { log.append($0) } == [])
        #expect(log.tasks == ["checking \(folder.database)"])
        #expect(log.all.count > 1)
        #expect(log.all.map(\.done) == log.all.map(\.done).sorted())
        try await storage.close()
    }

    @Test("an overwritten page is reported as faults with their places")
    func damaged() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        try await storage.putUsers(0..<2_000)
        try await storage.close()
        var bytes = folder.bytes()
        let page = bytes.count / 4_096 / 2
        for place in page * 4_096..<(page + 1) * 4_096 { bytes[place] = 0xA5 }
        folder.write(bytes)
        let damaged = try await folder.storage()
        let faults = try await damaged.verifyFiles { _ in }
        #expect((1...100).contains(faults.count))
        #expect(faults.allSatisfy { $0.file == folder.database })
        #expect(faults.contains { $0.place?.hasPrefix("page ") == true }, "\(faults)")
        try await damaged.close()
    }

    @Test(
        "a row that is missing from an index is reported with the name of the index",
        .enabled(if: TestFolder.hasSQLiteShell, "needs the sqlite3 shell"))
    func lostIndexEntry() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        try await storage.putUsers(0..<10)
        // An index without one row, under the definition of the complete index.
        let partial = "create unique index users_by_login on users (login collate nocase) where id <> 7"
        let forge =
            "update sqlite_schema set sql = replace(sql, ' where id <> 7', '') where name = 'users_by_login'"
        #expect(
            folder.sqlite3("drop index users_by_login; \(partial); pragma writable_schema = on; \(forge)")
                == "")
        let faults = try await storage.verifyFiles { _ in }
        #expect(faults.map(\.place).contains("index users_by_login, row 8"), "\(faults)")
        try await storage.close()
    }

    @Test("a missing index is a fault", .enabled(if: TestFolder.hasSQLiteShell, "needs the sqlite3 shell"))
    func lostIndex() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        #expect(folder.sqlite3("drop index users_by_name") == "")
        #expect(
            try await storage.verifyFiles { _ in }.map(\.message).contains { $0.contains("users_by_name") })
        try await storage.close()
    }

    @Test("compacting releases the space of deleted rows and leaves none of their data in the file")
    func compacts() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        try await storage.putUsers(0..<300, bytes: 10_000)
        try await storage.putUser(1_000, "the-deleted-login")
        try await storage.write { writer in
            for id in (0..<300).map(Int64.init) + [1_000] where id % 10 != 0 || id == 1_000 {
                _ = try writer.delete(.integer(id), in: TestCollections.users)
            }
        }
        let log = ProgressLog()
        try await storage.compact { log.append($0) }
        #expect(folder.size(of: "test.sqlite") < 500_000)
        #expect(folder.size(of: "test.sqlite-wal") == 0)
        #expect(log.tasks == ["rewriting the database"])
        #expect(try await storage.userCounts() == [30])
        try await storage.close()
        #expect(!String(decoding: folder.bytes(), as: UTF8.self).contains("the-deleted-login"))
    }

    @Test("compacting while another program reads is busy, loses nothing, and works afterwards")
    func compactsBesideOthers() async throws {
        let folder = try TestFolder()
        let storage = SQLiteStorage(path: folder.database, busyTimeoutMilliseconds: 10)
        try await storage.open(TestCollections.schema)
        try await storage.putUsers(0..<50, bytes: 1_000)
        for statement in ["BEGIN IMMEDIATE", "BEGIN; SELECT * FROM users"] {
            let other = try RawConnection(folder.database)
            try other.run(statement)
            let error = await fault { try await storage.compact { _ in } }
            #expect(error?.code == .busy, "\(statement)")
            other.close()
            try await storage.compact { _ in }
            #expect(folder.size(of: "test.sqlite-wal") == 0)
        }
        #expect(try await storage.userCounts() == [50])
        try await storage.close()
    }

    @Test("a cancelled check stops")
    func cancelled() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        try await storage.putUsers(0..<5_000)
        let checking = Task {
            try await storage.verifyFiles { _ in unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
        }
        await #expect(throws: CancellationError.self) { _ = try await checking.value }
        #expect(try await storage.verifyFiles { _ in } == [])
        try await storage.close()
    }
}
